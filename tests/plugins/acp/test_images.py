"""Pictures go to a model that sees, and are named to one that does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from minime_core.testing import FaultServer, text

Run = Callable[..., Any]
DATA = "iVBORw0KGgo="
PICTURE = {"type": "image", "data": DATA, "mimeType": "image/png"}
WORDS = {"type": "text", "text": "What is this?"}
SENSES = {"vision": True, "video": False, "audio": False}


def props(senses: Any) -> dict[str, Any]:
    return {
        "model_alias": "m",
        "chat_template_caps": {"supports_tools": True},
        "default_generation_settings": {"n_ctx": 8192},
        "modalities": senses,
    }


async def show(connect: Any, server: FaultServer, **flags: Any) -> tuple[bool, Any]:
    """Return whether pictures are announced, and the content that a question with one becomes."""
    server.enqueue(text("A garden."))
    async with connect(**flags) as client:
        answer = await client.ask("initialize", protocolVersion=1, clientCapabilities={})
        session = await client.new()
        await client.ask("session/prompt", sessionId=session, prompt=[WORDS, PICTURE])
        announced = answer["agentCapabilities"]["promptCapabilities"].get("image", False)
        return announced, server.chat_requests[-1].json["messages"][-1]["content"]


def test_a_model_that_sees_is_shown_a_picture(connect: Any, run: Run, server: FaultServer) -> None:
    server.routes["GET /props"] = props(SENSES)
    announced, content = run(show(connect, server))
    assert announced is True
    assert content == [
        {"type": "text", "text": "What is this?\n\n[attached: an image (image/png)]"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}},
    ]


@pytest.mark.parametrize("senses", [{"vision": False}, None, "eyes", {"vision": "yes"}])
def test_one_that_does_not_is_told_what_was_left_out(
    connect: Any, run: Run, server: FaultServer, senses: Any
) -> None:
    server.routes["GET /props"] = props(senses)
    announced, content = run(show(connect, server))
    assert announced is False
    assert content.endswith("[left out: an image (image/png), which this model cannot see]")


@pytest.mark.parametrize(("wanted", "sees"), [("on", True), ("off", False)])
def test_the_settings_know_better(
    connect: Any, run: Run, server: FaultServer, wanted: str, sees: bool
) -> None:
    server.routes["GET /props"] = props({"vision": not sees})
    announced, content = run(show(connect, server, images=wanted))
    assert (announced, isinstance(content, list)) == (sees, sees)


@pytest.mark.parametrize(
    ("broken", "why"),
    [({"data": "%%%"}, "is no base64"), ({"mimeType": 'text/html"'}, "is no image")],
)
def test_a_broken_picture_is_refused(
    connect: Any, run: Run, server: FaultServer, broken: dict[str, str], why: str
) -> None:
    server.routes["GET /props"] = props(SENSES)

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            with pytest.raises(Exception, match=why):
                await client.ask(
                    "session/prompt", sessionId=session, prompt=[WORDS, {**PICTURE, **broken}]
                )

    run(scenario())


def test_a_resumed_session_sends_the_same_bytes(
    connect: Any, run: Run, server: FaultServer
) -> None:
    server.routes["GET /props"] = props(SENSES)
    server.enqueue(text("A garden."), text("Yes."))

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            await client.ask("session/prompt", sessionId=session, prompt=[WORDS, PICTURE])
            await client.ask("session/close", sessionId=session)
            cwd = str(client.cwd)
            await client.ask("session/resume", sessionId=session, cwd=cwd, mcpServers=[])
            await client.prompt(session, "Sure?")

    run(scenario())
    first, second = (request.json["messages"] for request in server.chat_requests)
    assert second[: len(first)] == first
