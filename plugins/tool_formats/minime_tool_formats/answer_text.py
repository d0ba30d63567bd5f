"""The text of one answer on its way to the user."""

from __future__ import annotations

from minime_tool_formats.finder import Finder, Found


class AnswerText:
    """Passes text on, but for what the finder holds back.

    is_json: whether the server was told to answer with a JSON object, which is left alone.
    """

    def __init__(self, finder: Finder, *, is_json: bool) -> None:
        self._finder: Finder | None = finder
        self._may_be_json = is_json
        self._shown: list[str] = []
        self.was_fed = False

    @property
    def shown(self) -> str:
        """All that was passed on so far."""
        return "".join(self._shown)

    def feed(self, piece: str) -> str:
        """Return what can be shown after `piece`."""
        self.was_fed = True
        if self._may_be_json and (start := piece.lstrip()):
            self._may_be_json = False
            if start[0] == "{":
                piece = self.give_up() + piece
        shown = self._finder.feed(piece) if self._finder else piece
        self._shown.append(shown)
        return shown

    def give_up(self) -> str:
        """Return all that is held back, and hold back nothing from now on."""
        held = self._finder.release() if self._finder else ""
        self._finder = None
        self._shown.append(held)
        return held

    def end(self) -> Found:
        """Return what came of the text that is still held back."""
        return self._finder.end() if self._finder else Found()
