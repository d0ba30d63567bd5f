"""One line for the user on stderr, whatever it holds."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    """Print `text` as one line; a server's or plugin's words in it cannot steer the terminal."""
    if sys.stderr is not None:
        try:
            print(f"mm: {one_line(text)}", file=sys.stderr, flush=True)
        except OSError:
            pass  # Nobody reads stderr any more.


def one_line(text: str) -> str:
    """Return `text` as one line without what a terminal would obey."""
    line = " ".join(part.strip() for part in text.splitlines())
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)
