from __future__ import annotations

from typing import Any

import pytest

from minime_core.errors import ConnectionFailed, ContextOverflow, RequestRefused, StatusError
from minime_core.events import Heartbeat, Notice, TextDelta, ThinkingDelta, ToolCallDelta
from minime_core.settings import Seconds
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import status, text, tool_call
from minime_guards.network import Network
from minime_guards.settings import GuardSettings

OK = [TextDelta("Hello"), Heartbeat()]


class Waits:
    """Sleeps in no time."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(round(seconds, 3))


@pytest.fixture
def waits() -> Waits:
    return Waits()


def failed(code: int, body: str = "", retry_after: float | None = None) -> StatusError:
    return StatusError(f"answered {code}", status=code, body=body, retry_after=retry_after)


def unreachable(*, refused: bool = False) -> ConnectionFailed:
    error = ConnectionFailed("does not answer; start it: llama-server")
    error.refused = refused
    return error


@pytest.mark.parametrize("code", [429, 502, 503, 504])
def test_a_server_that_is_away_is_asked_again_with_growing_waits(
    model: Any, waits: Waits, code: int
) -> None:
    script = model.Script([failed(code)], [failed(code)], [unreachable()], OK)
    events = model.run(Network(GuardSettings(), waits).wrap, script)
    assert waits.seconds == [0.8, 1.6, 3.2]
    assert events[-2:] == OK
    assert [event.text for event in events if isinstance(event, Notice)] == [
        f"answered {code}: asking again in 0.8 s (1 of 3)",
        f"answered {code}: asking again in 1.6 s (2 of 3)",
        "does not answer; start it: llama-server: asking again in 3.2 s (3 of 3)",
    ]


def test_after_the_last_retry_the_cause_is_told(model: Any, waits: Waits) -> None:
    script = model.Script(*[[failed(502)]] * 3)
    model.run(Network(GuardSettings(retries=2), waits).wrap, script)
    assert str(model.error) == "answered 502"
    assert len(waits.seconds) == 2


def test_each_request_has_all_its_retries(model: Any, waits: Waits) -> None:
    layer = Network(GuardSettings(retries=1), waits)
    script = model.Script([failed(502)], OK, [failed(502)], OK)
    for _ in range(2):
        assert model.run(layer.wrap, script)[-2:] == OK
    assert waits.seconds == [0.8, 0.8]


@pytest.mark.parametrize(("wish", "waited"), [(7, 7), (0, 0), (3600, 60)])
def test_the_server_says_how_long_to_wait_up_to_a_minute(
    model: Any, waits: Waits, wish: float, waited: float
) -> None:
    model.run(Network(GuardSettings(), waits).wrap, model.Script([failed(429, "", wish)], OK))
    assert waits.seconds == [waited]


def test_waits_are_capped(model: Any, waits: Waits) -> None:
    script = model.Script(*[[failed(503)]] * 8, OK)
    model.run(Network(GuardSettings(retries=8), waits).wrap, script)
    assert max(waits.seconds) == 10


@pytest.mark.parametrize(
    "error",
    [
        failed(500),
        RequestRefused("wants a key", status=401),
        RequestRefused("bad gateway for ever", status=502),
        ContextOverflow("too long", needed=9, window=5),
    ],
)
def test_what_will_fail_again_is_not_repeated(model: Any, waits: Waits, error: Any) -> None:
    model.run(Network(GuardSettings(), waits).wrap, model.Script([error]))
    assert model.error is error
    assert waits.seconds == []


@pytest.mark.parametrize(
    "shown", [TextDelta("Hel"), ThinkingDelta("Hm"), ToolCallDelta(0, "bash", "{")]
)
def test_nothing_is_repeated_once_something_was_shown(model: Any, waits: Waits, shown: Any) -> None:
    script = model.Script([shown, failed(502)])
    assert model.run(Network(GuardSettings(), waits).wrap, script) == [shown]
    assert model.error is not None


def test_a_loading_model_is_waited_for_until_the_first_token_is_overdue(
    model: Any, waits: Waits
) -> None:
    loading = failed(503, '{"error": {"message": "Loading model"}}')
    layer = Network(GuardSettings(first_token_timeout=Seconds(60)), waits)
    events = model.run(layer.wrap, model.Script(*[[loading]] * 50))
    assert model.error is loading
    assert 50 <= sum(waits.seconds) <= 60
    assert [event.text for event in events] == ["the server is loading the model, waiting"]


def test_a_server_that_was_never_up_is_not_waited_for(model: Any, waits: Waits) -> None:
    model.run(Network(GuardSettings(), waits).wrap, model.Script([unreachable(refused=True)]))
    assert "start it: llama-server" in str(model.error)
    assert waits.seconds == []


@pytest.mark.parametrize("first", [OK, [failed(500)]])
def test_a_server_that_was_up_before_is_waited_for(
    model: Any, waits: Waits, first: list[Any]
) -> None:
    layer = Network(GuardSettings(), waits)
    script = model.Script(first, [unreachable(refused=True)], OK)
    model.run(layer.wrap, script)
    assert model.run(layer.wrap, script)[-2:] == OK
    assert waits.seconds == [0.8]


def test_tools_stay_and_run_once_when_the_server_is_away_in_between(
    chat: Any, server: FaultServer
) -> None:
    server.enqueue(tool_call("bash", {"command": "ls"}), status(429), status(502), text("Done."))
    assert chat.ask().reason == "answered"
    assert chat.tools.ran == [("bash", {"command": "ls"})]
    bodies = [request.json for request in server.chat_requests]
    assert len(bodies) == 4
    assert bodies[1] == bodies[2] == bodies[3]
    assert "tool_choice" not in bodies[3]


def test_retries_through_the_command_line(mm: Any, server: FaultServer) -> None:
    server.enqueue(status(503, "busy"), status(504), text("Here I am."))
    code, out, err = mm.ask()
    assert (code, out) == (0, "Here I am.\n")
    assert err.count("asking again in") == 2
    assert len(server.chat_requests) == 3


def test_a_server_that_stays_away_ends_in_exit_code_3(mm: Any, server: FaultServer) -> None:
    server.enqueue(*[status(502, "bad gateway")] * 4)
    code, out, err = mm.ask()
    assert (code, out) == (3, "")
    assert "502" in err.splitlines()[-1]
    assert len(server.chat_requests) == 4


def test_a_loading_model_through_the_command_line(mm: Any, server: FaultServer) -> None:
    server.enqueue(*[status(503, "Loading model")] * 5, text("Here I am."))
    code, out, err = mm.ask()
    assert (code, out) == (0, "Here I am.\n")
    assert err == "mm: the server is loading the model, waiting\n"
