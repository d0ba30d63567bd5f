"""Numbers as people read them."""

from __future__ import annotations


def tokens(count: int) -> str:
    """Return 950 as `950`, 12,040 as `12.0k`."""
    if count < 1000:
        return str(count)
    return f"{count / 1000:.1f}k" if count < 999_950 else f"{count / 1e6:.1f}M"


def size(count: int) -> str:
    """Return a number of bytes, as `800 B` or `1.2 kB`."""
    if count < 1000:
        return f"{count} B"
    return f"{count / 1000:.1f} kB" if count < 999_950 else f"{count / 1e6:.1f} MB"


def seconds(count: float) -> str:
    """Return a duration, as `0.8 s`, `48 s`, `2 min 5 s` or `1 h 20 min`."""
    return f"{count:.1f} s" if count < 9.95 else whole_seconds(count)


def whole_seconds(count: float) -> str:
    """Return a duration that changes while it is shown, as `0 s`, `48 s` or `2 min 5 s`."""
    whole = round(count)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def counted(count: int, noun: str) -> str:
    """Return `1 command`, `2 commands`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
