"""A whole block of Markdown as rows: headings, lists, quotes, code, tables, at any width."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from markdown_it.tree import SyntaxTreeNode
from rich import box
from rich.table import Table
from rich.text import Text

from minime_terminal.markdown.code import Highlighter
from minime_terminal.markdown.inline import inline_text, parser
from minime_terminal.painter import Painter

MAX_PARSED = 20_000
"""Characters of one block above which it is shown as it is: parsers can be slow on long ones."""
MIN_COLUMN = 8
"""Columns of the screen that each column of a table has at least; narrower ones become records."""
MIN_INNER = 10
"""Columns that are left at least for what stands in a list or a quote."""

_HEADINGS = {"h1": "bold underline", "h2": "bold", "h3": "bold"}


class Layout:
    """Lays out blocks for one painter."""

    def __init__(self, painter: Painter) -> None:
        self._painter = painter

    def rows(self, source: str) -> list[str]:
        """Return the rows of one or more blocks, cleaned already."""
        if len(source) > MAX_PARSED:
            return self._painter.rows(Text(source.rstrip("\n")))
        root = SyntaxTreeNode(parser().parse(source))
        return list(self._blocks(root.children, self._painter.width))

    def _blocks(self, nodes: Iterable[SyntaxTreeNode], width: int) -> Iterator[str]:
        previous: SyntaxTreeNode | None = None
        for node in nodes:
            # Blocks keep the blank lines between them, as one.
            if previous is not None and _line_after(previous) < _line_of(node):
                yield ""
            yield from self._block(node, width)
            previous = node

    def _block(self, node: SyntaxTreeNode, width: int) -> Iterable[str]:
        signs = self._painter.signs
        if node.type == "heading":
            text = self._inline(node)
            text.stylize_before(_HEADINGS.get(node.tag, "italic bold"))
            return self._painter.rows(text, width)
        if node.type in ("fence", "code_block"):
            return self._code(node)
        if node.type in ("bullet_list", "ordered_list"):
            return self._list(node, width)
        if node.type == "blockquote":
            bar = f"{signs.bar} "
            inner = max(width - 2, MIN_INNER)
            return _prefixed(self._dim(bar), self._dim(bar), self._blocks(node.children, inner))
        if node.type == "table":
            return self._table(node, width)
        if node.type == "hr":
            return [self._dim(signs.line * min(width, 40))]
        if node.type == "html_block":
            return self._painter.rows(Text(node.content.rstrip("\n")), width)
        return self._painter.rows(self._inline(node), width)

    def _inline(self, node: SyntaxTreeNode) -> Text:
        return inline_text(node.children[0].content if node.children else "", self._painter)

    def _dim(self, text: str) -> str:
        return self._painter.long_rows(Text(text, "dim"))[0]

    def _code(self, node: SyntaxTreeNode) -> Iterator[str]:
        lines = node.content.removesuffix("\n").split("\n")
        if node.type == "code_block":
            # Its indent is all that tells it from text.
            yield from self._painter.long_rows(Text("\n".join(f"    {line}" for line in lines)))
            return
        yield self._dim(f"{node.markup}{node.info}")
        yield from self._painter.long_rows(Highlighter(language(node.info)).text(lines))
        yield self._dim(node.markup)

    def _list(self, node: SyntaxTreeNode, width: int) -> Iterator[str]:
        start = int(node.attrs.get("start", 1))
        previous: SyntaxTreeNode | None = None
        for number, item in enumerate(node.children, start=start):
            if previous is not None and _line_after(previous) < _line_of(item):
                yield ""
            is_numbered = node.type == "ordered_list"
            mark = f"{number}. " if is_numbered else f"{self._painter.signs.item} "
            inner = max(width - len(mark), MIN_INNER)
            yield from _prefixed(mark, " " * len(mark), self._blocks(item.children, inner))
            previous = item

    def _table(self, node: SyntaxTreeNode, width: int) -> list[str]:
        head, *body = [
            [self._inline(cell) for cell in row.children]
            for part in node.children
            for row in part.children
        ]
        if len(head) * (MIN_COLUMN + 2) > width:
            return list(self._records(head, body, width))
        rule = box.SIMPLE_HEAD if self._painter.has_unicode else box.ASCII2
        table = Table(box=rule, show_edge=False, pad_edge=False, header_style="bold")
        for cell in head:
            table.add_column(cell, overflow="fold")
        for row in body:
            table.add_row(*row)
        return [row.rstrip() for row in self._painter.rows(table, width)]

    def _records(self, head: list[Text], body: list[list[Text]], width: int) -> Iterator[str]:
        """Yield a table that is too wide: each row as lines of `name: value`."""
        for number, row in enumerate(body or [head]):
            if number:
                yield self._dim(self._painter.signs.line * min(width, 8))
            for name, value in zip(head, row, strict=False):
                label = Text.assemble(name, ": ")
                label.stylize("bold")
                yield from self._painter.rows(Text.assemble(label, value), width)


def language(info: str) -> str:
    """Return the language that a fence names: its first word, `python` of `python title=x`."""
    words = info.replace("{", " ").replace(",", " ").split()
    return words[0].lower() if words else ""


def _line_of(node: SyntaxTreeNode) -> int:
    return node.map[0] if node.map else 0


def _line_after(node: SyntaxTreeNode) -> int:
    """Return the line behind a node, without the blank lines that some nodes end with."""
    inner = [_line_after(child) for child in node.children if child.map]
    if node.type in ("bullet_list", "ordered_list", "list_item", "blockquote") and inner:
        return max(inner)
    return node.map[1] if node.map else 0


def _prefixed(first: str, others: str, rows: Iterable[str]) -> Iterator[str]:
    empty = True
    for row in rows:
        yield f"{first if empty else others}{row}".rstrip(" ")
        empty = False
    if empty:
        yield first.rstrip(" ")
