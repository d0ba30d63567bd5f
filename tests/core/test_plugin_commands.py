"""`mm plugins`: works when plugins are broken, and imports none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from minime_core.testing import Mm, Outcome, Site

LOUD = "open('imported', 'a')\nraise RuntimeError('no luck')\n"
SKILLS = "from minime_core import hookimpl\n\n@hookimpl\ndef mm_register_skills():\n    return []\n"


def plugins(mm: Mm, *arguments: str) -> Outcome:
    return mm.run("plugins", *arguments)


def facts(mm: Mm, command: str, name: str) -> dict[str, Any]:
    arguments = [name] if command == "why" else []
    done = plugins(mm, command, *arguments, "--json")
    assert done.code == 0, done
    (found,) = [facts for facts in json.loads(done.out) if facts["name"] == name]
    return dict(found)


@pytest.fixture
def loud(mm: Mm, mm_site: Site) -> Path:
    """Install a plugin that breaks, and return the file that its import leaves."""
    mm_site.install("loud", LOUD, requires=["click", "mini-me[web] (>=0.1,<0.2) ; extra == 'x'"])
    return mm.cwd / "imported"


def test_a_broken_plugin_is_listed_with_what_it_was_made_for(mm: Mm, loud: Path) -> None:
    assert facts(mm, "list", "loud") == {
        "name": "loud",
        "state": "enabled",
        "disabled_by": "",
        "distribution": "mm-plugin-loud",
        "version": "1.2",
        "made_for": ">=0.1,<0.2",
        "builtin": False,
        "module": "loud",
    }
    done = plugins(mm, "list")
    assert "enabled   mm-plugin-loud 1.2 for mini-me >=0.1,<0.2\n" in done.out
    assert (done.code, done.err) == (0, "")
    assert not loud.exists()


@pytest.mark.parametrize(
    "arguments",
    [["list"], ["list", "--json"], ["why", "loud"], ["disable", "loud"], ["enable", "loud"]],
)
def test_no_command_imports_a_plugin(mm: Mm, loud: Path, arguments: list[str]) -> None:
    script = (
        "import sys\nfrom minime_core.cli.main import run\n"
        "from minime_core.discovery import discover\n"
        f"code = run(['plugins', *{arguments}])\n"
        "packages = {info.module.partition('.')[0] for info in discover()}\n"
        "print(sorted(packages & {*sys.modules}), len(packages) > 10, code, file=sys.stderr)"
    )
    assert mm.site is not None
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=mm.cwd,
        env={**os.environ, "PYTHONPATH": str(mm.site.folder)},
        capture_output=True,
        text=True,
    )
    assert done.stderr == "[] True 0\n"
    # `why` loads it in another process, to tell hooks, load time and error.
    assert loud.exists() == (arguments[0] == "why")


def test_built_in_plugins_are_listed_first(mm: Mm, loud: Path) -> None:
    found = json.loads(plugins(mm, "list", "--json").out)
    builtin = [facts["builtin"] for facts in found]
    assert builtin == sorted(builtin, reverse=True)
    assert {"providers", "guards"} < {facts["name"] for facts in found}


def test_why_tells_the_error_of_a_broken_plugin(mm: Mm, loud: Path) -> None:
    found = facts(mm, "why", "loud")
    assert (found["state"], found["error"]) == ("failed", "RuntimeError: no luck")
    # In a process of its own.
    assert loud.exists()


def test_why_tells_hooks_and_load_time_of_one_that_works(mm: Mm, mm_site: Site) -> None:
    mm_site.install("fine", SKILLS)
    found = facts(mm, "why", "fine")
    assert (found["state"], found["error"]) == ("enabled", "")
    assert found["hooks"] == ["mm_register_skills"]
    assert found["load_ms"] > 0
    assert "hooks          mm_register_skills\n" in plugins(mm, "why", "fine").out


def test_why_bears_one_that_ends_its_process(mm: Mm, mm_site: Site) -> None:
    mm_site.install("abrupt", "import os\nos._exit(7)\n")
    assert facts(mm, "why", "abrupt")["error"] == "loading it ends the process with code 7"


def test_what_is_disabled_is_not_imported_until_it_is_enabled(mm: Mm, loud: Path) -> None:
    done = plugins(mm, "disable", "loud")
    assert (done.code, done.out, done.err) == (0, "", "")
    found = facts(mm, "list", "loud")
    assert (found["state"], found["disabled_by"].endswith("disabled_plugins.txt")) == (
        "disabled",
        True,
    )
    assert mm.run("config", "show").err == ""
    assert not loud.exists()
    assert plugins(mm, "enable", "loud").code == 0
    assert facts(mm, "list", "loud")["state"] == "enabled"
    assert "plugin loud is left out: RuntimeError: no luck" in mm.run("config", "show").err


def test_one_that_settings_disable_stays_so_and_that_is_told(mm: Mm, loud: Path) -> None:
    config = mm.cwd / "more.yaml"
    config.write_text("disabled_plugins: [loud]\n")
    done = mm.run("--config", str(config), "plugins", "enable", "loud")
    assert (done.code, done.err) == (2, f"mm: loud is still disabled by {config}\n")


@pytest.mark.parametrize("command", ["why", "disable"])
def test_a_plugin_that_is_not_installed_is_named(mm: Mm, command: str) -> None:
    done = plugins(mm, command, "nothing")
    assert (done.code, done.out) == (2, "")
    assert done.err == "mm: no plugin 'nothing' is installed; `mm plugins list` shows them\n"


def test_broken_settings_keep_no_command_away(mm: Mm, loud: Path) -> None:
    (mm.cwd / ".mm" / "config.yaml").write_text("modle: x\n")
    done = plugins(mm, "list")
    assert done.code == 0
    assert "loud" in done.out
    assert "did you mean model?" in done.err
    assert plugins(mm, "disable", "loud").code == 0
