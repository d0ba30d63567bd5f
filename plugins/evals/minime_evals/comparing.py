"""What moved between two saved evaluations."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from minime_core.errors import UserError
from minime_evals.outcome import MARKS, summary

FORMAT = "mini-me routing 1"
_CONDITIONS = ("provider", "model", "profile", "sampling", "thinking", "system_characters",
               "catalogue", "tools")  # fmt: skip


def load(path: Path) -> dict[str, Any]:
    """Return a saved evaluation. Raises UserError for anything else."""
    try:
        saved = json.loads(path.read_bytes())
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path} is not JSON") from error
    if not isinstance(saved, dict) or saved.get("format") != FORMAT or not _is_whole(saved):
        raise UserError(f"{path} is no result of `mm eval routing`")
    return saved


def _is_whole(saved: dict[str, Any]) -> bool:
    runs = saved.get("runs")
    if not isinstance(saved.get("about"), dict) or not isinstance(runs, list):
        return False
    rows = [row for run in runs if isinstance(run, list) for row in run]
    return all(isinstance(run, list) for run in runs) and all(
        isinstance(row, dict) and isinstance(row.get("prompt"), str) and row.get("kind") in MARKS
        for row in rows
    )


def compare(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """Yield the lines that say what differs, first in what was measured, then in the outcomes."""
    found = differences(before, after)
    for name, (old, new) in found["conditions"].items():
        # The catalogue is too long to be shown twice.
        yield f"differs: {name}" + ("" if name == "catalogue" else f": {old} → {new}")
    for prompt, (was, now) in found["outcomes"].items():
        yield f'{was} → {now}  "{prompt}"'
    yield f"before: {summary(_kinds(before))}"
    yield f"after:  {summary(_kinds(after))}"
    moved = _hits(after) - _hits(before)
    if 0 < abs(moved) <= 1:
        yield "One case is no difference: two evaluations of the same differ by as much."


def differences(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Return what differs, each as a pair: `conditions` of the runs, and `outcomes` by prompt."""
    abouts = before["about"], after["about"]
    conditions = {name: [about.get(name) for about in abouts] for name in _CONDITIONS}
    olds, news = _by_prompt(before), _by_prompt(after)
    outcomes = {
        prompt: [_shown(olds.get(prompt)), _shown(news.get(prompt))] for prompt in {**olds, **news}
    }
    return {
        "conditions": {name: pair for name, pair in conditions.items() if pair[0] != pair[1]},
        "outcomes": {prompt: pair for prompt, pair in outcomes.items() if pair[0] != pair[1]},
    }


def _by_prompt(saved: dict[str, Any]) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for run in saved["runs"]:
        for row in run:
            found.setdefault(row["prompt"], Counter())[row["kind"]] += 1
    return found


def _shown(kinds: Counter[str] | None) -> str:
    if kinds is None:
        return "(not asked)"
    if len(kinds) == 1:
        return next(iter(kinds))
    return " ".join(f"{kind}:{kinds[kind]}" for kind in MARKS if kinds[kind])


def _kinds(saved: dict[str, Any]) -> list[str]:
    return [row["kind"] for run in saved["runs"] for row in run]


def _hits(saved: dict[str, Any]) -> float:
    """Return the hits of an average run."""
    return _kinds(saved).count("hit") / max(len(saved["runs"]), 1)
