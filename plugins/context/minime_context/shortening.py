"""Cutting one message that is too long by itself."""

from __future__ import annotations

from dataclasses import replace

from minime_context.sizes import text_bytes
from minime_core.bounds import bound
from minime_core.messages import Message

LEAST = 400
"""Characters that are left of a message at least."""


def shortened(message: Message, less: int) -> Message | None:
    """Return `message` with `less` bytes less of text, or as many as can be; None for none."""
    size = text_bytes(message.text)
    share = max(size - less, 0) / max(size, 1)
    limit = max(int(len(message.text) * share), LEAST)
    text = bound(message.text, limit)
    return replace(message, text=text) if text_bytes(text) < size else None
