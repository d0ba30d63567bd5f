"""What a site lets programs read: `robots.txt` as in RFC 9309.

Python's own parser knows neither `*` and `$` in paths nor that the longest rule counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote, unquote

MAX_BYTES = 500 << 10
"""Bytes that are read, as the RFC demands."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A path pattern, and whether what it fits may be read."""

    pattern: str
    allows: bool

    def fits(self, target: str) -> bool:
        """Return whether the pattern fits the beginning of `target`, in linear time."""
        pattern, is_anchored = self.pattern.removesuffix("$"), self.pattern.endswith("$")
        first, *others = pattern.split("*")
        if not target.startswith(first):
            return False
        position = len(first)
        for number, piece in enumerate(others, 1):
            if is_anchored and number == len(others):
                return len(target) - len(piece) >= position and target.endswith(piece)
            found = target.find(piece, position)
            if found < 0:
                return False
            position = found + len(piece)
        return not is_anchored or position == len(target)


class Robots:
    """The rules of one site for one program.

    agent: the program's name, in lower case.
    """

    def __init__(self, text: str, agent: str) -> None:
        ours: list[Rule] = []
        everybody: list[Rule] = []
        is_named = False
        for names, rules in _groups(text):
            if agent in names:
                is_named = True
                ours += rules
            if "*" in names:
                everybody += rules
        self._rules = ours if is_named else everybody

    def allows(self, target: str) -> bool:
        """Return whether the path and query `target` may be read."""
        target = _normal(target)
        fitting = [rule for rule in self._rules if rule.fits(target)]
        if not fitting:
            return True
        return max(fitting, key=lambda rule: (len(rule.pattern), rule.allows)).allows


def _groups(text: str) -> Iterator[tuple[set[str], list[Rule]]]:
    names: set[str] = set()
    rules: list[Rule] = []
    has_rules = False
    for line in text.removeprefix("\N{BYTE ORDER MARK}").splitlines():
        key, colon, value = line.partition("#")[0].partition(":")
        key, value = key.strip().lower(), value.strip()
        if not colon:
            continue
        if key == "user-agent":
            if has_rules:
                yield names, rules
                names, rules, has_rules = set(), [], False
            names.add(value.lower())
        elif key in ("allow", "disallow"):
            has_rules = True
            if value:
                rules.append(Rule(_normal(value), key == "allow"))
    yield names, rules


def _normal(path: str) -> str:
    """Return `path` with each character in the one form that can be compared."""
    plain = unquote(path, errors="surrogateescape")
    return quote(plain, safe="/?:@!$&'()*+,;=-._~[]", errors="surrogateescape")
