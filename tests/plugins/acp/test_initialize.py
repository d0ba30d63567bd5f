"""The greeting, and what is said of what the agent can do."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from acp.schema import InitializeResponse

from acp_client import Refused, connected
from minime_core.assembly import Options

Run = Callable[..., Any]


def greeted(run: Run, tmp_path: Path, **params: Any) -> dict[str, Any]:
    async def scenario() -> dict[str, Any]:
        async with connected(Options(cwd=tmp_path, flags={}), tmp_path) as client:
            return await client.ask("initialize", **params)

    answer: dict[str, Any] = run(scenario())
    return answer


def test_the_agent_says_who_it_is_and_what_it_can_do(run: Run, tmp_path: Path) -> None:
    answer = greeted(run, tmp_path, protocolVersion=1, clientCapabilities={})
    assert answer["protocolVersion"] == 1
    assert answer["authMethods"] == []
    info = {"name": "mm", "title": "Mini Me", "version": version("mini-me")}
    assert answer["agentInfo"] == info
    capabilities = answer["agentCapabilities"]
    assert capabilities["loadSession"] is True
    assert capabilities["promptCapabilities"]["embeddedContext"] is True
    assert capabilities["promptCapabilities"]["audio"] is False
    assert capabilities["sessionCapabilities"] == {
        "list": {},
        "resume": {},
        "close": {},
        "delete": {},
    }
    assert capabilities["_meta"]["org.mini-me/tools"] == {"discovery": ["meta", "request"]}
    InitializeResponse.model_validate(answer)


@pytest.mark.parametrize("wanted", [0, 1, 2, 99])
def test_whatever_version_is_wanted_the_answer_is_one(
    run: Run, tmp_path: Path, wanted: int
) -> None:
    assert greeted(run, tmp_path, protocolVersion=wanted)["protocolVersion"] == 1


@pytest.mark.parametrize("params", [{}, {"protocolVersion": -1}])
def test_a_greeting_without_a_version_is_refused(
    run: Run, tmp_path: Path, params: dict[str, Any]
) -> None:
    with pytest.raises(Refused, match=r"-32602: invalid params: protocolVersion"):
        greeted(run, tmp_path, **params)


@pytest.mark.parametrize(
    "capabilities",
    [None, {"fs": 1}, {"elicitation": []}, {"_meta": "x"}, {"session": None, "newer": {}}],
)
def test_odd_capabilities_are_no_capabilities(run: Run, tmp_path: Path, capabilities: Any) -> None:
    answer = greeted(run, tmp_path, protocolVersion=1, clientCapabilities=capabilities)
    assert answer["protocolVersion"] == 1


def test_nobody_has_to_log_in(run: Run, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with connected(Options(cwd=tmp_path, flags={}), tmp_path) as client:
            with pytest.raises(Refused, match="-32602"):
                await client.ask("authenticate", methodId="token")

    run(scenario())
