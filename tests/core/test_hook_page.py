"""The page of hooks says what `hookspecs` says, and its example works."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from types import ModuleType

import pytest

from minime_core.testing import ask_scripted, text, tool_call

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "hooks.md").read_text()
SOURCE = ast.parse((ROOT / "minime_core" / "hookspecs.py").read_text())
HOOKS = [node for node in SOURCE.body if isinstance(node, ast.FunctionDef)]


def signature(hook: ast.FunctionDef) -> str:
    assert hook.returns is not None
    arguments = ", ".join(map(ast.unparse, hook.args.args))
    return f"{hook.name}({arguments}) -> {ast.unparse(hook.returns)}"


def words(written: str) -> str:
    """Return a text without its marks and line ends."""
    return " ".join(re.sub(r":param (\w+):|^- `(\w+)`:", r"\1\2", written, flags=re.M).split())


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook.name)
def test_each_hook_has_its_heading_signature_and_words(hook: ast.FunctionDef) -> None:
    section = PAGE.partition(f"## `{hook.name}`\n\n")[2].partition("\n## ")[0]
    shown, _, said = section.partition("\n\n")
    assert shown.strip() == signature(hook)
    assert words(said) == words(ast.get_docstring(hook) or "")


def test_the_diagram_has_every_hook_and_the_page_no_other() -> None:
    diagram = PAGE.partition("## When each is called")[2].partition("## `mm_")[0]
    names = {hook.name for hook in HOOKS}
    assert set(re.findall(r"mm_\w+", diagram)) == names
    assert re.findall(r"^## `(\w+)`", PAGE, re.MULTILINE) == [hook.name for hook in HOOKS]


def test_the_example_is_a_plugin() -> None:
    plugin = ModuleType("mm_plugin_example")
    exec(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0], plugin.__dict__)
    done = ask_scripted(
        [tool_call("count_words", {"text": "one two"}), text("Two.")], plugins=[plugin]
    )
    assert done.answer == "Two."
    assert done.results == ["2"]
