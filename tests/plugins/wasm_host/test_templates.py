"""Projects of `mm tools new`, built and used as their pages say."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from minime_core.cli.main import run
from minime_shared.cleaning import MAX_SCHEMA
from minime_wasm_host.describing import MAX_DESCRIPTION, MAX_TOOLS
from minime_wasm_host.limits import MAX_LOG_LINE, MAX_LOG_LINES, UNENFORCED, Limits
from minime_wasm_host.sidecar import Permissions, ToolEntry
from module_folder import Home

HOW_TO = Path(__file__).parents[3] / "docs" / "how-to" / "write-a-wasm-tool.md"
CALLS = [
    ('{"word": "häus\\"r"}', 'h-ä-u-s-"-r'),
    ('{"word": "a\\u00e4\\nb"}', "a-ä-\n-b"),
    ('{"other": {"word": "}"}, "word": "ab"}', "a-b"),
    ('{"word": ""}', ""),
]


def commands(page: str) -> list[str]:
    """Return the lines of a page that are indented, which are commands."""
    unfenced = "".join(page.split("```")[::2])
    return [line.strip() for line in unfenced.splitlines() if line.startswith("    ")]


def perform(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command of a page here, with this interpreter's `mm` and compiler."""
    program, *arguments = shlex.split(line)
    if program == "mm":
        assert run(arguments) == 0, line
        return capsys.readouterr().out
    if program == "python":
        program = sys.executable
        subprocess.run([program, *arguments], check=True)
    else:
        subprocess.run(line, shell=True, check=True)
    return ""


def build(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Make the project `spell`, build it and have it trusted, as its README says."""
    perform(f"mm tools new {language} spell", capsys)
    os.chdir("spell")
    build_it, put_it, trust_it, _ = commands(Path("README.md").read_text())
    perform(build_it, capsys)
    perform(put_it, capsys)
    os.chdir("..")
    perform(f"{trust_it} --yes", capsys)


slow = pytest.mark.full


@pytest.mark.parametrize("language", ["c", pytest.param("zig", marks=slow)])
def test_a_project_can_be_built_and_does_what_it_says(
    home: Home, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    build(language, capsys)
    tool = home.offered()["spell__spell"]
    # What the schema refuses never reaches a module: other fields go past it here, on purpose.
    for arguments, spelt in CALLS:
        said = home.run(tool.run(json.loads(arguments), home.context)).text
        assert said.partition("\n")[2] == spelt
    assert "`word` has to be one word" in home.run(tool.run({"word": "a" * 256}, home.context)).text
    assert "`word`" in home.run(tool.run({}, home.context)).text


def test_the_how_to_page_works_line_by_line(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    lines = commands(HOW_TO.read_text())
    assert lines[0] == "pip install ziglang"
    for line in lines[1:]:
        if line.startswith("cd "):
            os.chdir(line.removeprefix("cd "))
        elif line == "mm tools trust spell":
            perform(f"{line} --yes", capsys)
        elif line.startswith("mm tools test"):
            assert perform(line, capsys).endswith("\nc-u-r-e\n")
        elif not line.startswith(("mm -p", "mm tools new rust")):
            perform(line, capsys)
    assert "spell__spell" in home.offered()


def test_every_limit_is_on_the_reference_page() -> None:
    page = (HOW_TO.parents[1] / "reference" / "wasm-tools.md").read_text()
    for bound in (MAX_TOOLS, MAX_DESCRIPTION, MAX_SCHEMA, MAX_LOG_LINES, MAX_LOG_LINE):
        assert f" {bound:,} " in page
    for names in UNENFORCED.values():
        assert [name for name in names if f"`{name}` is not enforced" not in page] == []
    for limit in fields(Limits):
        assert f"| `{limit.name}` | {str(limit.default).lower()} |" in page
    for part in (Permissions, ToolEntry):
        assert [f.name for f in fields(part) if f.name not in page] == []
