"""The cases of the routing evaluation: requests, and the skill that each should load."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from minime_core.errors import UserError

SHIPPED = Path(__file__).with_name("routing_cases.yaml")
_KEYS = {"prompt", "want", "pair", "by"}


@dataclass(frozen=True, slots=True)
class Case:
    """One request.

    want: the skill; None when none should be loaded.
    note: what the case is one half of, for the reader of the table.
    """

    prompt: str
    want: str | None
    note: str = ""


def read_cases(path: Path) -> list[Case]:
    """Return the cases of a YAML file: a list of `prompt`, `want`, and if it is one, the `pair`.

    Raises UserError that says which case is wrong.
    """
    import yaml

    try:
        values = yaml.safe_load(path.read_bytes())
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    except (yaml.YAMLError, ValueError, TypeError, LookupError, RecursionError) as error:
        raise UserError(f"{path} is not YAML: {' '.join(str(error).split())[:200]}") from error
    if not isinstance(values, list) or not values:
        raise UserError(f"{path} has to be a list of cases, each with `prompt` and `want`")
    return [_case(value, f"{path}, case {number}") for number, value in enumerate(values, 1)]


def _case(value: Any, where: str) -> Case:
    if not isinstance(value, dict) or not {"prompt", "want"} <= {*value} <= _KEYS:
        raise UserError(f"{where}: it needs `prompt` and `want`, and may have `pair` and `by`")
    prompt, want = value["prompt"], value["want"]
    if not isinstance(prompt, str) or not prompt.strip():
        raise UserError(f"{where}: prompt has to be text")
    if want is not None and not isinstance(want, str):
        raise UserError(f"{where}: want has to be the name of a skill, or null for none")
    pair = f"pair {value['pair']}" if "pair" in value else ""
    note = f"{pair}, by {value['by']}" if pair and "by" in value else pair
    return Case(prompt.strip(), want, note)


def wanted(cases: Iterable[Case]) -> list[str]:
    """Return the skills that `cases` want, each once, sorted."""
    return sorted({case.want for case in cases if case.want is not None})
