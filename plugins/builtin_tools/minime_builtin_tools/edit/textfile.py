"""Bytes to text and back, without a byte changed where no character changed."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from .binary import binary_kind

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class NotText(Exception):
    """The content is binary; the message names its kind."""


class CannotEncode(Exception):
    """The encoding of the file has no such character; the message says which, for the model."""


@dataclass(frozen=True)
class TextFile:
    """The text of a file and how it is stored. Line endings are part of the text."""

    text: str
    encoding: str = "utf-8"
    bom: bytes = b""

    @property
    def note(self) -> str | None:
        """What the model should know about the encoding; None for UTF-8."""
        if self.encoding == "latin-1":
            return "not valid UTF-8, read and written as latin-1"
        return None if self.encoding == "utf-8" else self.encoding.upper()

    def encode(self, text: str) -> bytes:
        """Return the bytes of `text` in the encoding of this file.

        :raises CannotEncode: if it holds a character that the file cannot hold
        """
        at = text.find("\0")
        if at >= 0:
            raise CannotEncode(_complaint(text, at, "a text file"))
        try:
            return self.bom + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise CannotEncode(_complaint(text, error.start, self.encoding)) from None


def _complaint(text: str, at: int, where: str) -> str:
    line = text.count("\n", 0, at) + 1
    name = f"U+{ord(text[at]):04X}"
    shown = f"{text[at]} ({name})" if text[at].isprintable() else name
    return f"line {line} of the new text holds {shown}, which {where} cannot hold: leave it out"


def decode(data: bytes) -> TextFile:
    """Read `data` as text: UTF-8, UTF-16 with byte order mark, or else latin-1.

    :raises NotText: if it is binary, judged by its content
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            text = _try(data[len(bom) :], encoding)
            if text is not None and "\0" not in text:
                return TextFile(text, encoding, bom)
    kind = binary_kind(data)
    if kind:
        raise NotText(kind)
    text = _try(data, "utf-8")
    if text is not None:
        return TextFile(text)
    return TextFile(data.decode("latin-1"), "latin-1")


def _try(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None
