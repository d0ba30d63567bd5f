"""The signs that the terminal draws with, in encodings that have them and in those that do not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """One character each, or a short word."""

    more: str
    call: str
    bar: str
    item: str
    line: str
    dot: str
    done: str
    failed: str
    thought: str
    cut: str
    tallies: dict[str, str]


UNICODE = Signs(
    more="·",
    call="●",
    bar="│",
    item="•",
    line="─",
    dot=" · ",
    done="✓",
    failed="✗",
    thought="✻",
    cut="…",
    tallies={"command": "⚙ ", "skill": "📖 "},
)
ASCII = Signs(
    more=".",
    call="*",
    bar="|",
    item="-",
    line="-",
    dot=", ",
    done="ok",
    failed="x",
    thought="~",
    cut="...",
    tallies={},
)


def signs_for(encoding: str) -> Signs:
    """Return the signs that a terminal of `encoding` can show."""
    try:
        "·●│•─✓✗✻…⚙📖".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return UNICODE
