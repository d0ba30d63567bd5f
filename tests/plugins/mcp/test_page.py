"""The page about MCP servers: its settings are taken, its commands run."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import bare_mcp_server
from minime_core import paths
from minime_core.testing import Mm

PAGE = (Path(__file__).parents[3] / "docs/how-to/use-mcp-servers.md").read_text()


@pytest.mark.full
def test_what_the_page_shows_works(mm: Mm, tmp_path: Path) -> None:
    shown: list[dict[str, Any]] = [
        yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```", PAGE, re.M | re.S)
    ]
    settings = {**shown[0], **shown[1]}
    # A server that is here, in place of one that nobody has.
    args = [bare_mcp_server.__file__, "", str(tmp_path)]
    settings["mcp"]["servers"]["notes"].update(command=sys.executable, args=args)
    file = paths.config_folder() / "config.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(yaml.safe_dump(settings))
    commands = re.findall(r"^    mm (mcp .*)$", PAGE, re.M)
    assert [command.split()[1] for command in commands] == ["tools", "enable", "disable"]
    for command in [*commands, "mcp list", "mcp list --json"]:
        words = command.replace("search", "look").split()
        outcome = mm.run(*words, env={"NOTES_KEY": "k"})
        assert (outcome.code, outcome.err) == (0, "")
