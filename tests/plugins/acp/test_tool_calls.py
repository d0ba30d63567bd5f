"""Calls of tools as the client is told of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import pytest
from acp.schema import SessionNotification

from acp_client import choose
from minime_acp.tool_calls import MAX_DIFF, diff_contents
from minime_core.events import FileDiff
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import finish, text, thinking, tool_call
from minime_core.testing.steps import Reply

Run = Callable[..., Any]
CALLS = ("tool_call", "tool_call_update")


def told(
    connect: Any, run: Run, server: FaultServer, replies: Sequence[Reply], **flags: Any
) -> list[dict[str, Any]]:
    """Return the updates of a turn in which everything is allowed."""
    server.enqueue(*replies)

    async def scenario() -> list[dict[str, Any]]:
        async with connect(**flags) as client:
            client.answers["session/request_permission"] = choose("allow")
            session = await client.new()
            await client.prompt(session, "do it")
            for name, update in client.updates:
                # The protocol's own model takes each of them.
                SessionNotification.model_validate({"sessionId": name, "update": update})
            updates: list[dict[str, Any]] = client.of(session)
            return updates

    updates: list[dict[str, Any]] = run(scenario())
    return updates


def of_calls(updates: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [update for update in updates if update["sessionUpdate"] in CALLS]


def test_a_command_is_pending_until_it_is_allowed(
    connect: Any, run: Run, server: FaultServer
) -> None:
    replies = [text("I look.") + tool_call("bash", {"command": "echo hi"}), text("Done.")]
    begun, running, *rest = of_calls(told(connect, run, server, replies))
    assert (begun["title"], begun["kind"]) == ("bash: echo hi", "execute")
    assert (begun["status"], begun["rawInput"]) == ("pending", {"command": "echo hi"})
    assert running == {
        "sessionUpdate": "tool_call_update",
        "toolCallId": begun["toolCallId"],
        "status": "in_progress",
    }
    done = rest[-1]
    assert done["status"] == "completed"
    assert done["rawOutput"]["output"].startswith("hi\n")
    assert done["content"][0]["content"]["text"] == done["rawOutput"]["output"]


def test_what_runs_without_a_question_runs_from_the_start(
    connect: Any, run: Run, server: FaultServer, cwd: Path
) -> None:
    (cwd / "a.txt").write_text("hello\n")
    replies = [tool_call("read_file", {"path": "a.txt"}), text("It says hello.")]
    begun, done = of_calls(told(connect, run, server, replies))
    assert (begun["kind"], begun["status"]) == ("read", "in_progress")
    assert begun["locations"] == [{"path": str(cwd / "a.txt")}]
    assert "hello" in done["rawOutput"]["output"]


def test_a_change_of_a_file_is_a_diff_before_and_after(
    connect: Any, run: Run, server: FaultServer, cwd: Path
) -> None:
    (cwd / "a.txt").write_text("one\ntwo\n")
    edit = {"path": "a.txt", "edits": [{"old": "two", "new": "three"}]}
    server.enqueue(tool_call("edit_file", edit), text("Changed."))
    diff = {
        "type": "diff",
        "path": str(cwd / "a.txt"),
        "oldText": "one\ntwo\n",
        "newText": "one\nthree\n",
    }
    questions: list[Any] = []

    async def scenario() -> list[dict[str, Any]]:
        async with connect() as client:

            def allow(params: dict[str, Any]) -> Any:
                questions.append(params)
                return choose("allow")(params)

            client.answers["session/request_permission"] = allow
            session = await client.new()
            await client.prompt(session, "change it")
            updates: list[dict[str, Any]] = client.of(session, *CALLS)
            return updates

    *_, done = run(scenario())
    [question] = questions
    assert question["toolCall"]["content"] == [diff]
    assert question["toolCall"]["kind"] == "edit"
    assert question["toolCall"]["locations"] == [{"path": str(cwd / "a.txt")}]
    assert done["content"] == [diff]
    assert (cwd / "a.txt").read_text() == "one\nthree\n"


def test_a_new_file_has_no_old_text(connect: Any, run: Run, server: FaultServer, cwd: Path) -> None:
    replies = [tool_call("write_file", {"path": "b.txt", "content": "new\n"}), text("Written.")]
    *_, done = of_calls(told(connect, run, server, replies))
    assert done["content"] == [{"type": "diff", "path": str(cwd / "b.txt"), "newText": "new\n"}]


def test_a_large_diff_is_named_and_not_sent(tmp_path: Path) -> None:
    large = FileDiff(path="a.txt", old="a" * MAX_DIFF, new="b")
    [content] = diff_contents([large], tmp_path)
    assert content.type == "content"
    assert "too many to show" in content.content.text


def test_a_plan_is_no_call(connect: Any, run: Run, server: FaultServer, tmp_path: Path) -> None:
    config = tmp_path / "plan.yaml"
    config.write_text("builtin_tools: {plan: true}\n")
    steps = [{"step": "look", "status": "done"}, {"step": "mend", "status": "in_progress"}]
    replies = [tool_call("plan", {"steps": steps}), text("Begun.")]
    updates = told(connect, run, server, replies, config_file=config)
    assert of_calls(updates) == []
    [plan] = [update for update in updates if update["sessionUpdate"] == "plan"]
    assert plan["entries"] == [
        {"content": "look", "priority": "medium", "status": "completed"},
        {"content": "mend", "priority": "medium", "status": "in_progress"},
    ]


def test_a_call_that_cannot_run_ends_as_failed(connect: Any, run: Run, server: FaultServer) -> None:
    replies = [tool_call("bash", {"cmmmd": 3}), tool_call("dance", {}), text("Sorry.")]
    updates = of_calls(told(connect, run, server, replies))
    begun = {u["toolCallId"]: u for u in updates if u["sessionUpdate"] == "tool_call"}
    ended = {
        u["toolCallId"]: u["status"] for u in updates if u["status"] in ("completed", "failed")
    }
    assert len(begun) == 2
    assert ended == dict.fromkeys(begun, "failed")


def test_ids_of_calls_are_unique_whatever_the_model_says(
    connect: Any, run: Run, server: FaultServer, cwd: Path
) -> None:
    (cwd / "a.txt").write_text("a")
    call = tool_call("read_file", {"path": "a.txt"}, id="same")
    again = tool_call("read_file", {"path": "."}, id="same")
    updates = of_calls(told(connect, run, server, [call, again, text("Read.")]))
    begun = [u["toolCallId"] for u in updates if u["sessionUpdate"] == "tool_call"]
    assert len(begun) == len(set(begun)) == 2


def test_output_is_shown_while_the_command_runs(
    connect: Any, run: Run, server: FaultServer, cwd: Path
) -> None:
    server.enqueue(
        tool_call("bash", {"command": "echo early; until [ -e go ]; do sleep 0.01; done"}),
        text("Done."),
    )

    async def scenario() -> None:
        async with connect(policy="yolo") as client:
            session = await client.new()
            answer = client.begin_prompt(session, "run")
            shown = await client.until(
                lambda: [u for u in client.of(session, "tool_call_update") if u.get("content")]
            )
            # The command still waits for the file.
            assert shown[0]["status"] == "in_progress"
            assert shown[0]["content"][0]["content"]["text"] == "early\n"
            (cwd / "go").touch()
            await answer

    run(scenario())


def test_text_and_thoughts_of_one_answer_share_an_id(
    connect: Any, run: Run, server: FaultServer, cwd: Path
) -> None:
    call = tool_call("read_file", {"path": "."})
    replies = [thinking("Hm. ") + text("I look.") + call, text("It is empty.")]
    updates = told(connect, run, server, replies)
    ids: dict[str, set[str]] = {}
    for update in updates:
        if "messageId" in update:
            ids.setdefault(update["messageId"], set()).add(update["sessionUpdate"])
    assert [*ids.values()] == [
        {"agent_thought_chunk", "agent_message_chunk"},
        {"agent_message_chunk"},
    ]


def test_usage_is_the_turns_and_the_windows(connect: Any, run: Run, server: FaultServer) -> None:
    def used(prompt: int, answer: int, cached: int) -> Reply:
        return finish(
            usage={
                "prompt_tokens": prompt,
                "completion_tokens": answer,
                "total_tokens": prompt + answer,
                "prompt_tokens_details": {"cached_tokens": cached},
            },
            timings=None,
        )

    server.enqueue(
        tool_call("read_file", {"path": "."}) + used(100, 10, 0),
        text("Empty.") + used(150, 5, 110),
    )

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            answer = await client.prompt(session, "what is here?")
            assert answer["usage"] == {
                "inputTokens": 250,
                "outputTokens": 15,
                "totalTokens": 265,
                "cachedReadTokens": 110,
            }
            first, last = client.of(session, "usage_update")
            # What the window holds now, never the sum.
            assert (first["used"], last["used"]) == (110, 155)
            assert last["size"] == 4096
            assert last["_meta"] == {"org.mini-me/cachedTokens": 110}

    run(scenario())


def test_a_thousand_pieces_are_neither_lost_nor_reordered(
    connect: Any, run: Run, server: FaultServer
) -> None:
    # Neighbours of one kind that arrive at once are one update.
    pieces = [thinking(f"{n} ", chunks=1) + text(f"{n} ", chunks=1) for n in range(500)]
    server.enqueue(reduce(add, pieces))
    kinds = ("agent_thought_chunk", "agent_message_chunk")

    async def scenario() -> list[list[str]]:
        async with connect() as client:
            session = await client.new()
            await client.prompt(session, "count")
            # All of them are there when the answer is: none comes after it.
            return [[u["content"]["text"] for u in client.of(session, kind)] for kind in kinds]

    expected = [f"{n} " for n in range(500)]
    assert run(scenario()) == [expected, expected]


def test_a_withdrawn_answer_is_marked_and_its_reason_shown(
    connect: Any, run: Run, server: FaultServer
) -> None:
    server.enqueue(text("la " * 3000), text("No more."))

    async def scenario() -> None:
        async with connect({"session": {"notices": {}}}) as client:
            session = await client.new()
            await client.prompt(session, "sing")
            [mark] = [u for u in client.of(session, "agent_message_chunk") if "_meta" in u]
            assert mark["_meta"] == {"org.mini-me/retracted": True}
            assert client.text(session).endswith("No more.")
            [notice] = client.of(session, "notice")
            assert notice["severity"] == "warning"
            assert "asking once more" in notice["title"]

    run(scenario())


def test_a_client_without_notices_is_sent_none(
    connect: Any, run: Run, server: FaultServer, capfd: pytest.CaptureFixture[str]
) -> None:
    updates = told(connect, run, server, [text("la " * 3000), text("No more.")])
    assert "notice" not in {update["sessionUpdate"] for update in updates}
    assert "mm: stopped the answer" in capfd.readouterr().err
