"""The reference pages say what there is."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from minime_core.bundled import bundled
from minime_core.flat_keys import FOREIGN, PLACES
from minime_core.settings import Settings
from minime_prompt.settings import PromptSettings
from minime_skills.settings import SkillSettings

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("declared", [Settings, PromptSettings, SkillSettings])
def test_every_setting_is_on_the_page(declared: Any) -> None:
    rows = (DOCS / "reference/settings.md").read_text().splitlines()
    for field in fields(declared):
        guarded = " **Guarded.**" if field.metadata["guarded"] and declared is Settings else ""
        row = next(row for row in rows if row.startswith(f"| `{field.name}` |"))
        assert row.endswith(f"| {field.metadata['help']}.{guarded} |")


def test_every_shipped_skill_is_on_the_page() -> None:
    page = (DOCS / "reference/skills.md").read_text()
    for path in bundled("skills").glob("*/SKILL.md"):
        assert path.parent.name in page


def test_every_key_of_the_go_program_is_on_the_page() -> None:
    page = (DOCS / "how-to/use-an-agent-yaml.md").read_text()
    for name in [*PLACES, *FOREIGN]:
        first, *others = name.split("_")
        assert f"`{first}{''.join(map(str.title, others))}`" in page
