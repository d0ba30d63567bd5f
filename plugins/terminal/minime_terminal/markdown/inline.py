"""Emphasis, code and links within a block, as runs of styled text."""

from __future__ import annotations

from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.text import Text

from minime_terminal.painter import Painter

Run = tuple[str, str]
"""Text and its style."""

_STYLES = {"strong": "bold", "em": "italic", "s": "strike", "link": "underline"}
CODE = "cyan"


@cache
def parser() -> MarkdownIt:
    """Return the parser: CommonMark with tables and strikethrough."""
    return MarkdownIt("commonmark").enable(["strikethrough", "table"])


def inline_text(source: str, painter: Painter) -> Text:
    """Return the source of a paragraph, or of a part of one, as styled text."""
    return Text.assemble(*inline_runs(source, painter))


def inline_runs(source: str, painter: Painter) -> list[Run]:
    """Return the source as runs; runs that stand side by side differ in style."""
    tokens = parser().parseInline(source)[0].children or []
    runs: list[Run] = []
    for text, style in _Runs(painter).of(tokens):
        # What an entity stands for was not in the source when that was cleaned.
        clean = painter.clean(text)
        if runs and runs[-1][1] == style:
            runs[-1] = runs[-1][0] + clean, style
        elif clean:
            runs.append((clean, style))
    return runs


class _Runs:
    def __init__(self, painter: Painter) -> None:
        self._has_colour = painter.has_colour
        self._open: list[str] = []
        self._address = ""
        self._shown = ""

    def of(self, tokens: list[Token]) -> list[Run]:
        return [run for token in tokens for run in self._of_one(token)]

    def _of_one(self, token: Token) -> list[Run]:
        kind, _, end = token.type.rpartition("_")
        if end == "open" and kind in _STYLES:
            self._open.append(_STYLES[kind])
            if kind == "link":
                self._address, self._shown = str(token.attrs.get("href", "")), ""
            return []
        if end == "close" and kind in _STYLES:
            self._open.pop()
            return self._behind_link() if kind == "link" else []
        if token.type in ("softbreak", "hardbreak"):
            return [("\n", self._style)]
        if token.type == "image":
            address = str(token.attrs.get("src", ""))
            return [(f"[image: {token.content}]", self._style), (f" ({address})", "dim")]
        self._shown += token.content
        if token.type == "code_inline":
            if self._has_colour:
                return [(token.content, f"{self._style} {CODE}".strip())]
            return [(f"`{token.content}`", self._style)]
        return [(token.content, self._style)]

    @property
    def _style(self) -> str:
        return " ".join(self._open)

    def _behind_link(self) -> list[Run]:
        """Return the address of a link that does not show it: nobody shall click blindly."""
        if self._address in (self._shown, f"mailto:{self._shown}"):
            return []
        return [(f" ({self._address})", "dim")]
