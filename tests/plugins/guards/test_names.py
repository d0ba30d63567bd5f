from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_core.events import MessageDone
from minime_core.messages import Message, ToolCall
from minime_core.models import ModelRequest
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import text, tool_call
from minime_core.tools import Tool, ToolResult
from minime_core.turn import Turn
from minime_guards.names import Names


async def run(arguments: Any, context: Any) -> ToolResult:
    return ToolResult(text="")


def named(written: str, *tools: str, aliases: dict[str, str] | None = None) -> ToolCall:
    """Return the call that becomes of one of `written`."""
    known = {
        name: Tool(name=name, description="", schema={}, run=run, effects=frozenset())
        for name in tools or ("bash", "edit_file", "read_file", "write_file")
    }
    call = ToolCall(name=written, arguments={})
    request = ModelRequest(model="m", messages=(), turn=Turn(question="", first=0))
    done = MessageDone(message=Message(role="assistant", calls=(call,)))
    return Names(known, aliases or {}).judge(request, done).message.calls[0]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("bash", "bash"),
        ("Bash", "bash"),
        ("ReadFile", "read_file"),
        ("read-file", "read_file"),
        (" bash ", "bash"),
        ('"bash"', "bash"),
        ("bash()", "bash"),
        ("functions.bash", "bash"),
        ("tools.read_file", "read_file"),
        ("default_api:read_file", "read_file"),
        ("bash<|channel|>commentary", "bash"),
        ("bash<|channel|>json", "bash"),
        ("assistant<|channel|>commentary to=functions.bash <|constrain|>json", "bash"),
        ("commentary to=functions.read_file", "read_file"),
        ("functions.bash<|message|>", "bash"),
        ("shell", "bash"),
        ("run_command", "bash"),
        ("Terminal", "bash"),
        ("cat", "read_file"),
        ("create_file", "write_file"),
        ("str_replace", "edit_file"),
        ("functions.shell", "bash"),
    ],
)
def test_a_name_that_means_one_tool_is_put_right(written: str, meant: str) -> None:
    call = named(written)
    assert (call.name, call.rejected) == (meant, None)


@pytest.mark.parametrize("written", ["python", "", "<|channel|>", "bash2", "rm -rf /", "\n" * 500])
def test_any_other_name_is_explained(written: str) -> None:
    call = named(written)
    assert call.rejected is not None
    assert call.rejected.startswith(f"[{call.name}: there is no such tool")
    assert len(call.rejected) < 200


def test_the_nearest_tools_come_first() -> None:
    assert str(named("writ_fil").rejected).endswith("write_file, edit_file, read_file, bash]")


def test_two_tools_that_fit_are_not_chosen_from() -> None:
    assert named("readfile", "read_file", "read-file").rejected is not None


def test_an_alias_needs_its_tool() -> None:
    assert named("shell", "read_file").rejected is not None


def test_a_tool_comes_before_an_alias() -> None:
    assert named("run", "bash", "run").name == "run"
    assert named("Run", "bash", "run").name == "run"


def test_the_users_aliases_come_first() -> None:
    assert named("shell", aliases={"shell": "read_file"}).name == "read_file"
    assert named("my_tool", aliases={"my_tool": "bash"}).name == "bash"


def test_without_tools_the_model_is_told_to_answer(model: Any) -> None:
    call = ToolCall(name="bash", arguments={})
    done = Names({}, {}).judge(model.request(), model.done("", call))
    assert done.message.calls[0].rejected == "[bash: there are no tools here. Answer without.]"


@given(st.text())
def test_no_name_breaks_the_judge(written: str) -> None:
    call = named(written)
    assert call.rejected is not None or call.name in (
        "bash",
        "edit_file",
        "read_file",
        "write_file",
    )


# Against the fault server


def test_a_tool_called_by_another_name_runs_as_itself(chat: Any, server: FaultServer) -> None:
    chat.set({"aliases": {"look": "read_file"}})
    server.enqueue(
        tool_call("functions.Bash", {"command": "ls"}),
        tool_call("look", {"path": "a"}),
        text("Done."),
    )
    chat.ask()
    assert [name for name, _ in chat.tools.ran] == ["bash", "read_file"]
    calls = [m["tool_calls"] for m in server.chat_requests[2].json["messages"] if "tool_calls" in m]
    assert [call[0]["function"]["name"] for call in calls] == ["bash", "read_file"]


def test_an_invented_tool_is_told_of_and_the_turn_goes_on(mm: Any, server: FaultServer) -> None:
    server.enqueue(tool_call("python", {"code": "1"}), text("I cannot."))
    assert mm.ask()[:2] == (0, "I cannot.\n")
    assert mm.messages()[-1]["content"].startswith("[python: there is no such tool, nothing ran.")
