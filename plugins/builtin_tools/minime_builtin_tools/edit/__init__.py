"""The edit engine: a tolerant but safe search and replace for what a small model sends.

`read_regular` and `decode` give the text of a file, `apply` edits it or says why not, and
`TextFile.encode` and `write_atomic` put it back.
"""

from __future__ import annotations

from .engine import MAX_EDITS, EditOutcome, apply
from .files import MAX_BYTES, FileRefused, read_regular, write_atomic
from .matching import Pass
from .resolution import Resolved
from .textfile import CannotEncode, NotText, TextFile, decode

__all__ = [
    "MAX_BYTES",
    "MAX_EDITS",
    "CannotEncode",
    "EditOutcome",
    "FileRefused",
    "NotText",
    "Pass",
    "Resolved",
    "TextFile",
    "apply",
    "decode",
    "read_regular",
    "write_atomic",
]
