"""The page on the window says what there is."""

from __future__ import annotations

from pathlib import Path

from minime_context.settings import ContextSettings
from minime_core.bounds import LEAST_OUTPUT, MOST_OUTPUT
from minime_providers.presets import PRESETS

PAGE = (Path(__file__).parents[3] / "docs/explanation/context.md").read_text()


def test_it_tells_of_each_server_how_the_window_is_seen_and_set() -> None:
    rows = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| `")]
    told = {name.strip("`"): how for name, _, how in rows}
    assert told == {name: preset.window_help for name, preset in PRESETS.items()}


def test_its_numbers_hold() -> None:
    assert f"between {LEAST_OUTPUT:,} and\n  {MOST_OUTPUT:,} characters" in PAGE
    assert ContextSettings().keep_last_turns == 3
    assert "The last three stay as they are" in PAGE
