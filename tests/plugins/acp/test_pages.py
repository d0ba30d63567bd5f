"""The pages about the agent: what they show can be started, and they name all there is."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from acp.meta import AGENT_METHODS

from acp_process import AcpProcess
from minime_acp import agent as methods
from minime_acp.settings import AcpSettings
from minime_acp.turn import OPTIONS
from minime_core.testing.command import Mm

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "reference/acp.md").read_text()
GUIDE = (DOCS / "how-to/use-in-an-editor.md").read_text()


def shown() -> list[dict[str, Any]]:
    """Return the settings of editors on the page."""
    blocks = re.findall(r"^```json\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)
    return [json.loads(block) for block in blocks]


@pytest.mark.full
def test_editors_are_told_of_a_command_that_serves_them(mm: Mm, tmp_path: Path) -> None:
    config = tmp_path / "editor.yaml"
    config.write_text("policy: read-only\n")
    commands = []
    for block in shown():
        for server in block.get("agent_servers", {"": block}).values():
            assert Path(server.get("command", "mm")).name == "mm"
            commands.append([str(config) if "/" in word else word for word in server["args"]])
    assert ["acp"] in commands
    commands += re.findall(r'args = { "(acp)" }', GUIDE)
    for arguments in {tuple(command) for command in commands if not isinstance(command, str)}:
        with AcpProcess(mm, *arguments) as agent:
            agent.open(mm.cwd)


def words(name: str) -> set[str]:
    return {*re.split("[/_]", name.replace("sessions", "session"))}


def test_the_reference_names_everything() -> None:
    listed = {method for method in AGENT_METHODS.values() if f"| `{method}` |" in PAGE}
    served = {name for name in vars(methods.Agent) if name[0] != "_"} - {"aclose", "handle"}
    assert len(listed) == len(served)
    for name in served:
        assert any(words(name) <= {*words(method), "session"} for method in listed), name
    assert all(f"`{option.option_id}`" in PAGE for option in OPTIONS)


@pytest.mark.parametrize("setting", fields(AcpSettings), ids=lambda field: field.name)
def test_every_setting_is_on_the_page(setting: Any) -> None:
    [row] = [line for line in PAGE.splitlines() if line.startswith(f"| `{setting.name}` |")]
    assert row.endswith(f"| {setting.metadata['help']} |")
