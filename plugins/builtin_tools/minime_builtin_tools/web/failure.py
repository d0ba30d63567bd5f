"""Why a page could not be had, by a code that tells the model what to do."""

from __future__ import annotations

from enum import IntEnum


class Code(IntEnum):
    """The kind of a failure."""

    CANNOT_CONVERT = 1
    CANNOT_REACH = 2
    WRONG_ARGUMENT = 3


_MEANINGS = {
    Code.CANNOT_CONVERT: "cannot convert",
    Code.CANNOT_REACH: "cannot reach",
    Code.WRONG_ARGUMENT: "wrong argument, correct the call",
}


class FetchFailed(Exception):
    """A page cannot be had; the message says why, for the model."""

    def __init__(self, code: Code, reason: str) -> None:
        super().__init__(reason)
        self.code = code

    def __str__(self) -> str:
        return f"error {self.code.value} ({_MEANINGS[self.code]}): {self.args[0]}"
