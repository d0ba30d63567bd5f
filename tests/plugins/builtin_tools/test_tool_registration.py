"""Which tools there are, what they cost in the prompt and at the start."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from minime_builtin_tools.settings import ToolSettings
from minime_core.config import Config, Layer
from minime_core.errors import ConfigError
from minime_core.tools import Tool
from minime_shared.schemas import tool_parameters
from tool_caller import registered

FOUR = ["bash", "edit_file", "read_file", "write_file"]


def sent(tool: Tool) -> str:
    """Return the JSON of a tool as a request carries it."""
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool_parameters(tool.schema),
    }
    return json.dumps({"type": "function", "function": function}, separators=(",", ":"))


def test_a_shell_and_files_are_there_without_any_setting() -> None:
    assert sorted(registered()) == FOUR


@pytest.mark.parametrize(
    ("window", "plan", "is_there"),
    [
        (None, "auto", False),
        (16_383, "auto", False),
        (16_384, "auto", True),
        (None, True, True),
        (100_000, False, False),
    ],
)
def test_plan_needs_a_window_that_has_room_for_it(
    window: int | None, plan: object, is_there: bool
) -> None:
    tools = registered(window=window, builtin_tools={"plan": plan})
    assert ("plan" in tools) == is_there


def test_each_tool_can_be_switched() -> None:
    assert registered(builtin_tools={"bash": False, "edit": False}) == {}
    assert sorted(registered(builtin_tools={"edit": False, "fetch_content": True})) == [
        "bash",
        "fetch_content",
    ]


def test_the_four_tools_take_at_most_3000_characters_of_each_request() -> None:
    tools = registered(max_tokens=1_000_000)
    assert sum(len(sent(tools[name])) for name in FOUR) <= 3_000


@pytest.mark.parametrize("name", ["plan", "fetch_content"])
def test_plan_and_fetch_content_take_at_most_700_characters_each(name: str) -> None:
    tools = registered(builtin_tools={"plan": True, "fetch_content": True})
    assert len(sent(tools[name])) <= 700


@pytest.mark.parametrize(
    ("max_tokens", "characters"), [(4096, 6000), (300, 400), (16_384, 20_000), (1, 100)]
)
def test_write_file_says_how_much_fits_into_one_call(max_tokens: int, characters: int) -> None:
    description = registered(max_tokens=max_tokens)["write_file"].description
    assert f"Over about {characters} characters" in description


def test_bash_says_how_long_a_command_may_take() -> None:
    settings = {"bash_timeout": "1m", "bash_max_timeout": 120}
    description = registered(builtin_tools=settings)["bash"].description
    assert "Ended after 60 s; `timeout` gives it up to 120." in description


def test_an_unknown_setting_is_refused() -> None:
    config = Config([Layer("test", {"builtin_tools": {"bsah": True}})], ["builtin_tools"])
    with pytest.raises(ConfigError, match="did you mean bash"):
        config.section("builtin_tools", ToolSettings)


def test_registration_imports_nothing_that_only_calls_need() -> None:
    code = (
        "import sys, minime_builtin_tools, minime_core.assembly\n"
        "from minime_core.config import Config, Layer\n"
        "values = {'builtin_tools': {'plan': True, 'fetch_content': True}}\n"
        "config = Config([Layer('test', values)], ['builtin_tools'])\n"
        "before = set(sys.modules)\n"
        "assert len(list(minime_builtin_tools.mm_register_tools(config, None))) == 6\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert [name for name in loaded if not name.startswith(("minime_", "importlib."))] == []
    assert not [name for name in loaded if name.startswith("minime_builtin_tools.edit.")]
