"""`mm mcp`, `/mcp`, and servers of the SDK over both transports."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import sdk_mcp_server
from minime_core import paths
from minime_core.config import Config
from minime_core.errors import UserError
from minime_core.testing import Mm, ScriptedModel, scripted_session, text, tool_call
from minime_core.testing.command import TIMEOUT
from minime_mcp.survey import enable, look_at, rows

Configure = Callable[[dict[str, Any]], Config]
SCRIPT = str(sdk_mcp_server.__file__)


def configure(servers: dict[str, Any]) -> None:
    file = paths.config_folder() / "config.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump({"mcp": {"servers": servers}}))


@pytest.fixture
def port() -> Iterator[int]:
    """The port of a server over HTTP."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number: int = probe.getsockname()[1]
    with subprocess.Popen(
        [sys.executable, SCRIPT, str(number)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if b"running on" in line:
                break
        yield number
        process.kill()


def test_a_tool_is_found_priced_enabled_used_and_disabled(mm: Mm, bare: Callable[..., Any]) -> None:
    configure(bare()["mcp"]["servers"])
    shown = mm.run("mcp", "tools", "bare").out
    assert "off      look" in shown
    assert "0 characters, ~0 tokens; with all of them:" in shown
    assert mm.run("mcp", "enable", "bare", "look").out.startswith("bare__look is on: ")
    mm.server.enqueue(tool_call("bare__look", {"what": "it"}), text("Looked."))
    assert mm.run("--yolo", "-p", "look").out == "Looked.\n"
    sent = mm.server.chat_requests[-1].json["messages"][-1]
    assert "\nseen" in sent["content"]
    assert mm.run("mcp", "disable", "bare", "look").out == "off: look\n"
    (row,) = json.loads(mm.run("mcp", "list", "--json").out)
    assert (row["name"], row["enabled"]) == ("bare", [])


def test_an_http_server_answers_fails_and_shows_its_progress(
    home: Path, config: Configure, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTES_KEY", "k")
    headers = {"Authorization": "Bearer $NOTES_KEY"}
    server = {"url": f"http://127.0.0.1:{port}/mcp", "headers": headers}
    settings = {"mcp": {"servers": {"notes": server}}}
    wanted = ["add", "fail", "slowly", "picture"]

    async def scenario() -> list[str]:
        await enable(config(settings), "notes", wanted)
        calls = [
            tool_call("notes__add", {"a": 1, "b": 1}),
            tool_call("notes__fail", {"why": "no reason"}),
            tool_call("notes__slowly", {"steps": 2}),
            tool_call("notes__picture", {}),
        ]
        model = ScriptedModel([*calls, "Done."])
        async with scripted_session(model, plugins=["mcp"], settings=settings) as session:
            return (await session.ask("go")).results

    added, failed, slow, picture = asyncio.run(scenario())
    assert added.endswith("\n2")
    assert failed.startswith("[notes__fail: failed: ")
    assert "no reason" in failed
    assert slow.endswith("\ndone")
    assert "(image, image/png: 3 bytes, not shown)" in picture


@pytest.mark.full
def test_a_server_gets_the_variables_that_are_named_and_no_others(
    home: Path, config: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("NOTES_KEY", "k")
    env = {"KEY": "$NOTES_KEY!", "PRICE": "$$5"}
    server = {"command": sys.executable, "args": [SCRIPT], "env": env}
    settings = {"mcp": {"servers": {"notes": server}}}

    async def scenario() -> list[str]:
        await enable(config(settings), "notes", ["environment"])
        names = ("OPENAI_API_KEY", "KEY", "PRICE")
        calls = [tool_call("notes__environment", {"name": name}) for name in names]
        model = ScriptedModel([*calls, "Done."])
        async with scripted_session(model, plugins=["mcp"], settings=settings) as session:
            return (await session.ask("go")).results

    ends = [result.rpartition("\n")[2] for result in asyncio.run(scenario())]
    assert ends == ["unset", "k!", "$5"]


def test_names_that_cannot_be_tools_are_left_out_with_the_reason(
    bare: Callable[..., Any], config: Configure
) -> None:
    survey = asyncio.run(look_at(config(bare("names")), "bare"))
    assert [entry.tool.name for entry in survey.entries] == ["bare__a_b_c", "bare__look"]
    (note,) = [line for line in rows(survey) if line.startswith("left out: ")]
    assert "more than 64 characters" in note


def test_a_name_that_is_nearly_right_is_suggested_and_nothing_is_enabled(
    bare: Callable[..., Any], config: Configure
) -> None:
    configured = config(bare())
    with pytest.raises(UserError, match=r"no tool 'lok'; did you mean look\?"):
        asyncio.run(enable(configured, "bare", ["look", "lok"]))
    assert asyncio.run(look_at(configured, "bare")).entries[0].state == "off"


@pytest.mark.parametrize(
    ("server", "told"),
    [
        ({"command": "/no/such"}, "there is no program '/no/such'"),
        ({"command": "/bin/sh", "args": ["-c", "echo oops >&2"]}, "it ended; it said last: oops"),
        ({"url": "http://127.0.0.1:9/mcp"}, "http://127.0.0.1:9/mcp cannot be reached"),
        ({"url": "ftp://x"}, "mcp.servers.x.url has to begin with http:// or https://"),
        ({}, "mcp.servers.x needs either `command` or `url`"),
        ({"command": "a", "headers": {}}, "mcp.servers.x.headers is unknown; there are: args"),
        (
            {"type": "sse", "url": "http://x"},
            "mcp.servers.x.type is 'sse'; it can be stdio or http",
        ),
        ({"command": "a", "env": {"K": "$NO_SUCH"}}, "set the environment variable NO_SUCH"),
        ({"command": "a", "env": {"K": "5$"}}, "write `$$` for a dollar"),
    ],
)
def test_what_is_wrong_with_a_server_is_told(
    home: Path, config: Configure, server: dict[str, Any], told: str
) -> None:
    with pytest.raises(UserError, match=re.escape(told)):
        asyncio.run(look_at(config({"mcp": {"servers": {"x": server}}}), "x"))


def test_without_the_package_the_command_that_installs_it_is_told(
    bare: Callable[..., Any], config: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("minime_mcp.mcp_tools.find_spec", lambda name: None)
    with pytest.raises(UserError, match=re.escape("pip install 'mini-me[mcp]'")):
        asyncio.run(look_at(config(bare()), "bare"))


def test_a_project_that_is_not_trusted_names_no_servers(mm: Mm) -> None:
    folder = mm.cwd / ".mm"
    folder.mkdir(exist_ok=True)
    (folder / "config.yaml").write_text("mcp: {servers: {x: {command: touch, args: [made]}}}\n")
    outcome = mm.run("mcp", "tools", "x")
    assert "the setting mcp.servers names none" in outcome.err
    assert not (mm.cwd / "made").exists()


def test_a_conversation_has_a_command_for_the_servers_of_its_editor(
    bare: Callable[..., Any],
) -> None:
    async def scenario() -> list[str]:
        plugins = ["mcp"]
        async with scripted_session([], plugins=plugins, settings=bare()) as scripted:
            session = scripted.session
            (command,) = session.host.first("mm_slash_commands", tuple, session=session)
            lines = ("", "tools bare", "enable bare look", "", "disable bare look", "")
            return [await command.run(session, line) for line in lines]

    before, tools, on, between, off, after = asyncio.run(scenario())
    assert before == after == "bare: no tool is enabled"
    assert "off      look" in tools
    assert on.startswith("bare__look is on: ")
    assert on.endswith("from the next conversation on")
    assert between == "bare: look"
    assert off == "off from the next conversation on: look"


def test_without_servers_the_sdk_is_not_imported(mm: Mm) -> None:
    mm.server.enqueue(text("Hi."))
    process = mm.start("-p", "hi", env={"PYTHONPROFILEIMPORTTIME": "1"})
    lines = process.communicate(timeout=TIMEOUT)[1].decode().splitlines()
    imported = {line.rpartition("|")[2].strip() for line in lines}
    assert "minime_core.session" in imported
    assert not {name for name in imported if name.split(".")[0] in ("mcp", "mcp_types", "httpx2")}
