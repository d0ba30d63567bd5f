"""Tell binary data from text, by content and never by name."""

from __future__ import annotations

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF87a", "GIF image"),
    (b"GIF89a", "GIF image"),
    (b"%PDF-", "PDF document"),
    (b"PK\x03\x04", "ZIP archive"),
    (b"\x1f\x8b", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"\xfd7zXZ\x00", "xz archive"),
    (b"\x28\xb5\x2f\xfd", "Zstandard archive"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (b"\x7fELF", "ELF program"),
    (b"MZ", "Windows program"),
    (b"\xca\xfe\xba\xbe", "Java class or macOS program"),
    (b"\xcf\xfa\xed\xfe", "macOS program"),
    (b"\x00asm", "WebAssembly module"),
    (b"SQLite format 3\x00", "SQLite database"),
    (b"GGUF", "GGUF model"),
    (b"wOFF", "font"),
    (b"wOF2", "font"),
    (b"OggS", "Ogg audio or video"),
    (b"ID3", "MP3 audio"),
    (b"RIFF", "RIFF audio, video or image"),
)
"""First bytes of common formats, from their specifications and the `file` database."""

_TEXT_CONTROLS = b"\t\n\r\f\b\x1b"
_CONTROLS = bytes(set(range(32)) - set(_TEXT_CONTROLS)) + b"\x7f"

_SAMPLE = 65_536
"""Bytes in which control characters are counted."""

_MAX_CONTROLS = 0.05
"""Share of control characters in text that is not UTF-8. Random bytes have 0.1, latin-1 none."""


def binary_kind(data: bytes) -> str | None:
    """Return what kind of binary `data` is, None if it is text.

    NUL makes it binary. So do many control characters, if it is not valid UTF-8 either; and a
    PDF is binary even where it is ASCII.
    """
    if b"\0" in data or data.startswith(b"%PDF-") or _is_garbled(data):
        return next((kind for start, kind in _SIGNATURES if data.startswith(start)), "binary data")
    return None


def _is_garbled(data: bytes) -> bool:
    sample = data[:_SAMPLE]
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if controls <= len(sample) * _MAX_CONTROLS:
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False
