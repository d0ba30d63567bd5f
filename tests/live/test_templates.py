"""The chat templates of these tests take legal histories and refuse each illegal one."""

from __future__ import annotations

from typing import Any

import pytest

from llama_server import LlamaServer

pytestmark = pytest.mark.live

Message = dict[str, Any]

TOOL = {
    "type": "function",
    "function": {
        "name": "bash",
        "description": "Run a command.",
        "parameters": {"type": "object", "properties": {"command": {"type": "string"}}},
    },
}
SYSTEM: Message = {"role": "system", "content": "Be short."}
USER: Message = {"role": "user", "content": "List the files."}
ANSWER: Message = {"role": "assistant", "content": "There is one file."}


def calls(*ids: str) -> Message:
    function = {"name": "bash", "arguments": '{"command": "ls"}'}
    tool_calls = [{"id": id_, "type": "function", "function": function} for id_ in ids]
    return {"role": "assistant", "content": "", "tool_calls": tool_calls}


def result(id_: str) -> Message:
    return {"role": "tool", "tool_call_id": id_, "content": "a.txt"}


ROUND = [calls("aB3aB3aB3"), result("aB3aB3aB3")]
LEGAL = {
    "a question": [SYSTEM, USER],
    "a question without a system message": [USER],
    "an answered question": [SYSTEM, USER, ANSWER, USER],
    "a call and its result": [SYSTEM, USER, *ROUND],
    "two rounds, an answer and a question": [SYSTEM, USER, *ROUND, *ROUND, ANSWER, USER],
}
TWO_CALLS = [calls("aB3aB3aB3", "cD4cD4cD4"), result("aB3aB3aB3"), result("cD4cD4cD4")]
SHORT_ID = [calls("call_0"), result("call_0")]
LATE_SYSTEM = [SYSTEM, USER, ANSWER, SYSTEM, USER]
ILLEGAL = {
    "late system message": (LATE_SYSTEM, "A system message may only come first"),
    "two user messages": ([SYSTEM, USER, USER], "Expected a message of role assistant"),
    "two answers": ([USER, ANSWER, ANSWER, USER], "Expected a message of role user"),
    "answer first": ([SYSTEM, ANSWER, USER], "Expected a message of role user"),
    "call without a result": ([USER, calls("aB3aB3aB3"), USER], "Expected a message of role tool"),
    "result without a call": ([USER, result("aB3aB3aB3")], "Expected a message of role assistant"),
    "question after a result": ([USER, *ROUND, USER], "Expected a message of role assistant"),
    "short call id": ([USER, *SHORT_ID], "A call id has nine"),
    "call id with a dash": ([USER, calls("aB3-B3aB3"), result("aB3-B3aB3")], "letters and digits"),
    "two calls at once": ([USER, *TWO_CALLS], "at most one tool call"),
}


def apply_template(llama: LlamaServer, messages: list[Message]) -> tuple[int, str]:
    body = {"messages": messages, "tools": [TOOL]}
    response = llama.http.post("/apply-template", json=body)
    return response.status_code, response.text


@pytest.mark.parametrize("messages", LEGAL.values(), ids=LEGAL)
@pytest.mark.parametrize("name", ["llama_strict_tools", "llama_single_system"])
def test_legal_history_is_accepted_with_its_tools(
    name: str, messages: list[Message], request: pytest.FixtureRequest
) -> None:
    status, prompt = apply_template(request.getfixturevalue(name), messages)
    assert status == 200
    assert "Run a command." in prompt


@pytest.mark.parametrize(("messages", "reason"), ILLEGAL.values(), ids=ILLEGAL)
def test_strict_tools_refuses(
    llama_strict_tools: LlamaServer, messages: list[Message], reason: str
) -> None:
    status, error = apply_template(llama_strict_tools, messages)
    assert status in (400, 500)
    assert reason in error


def test_single_system_refuses_a_late_system_message(llama_single_system: LlamaServer) -> None:
    status, error = apply_template(llama_single_system, LATE_SYSTEM)
    assert status in (400, 500)
    assert "A system message may only come first" in error


@pytest.mark.parametrize("messages", [[USER, *TWO_CALLS], [USER, *SHORT_ID], [USER, USER]])
def test_single_system_accepts_what_only_strict_tools_refuses(
    llama_single_system: LlamaServer, messages: list[Message]
) -> None:
    status, _ = apply_template(llama_single_system, messages)
    assert status == 200


@pytest.mark.parametrize(
    ("name", "renders_tools"),
    [("llama", False), ("llama_strict_tools", True), ("llama_single_system", True)],
)
def test_server_says_whether_its_template_renders_tools(
    name: str, renders_tools: bool, request: pytest.FixtureRequest
) -> None:
    props = request.getfixturevalue(name).http.get("/props").json()
    assert props["chat_template_caps"]["supports_tools"] is renders_tools
    assert props["chat_template_caps"]["supports_tool_calls"] is renders_tools
