"""A text divided into what is text and what is a call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from minime_core.formats import ToolFormat
from minime_core.messages import ToolCall
from minime_tool_formats.markdown import Place

Accept = Callable[[ToolCall], ToolCall | None]
"""Returns a call as it shall be made, None for one that cannot be."""


class Kind(Enum):
    """What a part of a text is."""

    TEXT = "text"
    CALL = "calls that can be made"
    BROKEN = "calls that cannot be made"
    UNDECIDED = "what more text will decide"


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a text, and the place at which it begins."""

    kind: Kind
    text: str
    place: Place
    calls: tuple[ToolCall, ...] = ()
    syntax: ToolFormat | None = None
