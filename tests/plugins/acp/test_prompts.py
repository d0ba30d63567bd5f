"""Prompts: what the model is told of them, and how they end."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from acp.schema import PromptRequest
from hypothesis import given
from hypothesis import strategies as st

from acp_client import Refused
from minime_acp.prompt_text import prompt_text
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.gate import Gate
from minime_core.testing.replies import finish, hold, status, text, thinking, tool_call

Run = Callable[..., Any]


def said(*blocks: dict[str, Any], limit: int = 16_000) -> str:
    """Return what the model reads of a prompt."""
    request = PromptRequest.model_validate({"sessionId": "s", "prompt": [*blocks]})
    return prompt_text(request.prompt, limit)


def words(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def test_text_is_sent_as_it_is(connect: Any, run: Run, server: FaultServer) -> None:
    server.enqueue(text("An answer."))

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            answer = await client.prompt(session, "what is `it`\n?")
            assert answer["stopReason"] == "end_turn"
            assert client.text(session) == "An answer."

    run(scenario())
    assert server.chat_requests[0].json["messages"][-1] == {
        "role": "user",
        "content": "what is `it`\n?",
    }


def test_a_link_to_a_file_is_its_path_for_the_tools(tmp_path: Path) -> None:
    (tmp_path / "a folder").mkdir()
    link = {"type": "resource_link", "name": "größe.py"}
    file = f"file://{tmp_path}/gr%C3%B6%C3%9Fe%20%231.py"
    folder = f"file://{tmp_path}/a%20folder"
    blocks = [words("Look at "), {**link, "uri": file}, words(" in "), {**link, "uri": folder}]
    assert said(*blocks) == (
        f"Look at [attached file: {tmp_path}/größe #1.py] in [attached folder: {tmp_path}/a folder]"
    )


def test_a_link_to_elsewhere_is_its_address() -> None:
    link = {"type": "resource_link", "name": "Issue 7", "uri": "https://example.org/7"}
    assert said(link) == "[attached: Issue 7, https://example.org/7]"


@pytest.mark.parametrize("uri", ["", "file://", "file:///a%00b", "http://[", "zed://x/%ff"])
def test_an_odd_address_does_no_harm(uri: str) -> None:
    assert said(words("see "), {"type": "resource_link", "name": "x", "uri": uri})


def test_embedded_text_is_quoted_with_its_address() -> None:
    resource = {"uri": "file:///p/a.md", "text": "use ```` here\n", "mimeType": "text/markdown"}
    assert said(words("Read "), {"type": "resource", "resource": resource}) == (
        "Read [attached file: /p/a.md]\n\nfile:///p/a.md:\n`````\nuse ```` here\n\n`````"
    )


def test_embedded_text_is_bounded() -> None:
    resource = {"uri": "file:///p/a.log", "text": "line\n" * 10_000}
    quoted = said(words("Why? "), {"type": "resource", "resource": resource}, limit=1000)
    assert len(quoted) < 1200
    assert "read the file for the rest" in quoted


@given(st.text(alphabet="`a\n ", max_size=60))
def test_a_quoted_text_cannot_end_its_quotation(quoted: str) -> None:
    lines = said({"type": "resource", "resource": {"uri": "x:y", "text": quoted}}).split("\n")
    fence = lines[3]
    assert set(fence) == {"`"}
    assert lines[-1] == fence
    assert fence not in quoted


def test_what_the_model_cannot_read_is_named() -> None:
    data = b64encode(bytes(1000)).decode()
    blob = {"uri": "file:///a.zip", "blob": data, "mimeType": "application/zip"}
    image = {"type": "image", "data": data, "mimeType": "image/png"}
    assert said(words("x"), {"type": "resource", "resource": blob}, image) == (
        "x[attached file: /a.zip]\n\n[left out: file:///a.zip, 1000 bytes, application/zip]\n\n"
        "[left out: an image (image/png), which this model cannot see]"
    )
    broken = {"uri": "file:///a.zip", "blob": "###"}
    assert "broken" in said({"type": "resource", "resource": broken})


@pytest.mark.parametrize(
    ("prompt", "why"),
    [
        ([], "the prompt is empty"),
        ([{"type": "text", "text": " \n"}], "the prompt is empty"),
        ([{"type": "audio", "data": "", "mimeType": "audio/wav"}], "audio"),
        ([{"type": "smell"}], "invalid params: prompt"),
        ("hello", "invalid params: prompt"),
        (None, "invalid params: prompt"),
    ],
)
def test_what_is_no_prompt_is_refused(connect: Any, run: Run, prompt: Any, why: str) -> None:
    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            with pytest.raises(Refused, match=why) as caught:
                await client.ask("session/prompt", sessionId=session, prompt=prompt)
            assert caught.value.code == -32602

    run(scenario())


def test_a_second_prompt_is_refused_while_the_first_is_answered(
    connect: Any, run: Run, server: FaultServer
) -> None:
    gate = Gate()
    server.enqueue(text("one ") + hold(gate) + text("two"), text("three"))

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            first = client.begin_prompt(session, "first")
            await client.until(lambda: client.text(session))
            with pytest.raises(Refused, match="-32600: busy"):
                await client.prompt(session, "second")
            gate.open()
            assert (await first)["result"]["stopReason"] == "end_turn"
            assert client.text(session) == "one two"
            await client.prompt(session, "third")

    run(scenario())
    sent = [message["content"] for message in server.chat_requests[-1].json["messages"]]
    assert sent[1:] == ["first", "one two", "third"]


@pytest.mark.parametrize(
    ("reply", "stop"),
    [
        (text("a"), "end_turn"),
        (text("a") + finish("content_filter"), "refusal"),
    ],
)
def test_how_the_model_stopped_is_told(
    connect: Any, run: Run, server: FaultServer, reply: Any, stop: str
) -> None:
    server.enqueue(reply)

    async def scenario() -> str:
        async with connect() as client:
            answer = await client.prompt(await client.new(), "hi")
            reason: str = answer["stopReason"]
            return reason

    assert run(scenario()) == stop


def test_an_answer_that_stays_cut_is_told(connect: Any, run: Run, server: FaultServer) -> None:
    server.respond = text("la ") + finish("length")

    async def scenario() -> str:
        async with connect(max_tokens=8) as client:
            answer = await client.prompt(await client.new(), "sing")
            reason: str = answer["stopReason"]
            return reason

    assert run(scenario()) == "max_tokens"


def test_too_many_rounds_are_told(connect: Any, run: Run, server: FaultServer) -> None:
    server.enqueue(tool_call("bash", {"command": "true"}), text("I had to stop."))

    async def scenario() -> str:
        async with connect(max_turns=1, policy="yolo") as client:
            answer = await client.prompt(await client.new(), "work")
            reason: str = answer["stopReason"]
            return reason

    assert run(scenario()) == "max_turn_requests"


@pytest.mark.parametrize(
    ("replies", "words"),
    [
        ([status(401, "who are you")], "wants a key"),
        ([status(400, "I do not like this")], "I do not like this"),
        ([finish(), finish(), finish()], "the model gave no answer"),
    ],
)
def test_a_turn_that_fails_is_an_error_with_its_cause(
    connect: Any, run: Run, server: FaultServer, replies: Any, words: str
) -> None:
    server.enqueue(*replies)

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            with pytest.raises(Refused, match=words) as caught:
                await client.prompt(session, "hi")
            assert caught.value.code == -32603
            assert words in str(caught.value.data)
            server.enqueue(text("Fine now."))
            assert (await client.prompt(session, "again"))["stopReason"] == "end_turn"

    run(scenario())


def test_a_server_that_is_down_is_an_error_with_its_cure(
    connect: Any, run: Run, server: FaultServer
) -> None:
    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            server.stop()
            with pytest.raises(Refused, match=r"-32603: .*llama-server"):
                await client.prompt(session, "hi")

    run(scenario())


def test_a_skill_and_a_command_are_offered_and_obeyed(
    connect: Any, run: Run, server: FaultServer, cwd: Path
) -> None:
    skill = cwd / ".mm/skills/shout"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text(
        "---\nname: shout\ndescription: Use it to shout.\n---\nShout.\n"
    )
    server.enqueue(text("LOUD"))

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            update = await client.until(lambda: client.of(session, "available_commands_update"))
            named = {command["name"]: command for command in update[0]["availableCommands"]}
            assert "shout" in named
            assert all(command["description"] for command in named.values())
            await client.prompt(session, "/shout loudly")
            await client.prompt(session, "/skills")
            assert "shout" in client.text(session)

    run(scenario())
    [request] = server.chat_requests
    assert "[skill shout:" in request.json["messages"][-1]["content"]
    assert "Parameters: loudly" in request.json["messages"][-1]["content"]


def test_the_answer_to_session_new_comes_before_the_commands(connect: Any, run: Run) -> None:
    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            assert client.of(session) == []
            await client.until(lambda: client.of(session, "available_commands_update"))

    run(scenario())


def test_commands_are_told_at_the_first_prompt_if_that_comes_sooner(
    connect: Any, run: Run, server: FaultServer
) -> None:
    server.enqueue(thinking("hm") + text("Yes."))

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            await client.prompt(session, "is it?")
            kinds = [update["sessionUpdate"] for update in client.of(session)]
            assert kinds[:3] == [
                "available_commands_update",
                "session_info_update",
                "agent_thought_chunk",
            ]
            assert kinds.count("available_commands_update") == 1
            assert client.of(session, "session_info_update")[0]["title"] == "is it?"

    run(scenario())


def test_undo_takes_back_the_last_question_and_what_its_tools_wrote(
    connect: Any, run: Run, server: FaultServer, cwd: Path
) -> None:
    (cwd / "a.txt").write_text("one\n")
    edit = {"path": "a.txt", "edits": [{"old": "one", "new": "two"}]}
    server.enqueue(tool_call("edit_file", edit), text("It is two now."), text("Hello."))

    async def scenario() -> None:
        async with connect(policy="yolo") as client:
            session = await client.new()
            await client.prompt(session, "make it two")
            answer = await client.prompt(session, "/undo")
            assert answer["stopReason"] == "end_turn"
            assert "restored" in client.text(session)
            await client.prompt(session, "hi")
        async with connect() as client:
            await client.ask("session/load", sessionId=session, cwd=str(cwd), mcpServers=[])
            [question] = client.of(session, "user_message_chunk")
            assert question["content"]["text"] == "hi"

    run(scenario())
    assert (cwd / "a.txt").read_text() == "one\n"
    asked = [m["content"] for m in server.chat_requests[-1].json["messages"] if m["role"] == "user"]
    assert asked == ["hi"]
