"""Files that are no module: refused with a reason that helps, without compiling anything."""

from __future__ import annotations

import json
import os
import sys

import pytest

from minime_wasm_host.approval import MAX_MODULE
from minime_wasm_host.places import Module
from minime_wasm_host.refusal import Refused
from minime_wasm_host.trusting import look_at
from module_folder import Home
from module_text import compiled, echo, saying


def look(home: Home, name: str) -> str:
    """Return why the module is refused; Extism must not even be imported for that."""
    assert "extism" not in sys.modules
    module = Module(name=name, path=home.tools / f"{name}.wasm", origin="project")
    with pytest.raises(Refused) as refused:
        look_at(module)
    assert "extism" not in sys.modules
    return str(refused.value)


MANIFEST = {"wasm": [{"path": "other.wasm"}], "allowed_paths": {"/": "/"}, "allowed_hosts": ["*"]}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "it is empty"),
        (json.dumps(MANIFEST).encode(), "no WebAssembly module but JSON"),
        (b'wasm = [{path = "x"}]', "no WebAssembly module but something else"),
        (b'  (module (func (export "f")))', "WebAssembly text (compile it"),
        (b"\0asm\x0d\0\x01\0rest", "a component, not a core module: build it for wasm32-unknown"),
        (b"\0asm\x02\0\0\0", "version of WebAssembly that is not known"),
        (b"\0as", "something else"),
        (saying("hi")[:200], "cut off or damaged"),
        (b"\0asm\1\0\0\0\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "cut off or damaged"),
        (b"\0asm\1\0\0\0", "exports no function that can be called"),
    ],
)
def test_it_says_what_it_is_instead(home: Home, data: bytes, reason: str) -> None:
    home.put("it", data)
    assert look(home, "it").startswith("it.wasm: ")
    assert reason in look(home, "it")
    assert home.offered() == {}


def test_a_folder_named_like_a_module_is_none(home: Home) -> None:
    (home.tools / "x.wasm").mkdir()
    assert "cannot be read: Is a directory" in look(home, "x")
    assert home.found()["x"].state == "untrusted"


def test_a_pipe_named_like_a_module_does_not_keep_us_waiting(home: Home) -> None:
    os.mkfifo(home.tools / "x.wasm")
    assert "it is no file" in look(home, "x")


def test_a_pipe_or_a_device_in_place_of_a_sidecar_does_not_keep_us_waiting(home: Home) -> None:
    home.put("x", saying("hi"))
    os.mkfifo(home.tools / "x.yaml")
    home.put("y", saying("hi"))
    (home.tools / "y.yaml").symlink_to("/dev/zero")
    assert "x.yaml: it is no file" in look(home, "x")
    assert "y.yaml: it is no file" in look(home, "y")


def test_a_pipe_that_takes_the_place_of_a_sidecar_ends_trust(home: Home) -> None:
    home.add("x", saying("hi"), {"limits": {"timeout_ms": 500}})
    tool = home.offered()["x__run"]
    (home.tools / "x.yaml").unlink()
    os.mkfifo(home.tools / "x.yaml")
    assert home.found()["x"].state == "changed"
    assert "x.yaml: it is no file" in home.run(tool.run({}, home.context)).text


def test_a_link_to_a_text_file_shows_nothing_of_it(home: Home) -> None:
    secret = home.folder / "secret.txt"
    secret.write_text("root:hash")
    (home.tools / "x.wasm").symlink_to(secret)
    assert "root" not in look(home, "x")


def test_a_link_that_leads_nowhere_is_no_module(home: Home) -> None:
    (home.tools / "x.wasm").symlink_to("/no/such/file")
    assert "No such file" in look(home, "x")


def test_a_file_that_is_too_large_is_not_read_whole(home: Home) -> None:
    path = home.put("x", saying("hi"))
    os.truncate(path, MAX_MODULE + 1)
    assert "larger than 16 MB" in look(home, "x")


def test_a_name_that_no_tool_can_have_is_refused(home: Home) -> None:
    home.put("white space", saying("hi"))
    assert "rename it" in look(home, "white space")


@pytest.mark.parametrize(
    ("imported", "hint"),
    [
        ('"env" "abort"', "env::abort, which is not offered (built for another host"),
        ('"wasi_unstable" "fd_write"', "build it for wasi_snapshot_preview1"),
        ('"extism:host/env" "mystery"', "extism:host/env::mystery"),
        ('"extism:host/user" "mystery"', "extism:host/user::mystery"),
    ],
)
def test_an_import_that_nobody_offers_is_named(home: Home, imported: str, hint: str) -> None:
    functions = '(func (export "describe")) (func (export "call"))'
    home.put("x", compiled(f"(module (import {imported} (func)) {functions})"))
    assert hint in look(home, "x")


def test_functions_without_a_sidecar_are_listed(home: Home) -> None:
    home.put("x", echo())
    reason = look(home, "x")
    assert "describe its functions in a sidecar, section `tools` (it has echo)" in reason


def test_a_module_that_begins_with_too_much_memory_is_refused(home: Home) -> None:
    functions = '(func (export "describe")) (func (export "call"))'
    home.put("x", compiled(f"(module (memory 2000) {functions})"))
    assert "needs 125 MB of memory: raise limits.memory_mb" in look(home, "x")


def test_code_that_is_damaged_is_refused_when_it_is_trusted(home: Home) -> None:
    whole = compiled('(module (func (export "call")) (func (export "describe") unreachable))')
    # An opcode that there is not in place of `unreachable`.
    home.put("x", whole.replace(b"\x00\x00\x0b", b"\x00\xff\x0b"))
    with pytest.raises(Refused, match="the module cannot be loaded"):
        home.trust("x")
