"""One line for the user on stderr, whatever it holds."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    """Print `text` as one line; a server's or plugin's words in it cannot steer the terminal."""
    line = " ".join(part.strip() for part in text.splitlines())
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)
    if sys.stderr is not None:
        try:
            print(f"mm: {shown}", file=sys.stderr, flush=True)
        except OSError:
            pass  # Nobody reads stderr any more.
