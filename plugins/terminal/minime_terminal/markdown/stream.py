"""An answer in Markdown as it streams in, in time that grows with its length and no faster."""

from __future__ import annotations

from minime_terminal.markdown import lines
from minime_terminal.markdown.blocks import (
    MAX_LIVE,
    Block,
    CodeBlock,
    TextBlock,
    WholeBlock,
    last_rows,
)
from minime_terminal.markdown.layout import Layout
from minime_terminal.painter import Painter


class MarkdownStream:
    """One text, fed in pieces of any size.

    `finished` returns rows that stay, each once; `rows` those of the block that is still open.
    """

    def __init__(self, painter: Painter) -> None:
        self._painter = painter
        self._layout = Layout(painter)
        self._block: Block | None = None
        self._pieces: list[str] = []
        """What was fed and not looked at yet."""
        self._line = ""
        """The beginning of a line whose end has not come."""
        self._in_paragraph = False
        """Whether the line that has begun is text of the open paragraph, whatever follows."""
        self._rows: list[str] = []
        self._blank = False
        self._is_first = True

    def feed(self, text: str) -> None:
        """Take a piece, as the model wrote it."""
        self._pieces.append(text)

    def finished(self) -> list[str]:
        """Return the rows that nothing can change any more, once."""
        self._look()
        if self._block is not None:
            self._rows += self._block.finished()
        rows, self._rows = self._rows, []
        return rows

    def rows(self) -> list[str]:
        """Return the rows of the open block as it is now, after `finished`."""
        if self._block is not None:
            return self._block.rows(self._line)
        if not self._line:
            return []
        gap = [""] if self._blank and not self._is_first else []
        if len(self._line) > MAX_LIVE:
            return [*gap, *last_rows([self._line], self._painter)]
        return [*gap, *self._layout.rows(self._line)]

    def close(self) -> list[str]:
        """Return all rows that are left; the text is complete."""
        self._look()
        if self._in_paragraph:
            self._in_paragraph = False
        elif self._line:
            line, self._line = self._line, ""
            self._take(line)
        self._end_block()
        rows, self._rows = self._rows, []
        self._blank = False
        return rows

    def _look(self) -> None:
        if not self._pieces:
            return
        fed = "".join(self._pieces)
        self._pieces.clear()
        if fed.endswith("\r"):
            # Its newline may follow in the next piece.
            self._pieces.append("\r")
            fed = fed[:-1]
        # As many blanks wherever the tab stands: where that is depends on the pieces.
        text = self._line + self._painter.clean(fed).replace("\t", "    ")
        *whole, self._line = text.split("\n")
        for line in whole:
            if self._in_paragraph:
                self._add_to_paragraph(f"{line}\n")
                self._in_paragraph = False
            else:
                self._take(line)
        if self._in_paragraph or self._begins_text(self._line):
            self._in_paragraph = True
            self._add_to_paragraph(self._line)
            self._line = ""

    def _begins_text(self, start: str) -> bool:
        """Return whether a line that begins so is text; opens the paragraph for it."""
        if not lines.is_settled(start):
            return False
        if self._block is None and lines.kind_of(start) == "text":
            self._open(TextBlock(self._painter, self._layout))
        return isinstance(self._block, TextBlock) and self._block.is_paragraph

    def _add_to_paragraph(self, text: str) -> None:
        assert isinstance(self._block, TextBlock)
        self._block.paragraph.add(text)

    def _take(self, line: str) -> None:
        """Give a whole line to the open block, or open the next one with it."""
        if self._block is not None:
            if self._block.take(line):
                return
            self._end_block()
        kind = lines.kind_of(line)
        if kind == "blank":
            self._blank = True
        elif fence := lines.fence_of(line):
            self._open(CodeBlock(self._painter, *fence))
        elif kind == "text":
            self._open(block := TextBlock(self._painter, self._layout))
            block.take(line)
        else:
            self._open(WholeBlock(self._painter, self._layout, kind, line))

    def _open(self, block: Block) -> None:
        if self._blank and not self._is_first:
            self._rows.append("")
        self._block, self._blank, self._is_first = block, False, False

    def _end_block(self) -> None:
        if self._block is None:
            return
        self._rows += self._block.finished()
        self._rows += self._block.close()
        self._blank = isinstance(self._block, WholeBlock) and self._block.ends_blank
        self._block = None
