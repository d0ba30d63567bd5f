from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from minime_core.errors import ConfigError
from minime_core.middleware import Phase
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import cut, error_event, finish, status, text, tool_call
from minime_guards import thinking_room
from minime_guards.policies import model_layers, tool_layers
from minime_guards.settings import GuardSettings

PAGE = Path(__file__).parents[3] / "docs/explanation/guards.md"

ORDER = [
    "thinking", "watchdog", "runaway", "arguments", "names", "coercion", "cut_calls", "no_answer",
    "cut_answer", "loops", "resample", "resume", "network",
]  # fmt: skip


def test_the_policies_are_in_their_order_from_the_server_outwards(chat: Any) -> None:
    layers = model_layers(chat.session)
    assert [layer.name for layer in layers] == ORDER
    assert sorted(layers, key=lambda layer: (layer.phase, layer.order)) == layers
    assert {layer.phase for layer in layers} == {Phase.NORMALISE, Phase.JUDGE, Phase.RETRY}
    assert [layer.name for layer in tool_layers(chat.session)] == ["loops"]


def test_a_policy_is_switched_off_by_name(chat: Any) -> None:
    chat.set({"disabled": ["loops", "network"]})
    names = [layer.name for layer in model_layers(chat.session)]
    assert names == [name for name in ORDER if name not in ("loops", "network")]
    assert tool_layers(chat.session) == []


@pytest.mark.parametrize(
    ("name", "hint"), [("loop", "did you mean loops?"), ("zzz", "there are: thinking, watchdog")]
)
def test_an_unknown_name_is_an_error_with_the_nearest(chat: Any, name: str, hint: str) -> None:
    chat.set({"disabled": [name]})
    with pytest.raises(ConfigError, match=f"no guard '{name}'") as error:
        assert chat.session
    assert hint in str(error.value)


DONE = text("Done.")


@pytest.mark.parametrize(
    ("name", "replies", "reason"),
    [
        ("thinking", [text("<think>a</think>")], "answered"),
        ("runaway", [text("I will try again.\n" * 40)], "answered"),
        ("names", [tool_call("shell", {"command": "ls"}), DONE], "answered"),
        ("coercion", [tool_call("bash", {"cmd": "ls"}), DONE], "answered"),
        ("arguments", [tool_call("bash", "{'command': 'ls'}"), DONE], "answered"),
        ("cut_calls", [*[tool_call("bash", '{"command": "l')] * 3, DONE], "answered"),
        ("no_answer", [finish("stop")], "empty"),
        ("resample", [error_event("bad output")], "failed"),
        ("resume", [text("a") + cut()], "failed"),
        ("network", [status(502, "bad gateway")], "failed"),
    ],
)
def test_without_a_policy_its_fault_shows(
    chat: Any, server: FaultServer, name: str, replies: list[Any], reason: str
) -> None:
    chat.set({"disabled": [name, "loops"]})
    server.enqueue(*replies)
    assert chat.ask().reason == reason
    assert chat.tools.ran == []
    assert server.pending == 0


def test_the_page_names_all_policies_in_their_order(chat: Any) -> None:
    rows = re.findall(r"^\| `(\w+)` \|", PAGE.read_text(), re.MULTILINE)
    assert rows == [*(layer.name for layer in model_layers(chat.session)), thinking_room.NAME]


def test_the_page_names_all_settings() -> None:
    page = PAGE.read_text()
    missing = [field.name for field in fields(GuardSettings) if f"`{field.name}`" not in page]
    assert missing == ["disabled"]
    assert "  disabled: [loops, no_answer]" in page
