"""Everything public is documented: in the source, and by its first sentence on the page."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

import minime_core
import minime_core.testing
from minime_core import HOMES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "api.md").read_text()
PLACES = [(name, home) for home, names in HOMES.items() for name in names.split()]


def documentation(name: str, home: str) -> str:
    """Return what the source says of a name: its docstring, or the text below its assignment."""
    body = ast.parse((ROOT / "minime_core" / f"{home.replace('.', '/')}.py").read_text()).body
    for node, below in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name == name:
                return ast.get_docstring(node) or ""
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and target.id == name:
                assert isinstance(below, ast.Expr), f"{name} has no text below it"
                return inspect.cleandoc(str(ast.literal_eval(below.value)))
    raise AssertionError(f"{name} is not defined in {home}")


def first_sentence(text: str) -> str:
    paragraph = " ".join(text.partition("\n\n")[0].split())
    return re.split(r"(?<=\.) (?=[A-Z`])", paragraph)[0]


@pytest.mark.parametrize(("name", "home"), PLACES)
def test_a_public_name_is_on_the_page_with_its_first_sentence(name: str, home: str) -> None:
    assert f"| `{name}` | {first_sentence(documentation(name, home))} |" in PAGE


def test_the_page_has_no_other_names() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert sorted(rows) == sorted([*minime_core.__all__, *minime_core.testing.__all__])


@pytest.mark.parametrize("name", minime_core.testing.__all__)
def test_what_tests_are_made_with_is_on_the_page(name: str) -> None:
    kept = getattr(minime_core.testing, name)
    if inspect.isclass(kept) or inspect.isfunction(kept):
        assert f"| `{name}` | {first_sentence(inspect.getdoc(kept) or '')} |" in PAGE
    assert f"| `{name}` |" in PAGE


@pytest.mark.parametrize("name", minime_core.__all__)
def test_every_method_of_a_public_class_is_documented(name: str) -> None:
    kept = getattr(minime_core, name)
    if inspect.isclass(kept):
        public = {key: value for key, value in vars(kept).items() if not key.startswith("_")}
        methods = {
            key: value
            for key, value in public.items()
            if inspect.isfunction(value) or isinstance(value, property | classmethod | staticmethod)
        }
        # A dataclass keeps the defaults of its fields, which are functions too, in the class.
        fields = getattr(kept, "__dataclass_fields__", {})
        bare = [key for key in methods if key not in fields and not inspect.getdoc(methods[key])]
        assert bare == []


@pytest.mark.parametrize("name", [n for n in minime_core.__all__ if n[0].islower()])
def test_a_public_function_says_what_it_does_and_what_it_raises(name: str) -> None:
    function = getattr(minime_core, name)
    text = inspect.getdoc(function) or ""
    if name == "hookimpl":  # pluggy's
        return
    assert re.search(r"\b(Return|Make|Find|Describe|Answer)", text)
    if re.search(r"^\s+raise \w*Error", inspect.getsource(function), re.MULTILINE):
        assert "Raises" in text
