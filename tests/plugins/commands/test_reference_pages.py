"""The reference pages say what there is."""

from __future__ import annotations

from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from minime_core.bundled import bundled
from minime_core.flat_keys import FOREIGN, PLACES
from minime_core.plugins import PluginInfo, discover
from minime_core.settings import Settings

DOCS = Path(__file__).parents[3] / "docs"


def rows(declared: Any) -> list[str]:
    """Return the ends of the rows that a class of settings has on the page."""
    return [
        f"| {field.metadata['help']}."
        + (" **Guarded.**" if field.metadata["guarded"] and declared is Settings else "")
        + " |"
        for field in fields(declared)
    ]


def section(name: str) -> list[str]:
    """Return the rows of the section `name`, with the name of each and its text."""
    page = (DOCS / "reference/settings.md").read_text()
    part = page.partition(f"### `{name}`\n")[2].partition("\n#")[0]
    return [line for line in part.splitlines() if line.startswith("| `")]


def test_every_setting_is_on_the_page() -> None:
    page = (DOCS / "reference/settings.md").read_text().splitlines()
    for field, end in zip(fields(Settings), rows(Settings), strict=True):
        row = next(row for row in page if row.startswith(f"| `{field.name}` |"))
        assert row.endswith(end)


@pytest.mark.parametrize(
    "info", [info for info in discover() if info.builtin], ids=lambda info: info.name
)
def test_every_setting_of_a_plugin_is_in_its_section(info: PluginInfo) -> None:
    plugin = import_module(info.module)
    if not hasattr(plugin, "mm_config_model"):
        assert section(info.name) == []
        return
    module, _, name = plugin.mm_config_model().partition(":")
    declared = getattr(import_module(module), name)
    found = section(info.name)
    assert [row.split("|")[1].strip(" `") for row in found] == [f.name for f in fields(declared)]
    assert all(map(str.endswith, found, rows(declared)))


def test_every_shipped_skill_is_on_the_page() -> None:
    page = (DOCS / "reference/skills.md").read_text()
    for path in bundled("skills").glob("*/SKILL.md"):
        assert path.parent.name in page


def test_every_key_of_the_go_program_is_on_the_page() -> None:
    page = (DOCS / "how-to/use-an-agent-yaml.md").read_text()
    for name in [*PLACES, *FOREIGN]:
        first, *others = name.split("_")
        assert f"`{first}{''.join(map(str.title, others))}`" in page
