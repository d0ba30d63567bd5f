from __future__ import annotations

from typing import Any

import pytest

from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import text

TOLD = (
    "max_tokens is 4096, and m thinks before it answers: its thoughts may use them up. "
    "Set max_tokens to 16384, or thinking to off"
)


def test_a_model_that_thinks_should_have_room_to_answer(chat: Any, server: FaultServer) -> None:
    chat.set(thinking="on")
    server.enqueue(text("Done."), text("Done."))
    chat.ask()
    assert chat.notices == [TOLD]
    chat.ask()
    assert chat.notices == []


def test_a_small_window_gives_what_it_has(chat: Any, server: FaultServer) -> None:
    chat.set(thinking="on", context_window=12_000)
    server.enqueue(text("Done."))
    chat.ask()
    assert chat.notices == [TOLD.replace("16384", "6000")]


@pytest.mark.parametrize(
    "settings",
    [
        {"thinking": "auto"},
        {"thinking": "off"},
        {"thinking": "on", "max_tokens": 8192},
        {"thinking": "on", "context_window": 8192},
        {"thinking": "on", "guards": {"disabled": ["thinking_room"]}},
    ],
)
def test_otherwise_nothing_is_said(
    chat: Any, server: FaultServer, settings: dict[str, Any]
) -> None:
    chat.set(**settings)
    server.enqueue(text("Done."))
    chat.ask()
    assert chat.notices == []
