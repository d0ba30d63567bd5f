"""Which argument a name stands for that the tool does not have."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from difflib import SequenceMatcher

SYNONYMS = tuple(
    frozenset(group.split())
    for group in (
        "path file filename filepath targetfile target location",
        "command cmd shellcommand bashcommand commandline script",
        "content contents text data body filetext filecontent filecontents",
        "old oldstring oldstr oldtext search find original",
        "new newstring newstr newtext replace replacement replacewith",
        "start startline linestart firstline from fromline begin",
        "end endline lineend lastline to toline",
        "edits changes replacements modifications",
        "url uri link address href",
        "query q searchquery searchterm",
        "pattern regex regexp",
    )
)
"""Names that models give to the same argument, in small letters alone."""
MIN_LIKENESS = 0.75
"""Likeness of two names, from 0 to 1, that a slip of the pen leaves: `comand`, `file_pth`."""


def key(name: str) -> str:
    """Return what is the same for `filePath`, `file-path` and `file_path`."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def renamed(
    given: Iterable[str], known: Collection[str], required: Collection[str]
) -> dict[str, str]:
    """Return the argument that each unknown name of `given` surely stands for.

    known, required: the names that the tool has, and those that it cannot do without.
    """
    given = list(given)
    unknown = [name for name in given if name not in known]
    free = [name for name in known if name not in given]
    found: dict[str, str] = {}
    for name in unknown:
        fitting = [argument for argument in free if _is_same(name, argument)]
        if len(fitting) == 1:
            found[name] = fitting[0]
    found = {name: to for name, to in found.items() if [*found.values()].count(to) == 1}
    unknown = [name for name in unknown if name not in found]
    missing = [name for name in free if name in required and name not in found.values()]
    if len(unknown) == len(missing) == 1 and _likeness(unknown[0], missing[0]) >= MIN_LIKENESS:
        found[unknown[0]] = missing[0]
    return found


def with_names(value: Mapping[str, object], names: Mapping[str, str]) -> dict[str, object]:
    """Return `value` with its keys as `names` has them, in the same order."""
    return {names.get(name, name): item for name, item in value.items()}


def _is_same(one: str, other: str) -> bool:
    a, b = key(one), key(other)
    return a == b or any(a in group and b in group for group in SYNONYMS)


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, key(one), key(other)).ratio()
