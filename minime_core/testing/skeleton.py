"""The skeleton of a plugin: a project with one tool and a test of it, to be changed at will."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from string import Template

from minime_core.errors import UserError

_FILES = {
    "pyproject.toml": """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "mm-plugin-$dashed"
version = "0.1.0"
description = "A plugin for Mini Me"
readme = "README.md"
requires-python = ">=3.11"
# What it was made for; see the compatibility policy of Mini Me.
dependencies = ["mini-me>=$least,<$most"]

[project.optional-dependencies]
dev = ["pytest>=8.3"]

[project.entry-points.minime]
$name = "mm_plugin_$name"

[tool.hatch.build.targets.wheel]
packages = ["mm_plugin_$name"]

[tool.pytest.ini_options]
testpaths = ["tests"]
pythonpath = ["."]
""",
    "README.md": """\
# mm-plugin-$dashed

    pip install mm-plugin-$dashed
    mm plugins why $name

To work on it:

    pip install -e '.[dev]'
    pytest
""",
    "mm_plugin_$name/__init__.py": '''\
"""The plugin `$name` of Mini Me."""

from __future__ import annotations

from collections.abc import Iterator

from minime_core import Tool, hookimpl


@hookimpl
def mm_register_tools() -> Iterator[Tool]:
    # Imported here and not above: `mm --version` loads plugins too.
    from mm_plugin_$name.tools import count_words

    yield count_words
''',
    "mm_plugin_$name/tools.py": '''\
"""Tools for the model."""

from __future__ import annotations

from minime_core import ToolContext, ToolResult, tool


@tool(effects={"read"}, kind="read")
def count_words(path: str, context: ToolContext) -> str | ToolResult:
    """Count the words of a text file."""
    try:
        text = context.resolve(path).read_text()
    except OSError as error:
        # Not an exception: what failed, as text that the model can act on.
        return ToolResult(text=f"[count_words: cannot read {path}: {error.strerror}]", ok=False)
    return str(len(text.split()))
''',
    "tests/conftest.py": """\
pytest_plugins = ["minime_core.testing.pytest_plugin"]
""",
    "tests/test_$name.py": """\
from __future__ import annotations

from pathlib import Path

import mm_plugin_$name
from minime_core.testing import ask_scripted, tool_call


def test_the_words_of_a_file_are_counted(mm_home: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("one two three")
    turn = ask_scripted(
        [tool_call("count_words", {"path": "notes.txt"}), "Three words."],
        "How long are my notes?",
        plugins=[mm_plugin_$name],
        cwd=tmp_path,
    )
    assert turn.results == ["3"]
    assert turn.answer == "Three words."


def test_a_missing_file_is_told_to_the_model(mm_home: Path, tmp_path: Path) -> None:
    turn = ask_scripted(
        [tool_call("count_words", {"path": "nothing.txt"}), "It is not there."],
        plugins=[mm_plugin_$name],
        cwd=tmp_path,
    )
    assert turn.results == ["[count_words: cannot read nothing.txt: No such file or directory]"]
""",
}


def write_skeleton(name: str, folder: Path) -> Iterator[Path]:
    """Write the project `mm-plugin-NAME` into `folder`, and yield the path of each file.

    name: small letters, digits, `-` and `_`, a letter first.

    Raises UserError for another name, for a project that is there already, and when nothing can be
    written.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*", name):
        raise UserError(f"{name!r} cannot be a plugin's name: use small letters, digits and `-`")
    least = version("mini-me").rpartition(".")[0]
    major, _, minor = least.partition(".")
    words = {
        "name": name.replace("-", "_"),
        "dashed": name.replace("_", "-"),
        "least": least,
        "most": f"{major}.{int(minor) + 1}" if major == "0" else str(int(major) + 1),
    }
    project = folder / f"mm-plugin-{words['dashed']}"
    try:
        project.mkdir()
        for pattern, text in _FILES.items():
            path = project / Template(pattern).substitute(words)
            path.parent.mkdir(exist_ok=True)
            path.write_text(Template(text).substitute(words))
            yield path
    except FileExistsError as error:
        raise UserError(f"{project} exists already; it is left as it is") from error
    except OSError as error:
        raise UserError(f"cannot write {error.filename}: {error.strerror}") from error
