"""Tokens of a request: the server's last count, and an estimate of what has come since."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BYTES_PER_TOKEN = 3.5
"""What is assumed of a model that has not answered yet. English has about 4.4, code 3 to 3.5."""
LEAST_RATIO, MOST_RATIO = 1.5, 6.5
"""Bytes per token that texts have. More than that was not read, see `Meter.learn`."""
FEWEST = 4 * BYTES_PER_TOKEN
"""Bytes per token from which on a count is not believed: some servers leave out what was cached."""
MIN_SAMPLE = 400
"""Bytes that have to come in addition for a ratio to be learnt from them."""
FADING = 0.7
"""How much of what was learnt before stays when something new is learnt."""
MIN_TRUNCATED = 1000
"""Tokens below which a count is not what a server left over: half of the smallest windows."""
SHRUNK = 0.9
"""Part of the last count below which a longer request was cut."""

Verdict = Literal["good", "absurd", "truncated"]


@dataclass(frozen=True, slots=True)
class _Count:
    """What the server counted for a request of `size` bytes."""

    size: int
    tokens: int


class Meter:
    """Counts for one model, learnt from its server.

    bytes_per_token: what the texts of this session have.
    """

    def __init__(self) -> None:
        self.bytes_per_token = BYTES_PER_TOKEN
        self._last: _Count | None = None
        self._bytes = 0.0
        self._tokens = 0.0

    @property
    def is_exact(self) -> bool:
        """Whether the server has counted something."""
        return self._last is not None

    def tokens(self, size: int) -> int:
        """Return the tokens of a request of `size` bytes."""
        if self._last is None:
            return round(size / self.bytes_per_token)
        since = (size - self._last.size) / self.bytes_per_token
        return max(round(self._last.tokens + since), 1)

    def part(self, size: int) -> int:
        """Return the tokens of a part of a request."""
        return round(size / self.bytes_per_token)

    def bytes(self, tokens: float) -> int:
        """Return the bytes that so many tokens have."""
        return int(tokens * self.bytes_per_token)

    def learn(self, size: int, tokens: int, window: int | None, *, may_cut: bool) -> Verdict:
        """Note that the server counted `tokens` for a request of `size` bytes, if that can be.

        may_cut: whether the server may be one that drops the beginning of a long prompt without a
            word, as Ollama does: it then counts what is left, half a window or a whole one. Such a
            count, and one that is far too low, is not learnt from.
        """
        if tokens <= 0 or (window is not None and tokens > window):
            return "absurd"
        if may_cut and self._is_truncated(size, tokens):
            return "truncated"
        if may_cut and size > FEWEST * tokens:
            return "absurd"
        last, added = self._last, _Count(size, tokens)
        self._last = added
        if last is not None:
            added = _Count(size - last.size, tokens - last.tokens)
        if added.size >= MIN_SAMPLE and added.tokens > 0:
            self._sample(added)
        return "good"

    def correct(self, size: int, tokens: int) -> None:
        """Take a count for granted, such as one from a refusal."""
        # A token is a byte at least.
        self._last = _Count(size, max(min(tokens, size), 1))
        self._sample(self._last)

    def learn_text(self, size: int, tokens: int) -> None:
        """Note the tokens of a text that is no request."""
        if size >= MIN_SAMPLE and tokens > 0:
            self._sample(_Count(size, tokens))

    def _is_truncated(self, size: int, tokens: int) -> bool:
        if tokens < MIN_TRUNCATED:
            return False
        last = self._last
        if last is not None and size >= last.size and tokens < SHRUNK * last.tokens:
            return True
        return size / tokens > MOST_RATIO

    def _sample(self, count: _Count) -> None:
        self._bytes = self._bytes * FADING + count.size
        self._tokens = self._tokens * FADING + count.tokens
        ratio = self._bytes / self._tokens
        self.bytes_per_token = min(max(ratio, LEAST_RATIO), MOST_RATIO)
