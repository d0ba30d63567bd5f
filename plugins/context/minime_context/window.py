"""The model's window: from the settings, from the server, or from what the server did."""

from __future__ import annotations

from minime_core.errors import ProviderError
from minime_core.session import Session
from minime_shared.origins import origins


class Window:
    """The window of a session's model, as far as it is known.

    was_asked: whether the server was asked since the session began.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._seen: tuple[int, str] | None = None
        self.was_asked = False

    @property
    def tokens(self) -> int | None:
        """Return its size, None when unknown. What the server showed counts when it is smaller."""
        told = self._session.window
        if self._seen is None:
            return told
        return self._seen[0] if told is None else min(told, self._seen[0])

    @property
    def origin(self) -> str:
        """Return how it is known, for the user; "" when it is not."""
        session = self._session
        if self._seen is not None and self.tokens == self._seen[0]:
            return self._seen[1]
        if session.settings.context_window:
            where = origins(session.config)["context_window"][1]
            return f"context_window in {where}"
        return session.info.window_origin

    @property
    def help(self) -> str:
        """Return how the user sees and sets it, as a clause; "" when the server was never up."""
        return self._session.info.window_help

    @property
    def refuses(self) -> bool:
        """Whether the server is known to refuse what is too long, as llama.cpp does."""
        return self._session.info.window_origin == "/props"

    async def ask(self) -> None:
        """Ask the server again. It may have come up, or loaded the model, since it was asked."""
        self.was_asked = True
        try:
            info = await self._session.provider.info()
        except ProviderError:
            # What is wrong will be told with the answer that does not come.
            return
        self._session.info = info

    def see(self, tokens: int, origin: str) -> None:
        """Note a window that the server showed by what it did; it counts if it is smaller."""
        if tokens > 0 and (self.tokens is None or tokens < self.tokens):
            self._seen = (tokens, origin)
