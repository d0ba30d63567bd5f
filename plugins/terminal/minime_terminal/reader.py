"""How the terminal asks the user for text, whatever kind of terminal it is."""

from __future__ import annotations

from typing import Protocol


class Interrupted(Exception):
    """The user pressed Ctrl-C; `text` is what stood in the line."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.text = text


class Reader(Protocol):
    """Reads from the user. Both methods raise Interrupted, and EOFError at the end of the input."""

    async def question(self) -> str:
        """Return the next question to the model, or command."""

    async def answer(self, prompt: str, text: str = "") -> str:
        """Return the answer to a question of ours; what was typed before it came is dropped.

        text: what the user may change.
        """
