"""A JSON string decoded while it is written."""

from __future__ import annotations

import re

_SIMPLE = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_PLAIN = re.compile(r'[^"\\]+')
_UNIT = re.compile(r"\\u([0-9a-fA-F]{4})")
_UNIT_LENGTH = len(r"\ud83d")


class StringDecoder:
    """Decodes a string from behind its opening quote; line ends may stand in it as they are.

    is_closed: whether the closing quote was read; what follows it is not looked at.
    """

    def __init__(self) -> None:
        self.is_closed = False
        self._rest = ""

    def feed(self, piece: str) -> str:
        """Return the characters that are known after `piece`; half an escape waits for the rest."""
        text, at = self._rest + piece, 0
        decoded: list[str] = []
        while at < len(text) and not self.is_closed:
            if plain := _PLAIN.match(text, at):
                character, end = plain[0], plain.end()
            elif text[at] == '"':
                self.is_closed = True
                break
            else:
                character, end = _escaped(text, at)
                if end > len(text):
                    break
            decoded.append(character)
            at = end
        self._rest = text[at:]
        return "".join(decoded)


def _escaped(text: str, at: int) -> tuple[str, int]:
    """Return the character of the escape at `at` and its end, which is beyond `text` if it is cut.

    What is no escape stands for itself; half a pair of surrogates is replaced.
    """
    kind = text[at + 1 : at + 2]
    if kind != "u":
        return _SIMPLE.get(kind, f"\\{kind}"), at + 2
    unit = _UNIT.match(text, at)
    end = at + _UNIT_LENGTH
    if unit is None:
        return (r"\u", at + 2) if end <= len(text) else ("", end)
    code = int(unit[1], 16)
    if not 0xD800 <= code < 0xE000:
        return chr(code), end
    is_high = code < 0xDC00
    following = text[end : end + _UNIT_LENGTH]
    if is_high and len(following) < _UNIT_LENGTH and (rf"\u{following[2:]}").startswith(following):
        return "", end + _UNIT_LENGTH
    low = _UNIT.fullmatch(following)
    if is_high and low and 0xDC00 <= int(low[1], 16) < 0xE000:
        return chr(0x10000 + ((code - 0xD800) << 10) + int(low[1], 16) - 0xDC00), end + _UNIT_LENGTH
    return "\N{REPLACEMENT CHARACTER}", end
