"""What the project promises about itself: packaging, size, and the shape of its hooks."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
CORE = ROOT / "minime_core"
PACKAGES = sorted(ROOT.glob("plugins/*/minime_*"))
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
SOURCES = sorted(
    path
    for folder in (
        "minime_core",
        "minime_shared",
        "plugins",
        "tests",
        "benchmarks",
        "examples",
        "sdk",
    )
    for path in (ROOT / folder).rglob("*.py")
)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), path.name)


def statements(path: Path) -> int:
    """Count logical lines: no blank lines, comments, docstrings or imports.

    A statement counts once, however many lines the formatter gives it.
    """
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text()).readline)
    logical = sum(token.type == tokenize.NEWLINE for token in tokens)
    left_out = sum(
        isinstance(node, ast.Import | ast.ImportFrom)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for node in ast.walk(parsed(path))
    )
    return logical - left_out


# Packaging


def test_every_plugin_is_one_folder_with_one_package() -> None:
    folders = [path for path in (ROOT / "plugins").iterdir() if path.is_dir()]
    assert [p.parent for p in PACKAGES] == sorted(folders)
    for package in PACKAGES:
        assert package.name == f"minime_{package.parent.name}"
        assert (package / "__init__.py").is_file()
        assert (package / "py.typed").is_file()


def test_every_plugin_is_in_the_wheel() -> None:
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert sorted(wheel) == [
        "minime_core",
        "minime_shared",
        *(str(p.relative_to(ROOT)) for p in PACKAGES),
    ]


def test_every_plugin_is_found_by_its_entry_point() -> None:
    expected = {package.parent.name: package.name for package in PACKAGES}
    assert PROJECT["project"]["entry-points"]["minime"] == expected


def test_every_plugin_is_seen_by_the_tools() -> None:
    tools = PROJECT["tool"]
    folders = [str(package.parent.relative_to(ROOT)) for package in PACKAGES]
    names = [package.name for package in PACKAGES]
    assert sorted(tools["pytest"]["ini_options"]["pythonpath"]) == [
        ".",
        *folders,
        "sdk",
        "tests/faults",
        "tests/support",
    ]
    assert set(folders) < set(tools["mypy"]["mypy_path"].split(":"))
    roots = sorted(["minime_core", "minime_shared", *names])
    assert sorted(tools["importlinter"]["root_packages"]) == roots
    forbidden, _, independent, _ = tools["importlinter"]["contracts"]
    assert sorted(forbidden["forbidden_modules"]) == names
    assert sorted(independent["modules"]) == names


# Size


def test_the_core_is_small() -> None:
    # Without what frames it: the command line, and what tests are made with.
    modules = [path for path in CORE.rglob("*.py") if not {"cli", "testing"} & {*path.parts}]
    sizes = {path: statements(path) for path in modules}
    assert sum(sizes.values()) <= 2000, sorted(sizes.items(), key=lambda item: -item[1])[:10]


@pytest.mark.parametrize(("module", "most"), [("hookspecs", 250), ("loop", 200)])
def test_what_everybody_reads_is_short(module: str, most: int) -> None:
    assert len((CORE / f"{module}.py").read_text().splitlines()) <= most


def test_no_module_is_long() -> None:
    modules = [path for path in SOURCES if "tests" not in path.parts]
    assert [path for path in modules if len(path.read_text().splitlines()) > 500] == []


def test_no_module_is_a_heap() -> None:
    heaps = {"utils", "util", "helpers", "helper", "common", "misc"}
    assert [path for path in SOURCES if path.stem in heaps] == []


# Hooks and names


def hooks() -> list[ast.FunctionDef]:
    body = parsed(CORE / "hookspecs.py").body
    return [node for node in body if isinstance(node, ast.FunctionDef)]


@pytest.mark.parametrize("hook", hooks(), ids=lambda hook: hook.name)
def test_a_hook_is_named_documented_typed_and_has_no_defaults(hook: ast.FunctionDef) -> None:
    assert hook.name.startswith("mm_")
    assert ast.get_docstring(hook)
    assert hook.returns is not None
    assert all(argument.annotation for argument in hook.args.args)
    # pluggy passes all arguments always: a default would never be used.
    assert (hook.args.defaults, hook.args.kw_defaults, hook.args.kwonlyargs) == ([], [], [])
    assert any("hookspec" in ast.unparse(decorator) for decorator in hook.decorator_list)


def test_the_public_names_are_sorted_and_can_be_imported() -> None:
    core = import_module("minime_core")
    assert core.__all__ == sorted(core.__all__)
    for name in core.__all__:
        assert getattr(core, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'no_such_name'"):
        _ = core.no_such_name


def test_every_module_of_the_core_says_what_it_is() -> None:
    modules = [path for path in CORE.rglob("*.py") if parsed(path).body]
    assert [path for path in modules if not ast.get_docstring(parsed(path))] == []


def test_every_error_is_in_the_tree_that_the_docstring_draws() -> None:
    errors = parsed(CORE / "errors.py")
    drawn = [line.split() for line in (ast.get_docstring(errors) or "").splitlines()]
    names = {word for words in drawn for word in words}
    assert {node.name for node in errors.body if isinstance(node, ast.ClassDef)} <= names


# Pages


def pages() -> list[Path]:
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("sdk/*.md")])


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []
