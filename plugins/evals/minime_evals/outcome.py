"""How a case can end, and the line that says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from minime_evals.cases import Case

Kind = Literal["hit", "wrong", "miss", "extra", "error"]

MARKS: dict[Kind, str] = {"hit": "✓", "wrong": "≠", "miss": "·", "extra": "!", "error": "✗"}
"""In the order in which they are counted.

hit: the skill that was wanted, or rightly none. wrong: another one, which the catalogue is to blame
for. miss: none where one was wanted, which the prompt is to blame for. extra: one where none was
wanted. error: the turn failed, which says nothing of routing.
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one case.

    got: the skill that was loaded, in lower case; None for none.
    seconds: wall time.
    error: what failed.
    """

    case: Case
    got: str | None
    seconds: float
    error: str = ""

    @property
    def kind(self) -> Kind:
        if self.error:
            return "error"
        if self.got == (self.case.want and self.case.want.casefold()):
            return "hit"
        if self.got is None:
            return "miss"
        return "extra" if self.case.want is None else "wrong"

    def row(self, number: int, total: int) -> str:
        """Return the line of the table for case `number` of `total`."""
        width = len(str(total))
        text = (
            f"[{number:>{width}}/{total}] {MARKS[self.kind]} {self.kind:<5} "
            f"want={self.case.want or '(none)':<15} got={_shown(self.got or '(none)'):<15} "
            f'{self.seconds:6.1f} s  "{self.case.prompt}"'
        )
        about = _shown(self.error) or self.case.note
        return f"{text}  ← {about}" if about else text

    def plain(self) -> dict[str, Any]:
        """Return the outcome as it is saved."""
        plain = {
            "prompt": self.case.prompt,
            "want": self.case.want,
            "got": self.got,
            "kind": self.kind,
            "seconds": round(self.seconds, 3),
        }
        return {**plain, "error": self.error} if self.error else plain


def _shown(text: str) -> str:
    """Return what a model or a server wrote as one line that cannot steer the terminal."""
    line = " ".join(text.split())[:200]
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)


def summary(kinds: Iterable[str]) -> str:
    """Return one line that counts outcomes."""
    counts = Counter(kinds)
    total = counts.total()
    shown = [kind for kind in MARKS if counts[kind] or kind == "hit"]
    counted = " · ".join(f"{kind} {counts[kind]}" for kind in shown)
    share = f"  {100 * counts['hit'] // total} % right" if total else ""
    return f"{total} cases · {counted}{share}"
