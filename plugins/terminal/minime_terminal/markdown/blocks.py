"""The block of Markdown that is open while a text streams in.

Each takes whole lines as long as they belong to it, gives rows that stay as soon as it can, and the
rows of the rest as it is now.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from rich.text import Text

from minime_terminal.markdown import lines
from minime_terminal.markdown.code import Highlighter
from minime_terminal.markdown.layout import Layout, language
from minime_terminal.markdown.paragraph import Paragraph
from minime_terminal.painter import Painter

MAX_LIVE = 2000
"""Characters of an open block above which its end is shown as it is, until it is complete."""
LAST_LINES = 6
"""Lines of that end."""


class Block(Protocol):
    """A block that is open."""

    def take(self, line: str) -> bool:
        """Add a whole line without its end; False when it belongs to the next block."""

    def finished(self) -> list[str]:
        """Return the rows that nothing can change any more, once."""

    def rows(self, partial: str) -> list[str]:
        """Return the rows of the rest, with the beginning of a line that is not complete."""

    def close(self) -> list[str]:
        """Return the rows that are left."""


class CodeBlock:
    """Code between fences: its lines stay at once."""

    def __init__(self, painter: Painter, fence: str, info: str) -> None:
        self._painter = painter
        self._fence = fence
        self._highlighter = Highlighter(language(info))
        self._new: list[str] = []
        self._rows = painter.rows(Text(f"{fence}{info}", "dim"))
        self._is_closed = False

    def take(self, line: str) -> bool:
        if self._is_closed:
            return False
        if lines.closes(line, self._fence):
            self._is_closed = True
        else:
            self._new.append(line)
        return True

    def finished(self) -> list[str]:
        rows, self._rows = self._rows, []
        if self._new:
            rows += self._painter.long_rows(self._highlighter.text(self._new))
            self._new.clear()
        return rows

    def rows(self, partial: str) -> list[str]:
        return self._painter.long_rows(Text(partial[: self._painter.width])) if partial else []

    def close(self) -> list[str]:
        return [*self.finished(), *self._painter.rows(Text(self._fence, "dim"))]


class TextBlock:
    """A paragraph, which becomes a table when its second line says so."""

    def __init__(self, painter: Painter, layout: Layout) -> None:
        self.paragraph = Paragraph(painter)
        self._layout = layout
        self._painter = painter
        self._table: WholeBlock | None = None

    @property
    def is_paragraph(self) -> bool:
        return self._table is None

    def take(self, line: str) -> bool:
        if self._table is not None:
            return self._table.take(line)
        if (header := self.paragraph.header) and lines.is_delimiter(line):
            self._table = WholeBlock(self._painter, self._layout, "table", header.rstrip("\n"))
            return self._table.take(line)
        # An item with a number other than 1 does not interrupt; few models know that, so it does.
        if lines.kind_of(line) not in ("text", "code"):
            return False
        self.paragraph.add(f"{line}\n")
        return True

    def finished(self) -> list[str]:
        return [] if self._table else self.paragraph.finished()

    def rows(self, partial: str) -> list[str]:
        return self._table.rows(partial) if self._table else self.paragraph.rows()

    def close(self) -> list[str]:
        return self._table.close() if self._table else self.paragraph.rows()


class WholeBlock:
    """A block that is laid out as a whole: an item of a list, a quote, a table, a heading ..."""

    def __init__(
        self,
        painter: Painter,
        layout: Layout,
        kind: lines.Kind | Literal["table"],
        first: str,
    ) -> None:
        self._painter = painter
        self._layout = layout
        self._kind = kind
        self._lines = [first]
        self._size = len(first)
        self._column = lines.content_column(first) if kind == "item" else 0

    @property
    def ends_blank(self) -> bool:
        return not self._lines[-1].strip()

    def take(self, line: str) -> bool:
        if not self._belongs(line):
            return False
        self._lines.append(line)
        self._size += len(line) + 1
        return True

    def _belongs(self, line: str) -> bool:
        kind = lines.kind_of(line)
        is_blank = kind == "blank"
        if self._kind in ("heading", "rule"):
            return False
        if self._kind == "table":
            return not is_blank and "|" in line
        if self._kind == "quote":
            return kind in ("quote", "text") and not is_blank
        if self._kind == "code":
            return is_blank or kind == "code"
        # An item: what is indented, and what goes on lazily.
        indent = len(line) - len(line.lstrip(" "))
        is_lazy = kind == "text" and not self.ends_blank
        return is_blank or indent >= self._column or is_lazy

    def finished(self) -> list[str]:
        return []

    def rows(self, partial: str) -> list[str]:
        shown: Sequence[str] = [*self._lines, partial] if partial else self._lines
        if self._kind == "table" or self._size + len(partial) > MAX_LIVE:
            return last_rows(shown, self._painter)
        return self._layout.rows("\n".join(shown))

    def close(self) -> list[str]:
        return self._layout.rows("\n".join(self._lines))


def last_rows(shown: Sequence[str], painter: Painter) -> list[str]:
    """Return the last of some lines as they are, cut to the width."""
    return [
        row
        for line in shown[-LAST_LINES:]
        for row in painter.long_rows(Text(line[-painter.width :], "dim"))
    ]
