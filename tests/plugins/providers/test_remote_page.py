"""The page on remote models: its settings name the servers and keys that it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from minime_core.bundled import bundled
from minime_core.config import Config, Layer, read_yaml
from minime_core.profiles import Profiles
from minime_providers.presets import PRESETS
from minime_providers.resolve import resolve

PAGE = (Path(__file__).parents[3] / "docs" / "how-to" / "use-a-remote-model.md").read_text()


def test_every_service_is_in_the_table_with_its_key() -> None:
    rows = re.findall(r"^\| \w+ \| `(\w+)` \| `(\w+)` \|$", PAGE, re.MULTILINE)
    assert dict(rows) == {p.name: p.key_env for p in PRESETS.values() if p.key_env}


@pytest.mark.parametrize("settings", re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL))
def test_the_settings_on_the_page_name_a_server(settings: str, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(settings)
    values = read_yaml(tmp_path / "mine.yaml")
    layer = Layer("--profile", {"profile": "mine"})
    if "summary" not in values:
        layer = Layer("config.yaml", values)
    ref = resolve(Profiles([bundled("profiles"), tmp_path]).with_server(Config([layer])))
    assert ref.provider == values["provider"]
    assert ref.base_url == values.get("base_url", "")
    assert ref.model == values.get("model", "")
