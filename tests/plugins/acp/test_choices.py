"""What the user can choose for a session: mode, model, profile, thinking."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from acp_client import Refused
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import stall, text

Run = Callable[..., Any]


def chosen(options: list[dict[str, Any]]) -> dict[str, str]:
    return {option["id"]: option["currentValue"] for option in options}


def values(options: list[dict[str, Any]], name: str) -> list[str]:
    [option] = [option for option in options if option["id"] == name]
    return [value["value"] for value in option["options"]]


def test_a_session_says_what_can_be_chosen(connect: Any, run: Run) -> None:
    async def scenario() -> dict[str, Any]:
        async with connect() as client:
            answer: dict[str, Any]
            answer = await client.ask("session/new", cwd=str(client.cwd), mcpServers=[])
            return answer

    answer: dict[str, Any] = run(scenario())
    assert answer["modes"]["currentModeId"] == "ask"
    modes = [mode["id"] for mode in answer["modes"]["availableModes"]]
    assert modes == ["ask", "read-only", "yolo"]
    options = answer["configOptions"]
    assert chosen(options) == {
        "mode": "ask",
        "model": "llamacpp/m",
        "profile": "auto",
        "thinking": "auto",
    }
    assert {option["category"] for option in options} == {
        "mode",
        "model",
        "model_config",
        "thought_level",
    }
    assert values(options, "mode") == modes
    assert values(options, "thinking") == ["auto", "on", "off"]
    assert "qwen3-27b" in values(options, "profile")
    for option in options:
        assert option["type"] == "select"
        assert option["currentValue"] in values(options, option["id"])


def test_mode_and_option_stay_the_same_whichever_is_set(connect: Any, run: Run) -> None:
    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            await client.ask("session/set_mode", sessionId=session, modeId="yolo")
            [update] = client.of(session, "config_option_update")
            assert chosen(update["configOptions"])["mode"] == "yolo"
            answer = await client.ask(
                "session/set_config_option", sessionId=session, configId="mode", value="read-only"
            )
            assert chosen(answer["configOptions"])["mode"] == "read-only"
            [changed] = client.of(session, "current_mode_update")
            assert changed["currentModeId"] == "read-only"

    run(scenario())


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("mode", "plan", "is no mode; there are: ask, read-only, yolo"),
        ("mode", True, "value"),
        ("model", "other", "is no model; there are: llamacpp/m"),
        ("profile", "../../etc/passwd", "is no profile"),
        ("thinking", "loudly", "is no thinking"),
        ("colour", "red", "there is no option 'colour'"),
        ("mode", None, "value"),
    ],
)
def test_what_cannot_be_chosen_is_refused_with_what_can(
    connect: Any, run: Run, option: str, value: Any, why: str
) -> None:
    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            with pytest.raises(Refused, match=why) as caught:
                await client.ask(
                    "session/set_config_option", sessionId=session, configId=option, value=value
                )
            assert caught.value.code == -32602
            with pytest.raises(Refused, match=r"-32602: .*is no mode"):
                await client.ask("session/set_mode", sessionId=session, modeId="plan")

    run(scenario())


def test_thinking_reaches_the_next_request(connect: Any, run: Run, server: FaultServer) -> None:
    server.respond = text("Yes.")

    async def scenario() -> None:
        async with connect(model="Qwen3.5-4B") as client:
            session = await client.new()
            await client.ask(
                "session/set_config_option", sessionId=session, configId="thinking", value="off"
            )
            await client.prompt(session, "hi")

    run(scenario())
    assert server.chat_requests[-1].json["chat_template_kwargs"]["enable_thinking"] is False


def test_another_model_goes_on_with_the_conversation(connect: Any, run: Run) -> None:
    async def scenario() -> None:
        with FaultServer(model="m") as server:
            models = server.routes["GET /v1/models"]["data"]
            models.append({**models[0], "id": "m2"})
            server.respond = text("Yes.")
            async with connect(base_url=server.base_url, model="", thinking="off") as client:
                session = await client.new()
                await client.ask("session/set_mode", sessionId=session, modeId="yolo")
                await client.prompt(session, "remember seven")
                answer = await client.ask(
                    "session/set_config_option",
                    sessionId=session,
                    configId="model",
                    value="llamacpp/m2",
                )
                # What was chosen before stays.
                assert chosen(answer["configOptions"]) == {
                    "mode": "yolo",
                    "model": "llamacpp/m2",
                    "profile": "auto",
                    "thinking": "off",
                }
                # The way back is open.
                assert {"llamacpp/m", "llamacpp/m2"} <= {*values(answer["configOptions"], "model")}
                await client.prompt(session, "which number?")
            [before, after] = [request.json for request in server.chat_requests]
            assert (before["model"], after["model"]) == ("m", "m2")
            assert [m["content"] for m in after["messages"] if m["role"] == "user"] == [
                "remember seven",
                "which number?",
            ]

    run(scenario())


def test_another_profile_goes_on_with_the_conversation(
    connect: Any, run: Run, server: FaultServer
) -> None:
    server.respond = text("Yes.")

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            await client.prompt(session, "remember seven")
            answer = await client.ask(
                "session/set_config_option",
                sessionId=session,
                configId="profile",
                value="qwen3-27b",
            )
            assert chosen(answer["configOptions"])["profile"] == "qwen3-27b"
            await client.prompt(session, "which number?")

    run(scenario())
    before, after = [request.json for request in server.chat_requests]
    assert len(after["messages"]) > len(before["messages"])
    assert "top_k" in after


def test_a_choice_waits_for_the_end_of_the_turn(
    connect: Any, run: Run, server: FaultServer
) -> None:
    server.enqueue(text("Once upon ") + stall())

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            client.begin_prompt(session, "a story")
            await client.until(lambda: client.text(session))
            with pytest.raises(Refused, match="-32600: busy"):
                await client.ask(
                    "session/set_config_option",
                    sessionId=session,
                    configId="profile",
                    value="qwen3-27b",
                )
            # A mode holds at once.
            await client.ask("session/set_mode", sessionId=session, modeId="yolo")

    run(scenario())


def test_a_choice_that_fails_leaves_the_session_as_it_was(
    connect: Any, run: Run, server: FaultServer, cwd: Any
) -> None:
    server.respond = text("Yes.")
    profiles = cwd / ".mm/profiles"
    profiles.mkdir()
    (profiles / "broken.yaml").write_text("name: broken\nsampling: {temperature: warm}\n")

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            await client.prompt(session, "hi")
            with pytest.raises(Refused, match="broken"):
                await client.ask(
                    "session/set_config_option",
                    sessionId=session,
                    configId="profile",
                    value="broken",
                )
            assert (await client.prompt(session, "still here?"))["stopReason"] == "end_turn"

    run(scenario())
