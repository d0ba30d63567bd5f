"""Which outputs to put stubs in place of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from minime_context.conversation import Entry
from minime_context.sizes import text_bytes
from minime_context.stubs import stub
from minime_core.records import Edit
from minime_core.tools import Tool

LEAST_GAIN = 200
"""Bytes that a stub has to save to be worth what the model forgets."""


@dataclass(frozen=True, slots=True)
class Masking:
    """Outputs to mask.

    gain: bytes that this saves.
    """

    edits: tuple[Edit, ...] = ()
    gain: int = 0


def oldest_first(entries: Sequence[Entry], tools: Mapping[str, Tool], wanted: int) -> Masking:
    """Return as many of the outputs in `entries` as save `wanted` bytes, or all that save some."""
    edits: list[Edit] = []
    gain = 0
    for entry in entries:
        if gain >= wanted:
            break
        if entry.call is None or not entry.is_alone:
            continue
        size = text_bytes(entry.message.text)
        if size <= LEAST_GAIN:
            continue
        short = stub(entry.call, entry.message, tools)
        saved = size - text_bytes(short.text)
        if saved >= LEAST_GAIN:
            edits.append(Edit(first=entry.number, last=entry.number, messages=(short,)))
            gain += saved
    return Masking(tuple(edits), gain)
