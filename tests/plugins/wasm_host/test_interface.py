"""Reading what a module imports and exports, compared with what a WebAssembly runtime reads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_wasm_host.binary import Signature, is_callable, read_interface
from minime_wasm_host.refusal import Refused
from module_text import compiled, echo, saying

RICH = """(module
  (type $two (func (param i32 f64) (result i64 funcref)))
  (import "extism:host/env" "alloc" (func (param i64) (result i64)))
  (import "env" "table" (table 1 2 funcref))
  (import "env" "memory" (memory 3 9))
  (import "env" "global" (global (mut i32)))
  (func $two (type $two) (i64.const 0) (ref.null func))
  (func $f (export "f") (result i32) (i32.const 0))
  (export "again" (func $f))
  (export "two" (func $two))
  (export "memory" (memory 0))
  (global (export "g") i32 (i32.const 1))
  (func (export "über") (param f32)))"""


@pytest.mark.parametrize("text", ["rich", "echo", "saying"])
def test_it_reads_what_a_runtime_reads(text: str) -> None:
    import wasmtime

    data = {"rich": compiled(RICH), "echo": echo(), "saying": saying("hi")}[text]
    module = wasmtime.Module(wasmtime.Engine(), data)
    interface = read_interface(data)
    assert [(i.module, i.name) for i in interface.imports] == [
        (i.module, i.name) for i in module.imports
    ]
    functions = {
        export.name: Signature(
            tuple(map(str, export.type.params)), tuple(map(str, export.type.results))
        )
        for export in module.exports
        if isinstance(export.type, wasmtime.FuncType)
    }
    assert interface.functions == functions


def test_memory_that_is_imported_counts() -> None:
    assert read_interface(compiled(RICH)).pages == 3


@pytest.mark.parametrize(
    ("params", "results", "can"),
    [((), (), True), ((), ("i32",), True), ((), ("i64",), False), (("i32",), (), False)],
)
def test_only_functions_without_parameters_are_called(
    params: tuple[str, ...], results: tuple[str, ...], can: bool
) -> None:
    assert is_callable(Signature(params, results)) is can


def is_read(data: bytes) -> bool:
    try:
        read_interface(data)
    except Refused:
        return False
    return True


@given(st.integers(0, len(compiled(RICH)) - 1), st.binary(max_size=8), st.integers(0, 9))
def test_whatever_is_damaged_is_read_or_refused(at: int, new: bytes, left_out: int) -> None:
    whole = compiled(RICH)
    assert is_read(whole[:at] + new + whole[at + left_out :]) in (True, False)


@given(st.binary(max_size=200))
def test_any_section_is_read_or_refused(data: bytes) -> None:
    assert is_read(b"\0asm\1\0\0\0" + data) in (True, False)
