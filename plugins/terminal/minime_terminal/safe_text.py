"""Text of models, servers and tools as a terminal may have it: no control sequences, no tricks."""

from __future__ import annotations

import re

# Bidi overrides and isolates, line and paragraph separators, zero-width no-break space, interlinear
# marks, tags, halves of characters.
_TRICKS = (
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff"
)
_UNSEEN = re.compile(f"[{_TRICKS}]")
# C0 and C1 controls except tab and newline, and DEL too.
_UNSAFE = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_TRICKS}]")
_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "\u2421"}


def safe_text(text: str) -> str:
    """Return `text` with every control character replaced by a visible stand-in.

    A carriage return before a newline is dropped. Tabs and newlines stay.
    """
    if _UNSAFE.search(text) is None:
        return text
    text = text.replace("\r\n", "\n")
    return _UNSAFE.sub(lambda match: _PICTURES.get(ord(match[0]), "\ufffd"), text)


def seen_text(text: str) -> str:
    """Return `text`, as long as before, with a stand-in for what would change how it looks.

    Control characters stay: the input line shows them itself.
    """
    return _UNSEEN.sub("\ufffd", text)


def first_lines(text: str, count: int, width: int = 200) -> list[str]:
    """Return the first `count` lines of `text`, each cut to `width` characters, safe to print."""
    lines = safe_text(text[: count * 4096]).split("\n")
    shown = [line if len(line) <= width else f"{line[: width - 1]}…" for line in lines[:count]]
    left = text.rstrip("\n").count("\n") + 1 - count
    return [*shown, f"… {left} more lines"] if left > 0 else shown
