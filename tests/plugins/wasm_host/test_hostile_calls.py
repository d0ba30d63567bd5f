"""Modules that misbehave in a call: it ends with text for the model, and the next call works."""

from __future__ import annotations

import time

import pytest

from minime_wasm_host.limits import MAX_LOG_LINE
from module_folder import Home
from module_text import Text, export

LIMITS = {"timeout_ms": 300, "worker_mb": 256, "memory_mb": 16, "output_kb": 64}
_SLEEP = """(import "wasi_snapshot_preview1" "poll_oneoff"
  (func $poll (param i32 i32 i32 i32) (result i32)))"""
_COUNT = """
(local $i i32)
(loop
  {body}
  (local.set $i (i32.add (local.get $i) (i32.const 1)))
  (br_if 0 (i32.lt_u (local.get $i) (i32.const {times}))))
(i32.const 0)
"""


def counted(times: int, body: str) -> str:
    return _COUNT.replace("{times}", str(times)).replace("{body}", body)


def misbehave(
    home: Home, body: str, *more: str, imports: str = "", **limits: int
) -> tuple[str, float]:
    """Call `bad`, then make sure that `good` works; return what came of `bad`, and its seconds."""
    text = Text(line="a line", garbage=b"\xff\xfe\x1b[31mred", good="good")
    data = text.build(
        export("bad", body), export("good", "(call $say {good})"), *more, imports=imports
    )
    entries = [{"name": "bad"}, {"name": "good"}]
    home.add("it", data, {"limits": {**LIMITS, **limits}, "tools": entries})
    home.call("it__good")
    start = time.monotonic()
    result = home.call("it__bad")
    seconds = time.monotonic() - start
    assert home.call("it__good").text.endswith("\ngood")
    if not result.ok:
        assert result.text.startswith("[it__bad: failed: ")
        assert result.text.endswith("]")
    return result.text, seconds


def test_an_endless_loop_is_ended_in_time(home: Home) -> None:
    text, seconds = misbehave(home, "(loop (br 0)) (i32.const 0)")
    assert "took longer than 0.3 s and was ended. Ask for less" in text
    assert seconds >= 0.3


def test_a_sleep_that_cannot_be_interrupted_is_ended(home: Home) -> None:
    # One subscription to the clock, an hour from now.
    body = """
      (i64.store (i32.const 1024) (i64.const 0))
      (i32.store (i32.const 1032) (i32.const 0))
      (i32.store (i32.const 1040) (i32.const 1))
      (i64.store (i32.const 1048) (i64.const 3600000000000))
      (drop (call $poll (i32.const 1024) (i32.const 2048) (i32.const 1) (i32.const 4096)))
      (i32.const 0)"""
    text, _ = misbehave(home, body, imports=_SLEEP)
    assert "took longer" in text


def test_memory_is_limited(home: Home) -> None:
    text, _ = misbehave(home, "(loop (drop (memory.grow (i32.const 16))) (br 0)) (i32.const 0)")
    assert "more memory than 16 MB, which is limits.memory_mb" in text


def test_memory_of_the_host_is_limited(home: Home) -> None:
    text, _ = misbehave(home, "(drop (call $alloc (i64.const 200000000))) (i32.const 0)")
    assert "limits.memory_mb" in text


def test_tables_are_limited_by_the_worker_s_memory(home: Home) -> None:
    grow = "(loop (drop (table.grow $t (ref.null func) (i32.const 1000000))) (br 0)) (i32.const 0)"
    text, _ = misbehave(home, grow, "(table $t 1 funcref)", timeout_ms=20_000)
    assert "memory" in text or "crashed" in text


def test_output_is_limited(home: Home) -> None:
    size = "(i64.const 1000000)"
    text, _ = misbehave(home, f"(call $output_set (call $alloc {size}) {size}) (i32.const 0)")
    assert "returned 1000000 bytes, more than limits.output_kb" in text


@pytest.mark.parametrize("size", ["0x30000", "0x7fffffff0000", "0x7fffffffffff0000"])
def test_overwritten_bookkeeping_kills_at_most_the_worker(home: Home, size: str) -> None:
    # There Extism keeps how long the output is.
    body = f"(drop {{line}}) (call $store_u64 (i64.const 57) (i64.const {size})) (i32.const 0)"
    text, _ = misbehave(home, body, output_kb=4096)
    # A small wrong size shows the module nothing but its own side of Extism's memory.
    assert "more than limits.output_kb" in text or text.endswith("a line")


@pytest.mark.parametrize("fresh", [False, True])
def test_a_worker_that_is_killed_by_its_module_is_replaced(home: Home, fresh: bool) -> None:
    body = "(call $store_u64 (i64.const 57) (i64.const 0x300000)) (i32.const 0)"
    text, _ = misbehave(home, body, output_kb=4096, fresh=fresh)
    assert "it crashed (SIGSEGV)" in text or "its worker ended with code 1" in text
    assert "Try other arguments, or do without it" in text


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("(unreachable)", "unreachable"),
        ("(i32.div_s (i32.const 1) (i32.const 0))", "divide by zero"),
        ("(i32.load (i32.const 99000000))", "out of bounds"),
        ("(call $deep)", "call stack exhausted"),
        ("(i32.const 7)", "failed with code 7, and does not say why"),
    ],
)
def test_a_trap_tells_its_cause(home: Home, body: str, cause: str) -> None:
    deep = "(func $deep (result i32) (i32.add (call $deep) (i32.const 1)))"
    text, _ = misbehave(home, body, deep)
    assert cause in text


def test_an_error_that_is_no_text_is_cleaned(home: Home) -> None:
    text, _ = misbehave(home, "(call $fail {garbage})")
    assert text == "[it__bad: failed: \ufffd\ufffdred]"


@pytest.mark.parametrize("at", ["-1", "0x7fffffffffff", "1"])
def test_a_log_line_at_an_impossible_address_does_no_harm(home: Home, at: str) -> None:
    text, _ = misbehave(home, f"(call $log_info (i64.const {at})) (call $say {{line}})")
    assert text.endswith("\na line")


def test_a_hundred_thousand_log_lines_are_cut(home: Home) -> None:
    body = counted(100_000, "(call $log_info (local.get $line))")
    body = f"(local $line i64) {body}".replace("(loop", "(local.set $line {line}) (loop", 1)
    text, _ = misbehave(home, body, timeout_ms=60_000)
    assert text == "[it__bad: done; it returned nothing]"
    assert home.shown[:2] == ["it: a line\n", "it: a line\n"]
    assert home.shown[-1] == "it: (it logs more, which is left out)\n"
    assert len(home.shown) == 201


def test_a_long_log_line_is_cut(home: Home) -> None:
    data = Text(long="x" * 5_000).build(export("run", "(call $log_info {long}) (i32.const 0)"))
    home.add("it", data, {"tools": [{"name": "run"}]})
    assert home.call("it__run").ok
    assert home.shown == [f"it: {'x' * MAX_LOG_LINE}\n"]


def test_a_storm_of_requests_ends_in_time(home: Home) -> None:
    storm = counted(1_000_000, "(drop (call $http_request {line} (i64.const 0)))")
    text, _ = misbehave(home, storm)
    assert "took longer" in text


def test_a_module_that_times_out_does_not_disturb_another(home: Home) -> None:
    home.add(
        "slow",
        Text().build(export("run", "(loop (br 0)) (i32.const 0)")),
        {"limits": LIMITS, "tools": [{"name": "run"}]},
    )
    fine = Text(fine="fine").build(export("run", "(call $say {fine})"))
    home.add("quick", fine, {"tools": [{"name": "run"}]})

    async def both() -> list[str]:
        import asyncio

        slow = asyncio.ensure_future(home.calling("slow__run"))
        texts = [(await home.calling("quick__run")).text for _ in range(50)]
        return [*texts, (await slow).text]

    *quick, slow = home.run(both())
    assert {text.splitlines()[-1] for text in quick} == {"fine"}
    assert "took longer" in slow
