"""Modules for tests, written in the text form of WebAssembly."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

TOOL = {"name": "run", "description": "Run it.", "inputSchema": {"type": "object"}}

_IMPORTS = """
(import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
(import "extism:host/env" "store_u8" (func $store_u8 (param i64 i32)))
(import "extism:host/env" "store_u64" (func $store_u64 (param i64 i64)))
(import "extism:host/env" "length" (func $length (param i64) (result i64)))
(import "extism:host/env" "input_offset" (func $input_offset (result i64)))
(import "extism:host/env" "input_length" (func $input_length (result i64)))
(import "extism:host/env" "output_set" (func $output_set (param i64 i64)))
(import "extism:host/env" "error_set" (func $error_set (param i64)))
(import "extism:host/env" "config_get" (func $config_get (param i64) (result i64)))
(import "extism:host/env" "log_info" (func $log_info (param i64)))
(import "extism:host/env" "http_request" (func $http_request (param i64 i64) (result i64)))
(import "extism:host/env" "http_status_code" (func $http_status_code (result i32)))
(import "extism:host/env" "http_headers" (func $http_headers (result i64)))
"""
_FUNCTIONS = """
(func $text (param $at i32) (param $size i32) (result i64)
  (local $memory i64) (local $i i32)
  (local.set $memory (call $alloc (i64.extend_i32_u (local.get $size))))
  (block $end (loop $more
    (br_if $end (i32.ge_u (local.get $i) (local.get $size)))
    (call $store_u8
      (i64.add (local.get $memory) (i64.extend_i32_u (local.get $i)))
      (i32.load8_u (i32.add (local.get $at) (local.get $i))))
    (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (br $more)))
  (local.get $memory))
(func $say (param $memory i64) (result i32)
  (call $output_set (local.get $memory) (call $length (local.get $memory)))
  (i32.const 0))
(func $fail (param $memory i64) (result i32)
  (call $error_set (local.get $memory))
  (i32.const 1))
"""


class Text:
    """A module that is being written.

    In `parts`, `{name}` stands for the constant of that name, as Extism memory.
    """

    def __init__(self, **constants: str | bytes) -> None:
        self._at = 16
        self._data: list[str] = []
        self._texts = {name: self._constant(value) for name, value in constants.items()}

    def _constant(self, value: str | bytes) -> str:
        data = value if isinstance(value, bytes) else value.encode()
        at, self._at = self._at, self._at + len(data)
        self._data.append(f'(data (i32.const {at}) "{"".join(f"{chr(92)}{b:02x}" for b in data)}")')
        return f"(call $text (i32.const {at}) (i32.const {len(data)}))"

    def build(self, *parts: str, imports: str = "", pages: int = 0) -> bytes:
        """Return the module. Its memory fits the constants, or has `pages` pages."""
        pages = pages or self._at // 65_536 + 1
        body = "\n".join(parts)
        for name, call in self._texts.items():
            body = body.replace(f"{{{name}}}", call)
        memory = f'(memory (export "memory") {pages})'
        data = "\n".join(self._data)
        return compiled(f"(module {_IMPORTS} {imports} {memory} {data} {_FUNCTIONS} {body})")


@cache
def compiled(text: str) -> bytes:
    """Return the binary form of a module's text."""
    import wasmtime

    return bytes(wasmtime.wat2wasm(text))


def export(name: str, body: str) -> str:
    """Return a function that Extism can call; `body` leaves an i32."""
    return f'(func (export "{name}") (result i32) {body})'


def mcp(
    call: str,
    *more: str,
    tools: Any = (TOOL,),
    describe: str = "",
    imports: str = "",
    pages: int = 0,
    **constants: str | bytes,
) -> bytes:
    """Return a module of the native contract.

    tools: what it describes, unless `describe` is the body of that function.
    """
    described = tools if isinstance(tools, (str, bytes)) else json.dumps({"tools": list(tools)})
    text = Text(described=described, **constants)
    return text.build(
        export("describe", describe or "(call $say {described})"),
        export("call", call),
        *more,
        imports=imports,
        pages=pages,
    )


def answering(result: Any, *, tools: Any = (TOOL,)) -> bytes:
    """Return a module whose calls have a fixed result: JSON, or bytes as they are."""
    output = result if isinstance(result, bytes) else json.dumps(result).encode()
    return mcp("(call $say {output})", tools=tools, output=output)


def saying(text: str, *, tools: Any = (TOOL,)) -> bytes:
    """Return a module whose calls return `text`."""
    return answering({"content": [{"type": "text", "text": text}]}, tools=tools)


def echo() -> bytes:
    """Return a module whose function `echo` returns what it is given."""
    body = "(call $output_set (call $input_offset) (call $input_length)) (i32.const 0)"
    return Text().build(export("echo", body))
