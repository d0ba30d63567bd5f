"""Modules that misbehave while they are loaded, each within its limit."""

from __future__ import annotations

import time

import pytest

from minime_wasm_host.refusal import Refused
from module_folder import Home
from module_text import Text, export, saying

LIMITS = {"load_ms": 700, "timeout_ms": 700, "worker_mb": 256}
LOOP = "(func $f (loop (br 0)))"
FILL = """(func $f
  (drop (memory.grow (i32.const 24000)))
  (memory.fill (i32.const 0) (i32.const 1) (i32.const 1500000000)))"""


@pytest.mark.parametrize(
    ("parts", "cause"),
    [
        pytest.param(
            ("(start $f)", LOOP),
            "took longer than 0.7 s, which is limits.load_ms",
            marks=pytest.mark.full,
        ),
        (('(export "_initialize" (func $f))', LOOP), "took longer than 0.7 s"),
        (("(start $f)", FILL), "out of bounds memory access"),
        # Extism has no instance yet that a host function could answer to.
        (
            ("(start $f)", "(func $f (drop (call $http_request {request} (i64.const 0))))"),
            "crashed",
        ),
        (("(start $f)", "(func $f unreachable)"), "unreachable"),
    ],
    ids=["start", "initialize", "fill", "host-function", "trap"],
)
def test_loading_ends_and_says_why_each_time(
    home: Home, parts: tuple[str, ...], cause: str
) -> None:
    text = Text(hello="hello", request='{"url": "http://127.0.0.1:1/"}')
    data = text.build(export("hello", "(call $say {hello})"), *parts)
    home.add("bad", data, {"limits": LIMITS, "tools": [{"name": "hello"}]})
    home.add("good", saying("fine"))
    for _ in range(2):
        start = time.monotonic()
        result = home.call("bad__hello")
        assert time.monotonic() - start < 30
        assert result.text.startswith("[bad__hello: failed: the module cannot be loaded: ")
        assert result.text.endswith(". Do without it]")
        assert cause in result.text
        assert home.pid("bad") is None
        assert home.call("good__run").text.endswith("\nfine")


def test_a_loop_in_describe_ends_the_wish_to_trust_it(home: Home) -> None:
    data = Text(x="x").build(
        export("describe", "(loop (br 0)) (i32.const 0)"), export("call", "(call $say {x})")
    )
    with pytest.raises(Refused, match=r"bad\.wasm: it took longer than 0\.7 s"):
        home.add("bad", data, {"limits": LIMITS})


def test_a_module_that_was_changed_after_trust_does_not_run(home: Home) -> None:
    home.add("it", saying("old"))
    tool = home.offered()["it__run"]
    path = home.tools / "it.wasm"
    before = path.stat()
    path.write_bytes(saying("new"))
    # Time and size are those that were trusted: only the hash tells.
    assert path.stat().st_size == before.st_size
    import os

    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert home.found()["it"].state == "trusted"
    result = home.run(tool.run({}, home.context))
    assert "changed since the user trusted it" in result.text
    assert "mm tools trust it" in result.text


@pytest.mark.parametrize("change", ["added", "edited", "removed"])
def test_a_sidecar_that_was_changed_after_trust_stops_the_module(home: Home, change: str) -> None:
    home.add("it", saying("hi"), None if change == "added" else {"limits": {"timeout_ms": 500}})
    tool = home.offered()["it__run"]
    sidecar = home.tools / "it.yaml"
    if change == "removed":
        sidecar.unlink()
    else:
        sidecar.write_text("permissions: {hosts: [example.com]}")
    assert home.found()["it"].state == "changed"
    assert "it__run" not in home.offered()
    result = home.run(tool.run({}, home.context))
    assert "changed since the user trusted it" in result.text
