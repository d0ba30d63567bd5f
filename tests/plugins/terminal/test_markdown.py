"""Answers in Markdown as rows, however they stream in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from minime_terminal.markdown.stream import MarkdownStream
from minime_terminal.painter import Painter
from terminal_screen import STYLE, Out, plain

ANSWER = """\
# Title with `code`

Some **bold** text, *em* and a [link](http://example.org/a?b=1), snake_case_name, 2 * 3 * 4.
Second line with <http://auto.link> &amp; ~~gone~~.

- item one
- item **two**
  continues
  - nested `x`

    a paragraph in nested
- [ ] task

3. third
4. fourth:
   ```python
   def f(x):
       return "a"  # comment
   ```

> quote
> > nested
lazy

| a | b |
|---|:-:|
| 1 | **2** |
| 日本語 | 😀 |

```bash
echo "hi" | grep -q hi  # no **markdown** here
```
---
***both*** ![alt](img.png)

    indented code

The end"""

ANSWER_ROWS = [
    "Title with code",
    "",
    "Some bold text, em and a link (http://example.org/a?b=1), snake_case_name, 2 *",
    "3 * 4.",
    "Second line with http://auto.link & gone.",
    "",
    "• item one",
    "• item two",
    "  continues",
    "  • nested x",
    "",
    "    a paragraph in nested",
    "• [ ] task",
    "",
    "3. third",
    "4. fourth:",
    "   ```python",
    "   def f(x):",
    '       return "a"  # comment',
    "   ```",
    "",
    "│ quote",
    "│ │ nested",
    "│ │ lazy",
    "",
    "a        b",
    "───────────",
    "1        2",
    "日本語   😀",
    "",
    "```bash",
    'echo "hi" | grep -q hi  # no **markdown** here',
    "```",
    "────────────────────────────────────────",
    "both [image: alt] (img.png)",
    "",
    "    indented code",
    "",
    "The end",
]


def streamed(painter: Painter, text: str, sizes: Iterator[int]) -> list[str]:
    """Return the rows of `text`, fed in pieces of `sizes`, drawn after each."""
    stream = MarkdownStream(painter)
    rows: list[str] = []
    place = 0
    while place < len(text):
        size = next(sizes, len(text))
        stream.feed(text[place : place + size])
        place += size
        rows += stream.finished()
        stream.rows()
    return rows + stream.close()


def at_once(painter: Painter, text: str) -> list[str]:
    return streamed(painter, text, iter(()))


def test_each_kind_of_block_is_laid_out(painter: Painter) -> None:
    assert [row.rstrip() for row in plain(at_once(painter, ANSWER))] == ANSWER_ROWS


@given(st.lists(st.integers(1, 40), max_size=200))
@settings(max_examples=40)
def test_the_rows_do_not_depend_on_the_pieces(sizes: list[int]) -> None:
    painter = Painter(Out())
    assert streamed(painter, ANSWER, iter(sizes)) == at_once(painter, ANSWER)


MARKDOWN = st.lists(
    st.sampled_from(
        [
            "word",
            "a",
            " ",
            " ",
            "\n",
            "\n\n",
            "**",
            "*",
            "_",
            "`",
            "```",
            "~~~",
            "- ",
            "1. ",
            "> ",
            "# ",
            "|",
            "|-|-|\n",
            "[",
            "](u)",
            "<b>",
            "&#x1b;",
            "    ",
            "\t",
            "---\n",
            "\r\n",
            "日本",
        ]
    ),
    max_size=60,
).map("".join)


@given(MARKDOWN, st.lists(st.integers(1, 9), max_size=60))
@settings(max_examples=60)
def test_any_text_in_any_pieces_gives_the_same_clean_rows(text: str, sizes: list[int]) -> None:
    painter = Painter(Out())
    rows = at_once(painter, text)
    assert streamed(painter, text, iter(sizes)) == rows
    for row in rows:
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", STYLE.sub("", row))
    letters = re.findall("word|日本", "".join(plain(rows)))
    assert len(letters) >= text.count("word") + text.count("日本") - text.count("](u)")


@given(st.lists(st.integers(1, 300), min_size=20), st.lists(st.integers(1, 500), max_size=50))
@settings(max_examples=40)
def test_a_long_paragraph_wraps_as_if_it_had_come_at_once(
    lengths: list[int], sizes: list[int]
) -> None:
    painter = Painter(Out())
    words = [f"**{'x' * (n % 30 + 1)}**" if n % 7 == 0 else "y" * (n % 13 + 1) for n in lengths]
    text = " ".join(words * 5)
    rows = streamed(painter, text, iter(sizes))
    assert rows == at_once(painter, text)
    assert " ".join(" ".join(plain(rows)).split()) == text.replace("**", "")


def test_of_a_long_paragraph_only_the_end_is_open(painter: Painter) -> None:
    stream = MarkdownStream(painter)
    most = 0
    finished = 0
    for number in range(5000):
        stream.feed(f"word{number} ")
        if number % 50 == 0:
            finished += len(stream.finished())
            most = max(most, len(stream.rows()))
    assert finished > 500
    assert most < 20


def test_lines_of_code_stay_at_once(painter: Painter) -> None:
    stream = MarkdownStream(painter)
    stream.feed("```python\nx = 1\ny = 2\nz")
    assert plain(stream.finished()) == ["```python", "x = 1", "y = 2"]
    assert plain(stream.rows()) == ["z"]


def test_of_a_long_list_item_the_end_is_shown_until_it_is_whole(painter: Painter) -> None:
    stream = MarkdownStream(painter)
    stream.feed("- first\n" + "".join(f"  line {number}\n" for number in range(1000)))
    assert stream.finished() == []
    assert plain(stream.rows())[-1].strip() == "line 999"
    assert len(stream.rows()) < 10
    assert len(stream.close()) == 1001


def test_code_is_coloured_across_the_lines_of_one_token(painter: Painter) -> None:
    stream = MarkdownStream(painter)
    stream.feed('```python\nx = """first\n')
    stream.finished()
    stream.feed("def inside():\n")
    (row,) = stream.finished()
    assert row == "\x1b[32mdef inside():\x1b[0m"


@pytest.mark.parametrize("columns", [20, 40, 80, 200])
def test_no_row_is_wider_than_the_screen_but_rows_of_code(
    make_painter: Callable[..., Painter], columns: int
) -> None:
    painter = make_painter(columns)
    text = ANSWER + "\n\n" + "wide " * 50 + "x" * 300
    text += "\n\n| " + " | ".join("column" for _ in range(12)) + " |\n" + "|-" * 12 + "|\n"
    text += "| " + " | ".join("some long value" for _ in range(12)) + " |\n"
    in_code = False
    for row in plain(at_once(painter, text)):
        in_code ^= row.strip().startswith("```")
        assert in_code or cell_len(row) <= columns - 1 or row.startswith("    ")


def test_a_table_that_is_too_wide_becomes_records(make_painter: Callable[..., Painter]) -> None:
    table = "| name | size | kind |\n|-|-|-|\n| a | 1 | x |\n| b | 2 | y |\n"
    rows = plain(at_once(make_painter(24), table))
    assert rows == ["name: a", "size: 1", "kind: x", "────────", "name: b", "size: 2", "kind: y"]


def test_without_colours_code_keeps_its_marks(make_painter: Callable[..., Painter]) -> None:
    painter = make_painter(no_color=True)
    assert plain(at_once(painter, "run `ls` **now**")) == ["run `ls` now"]
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]", "".join(at_once(painter, "`ls`\n```py\nx=1\n```")))


def test_a_dumb_terminal_gets_no_styles(make_painter: Callable[..., Painter]) -> None:
    rows = at_once(make_painter(term="dumb"), ANSWER)
    assert "\x1b" not in "".join(rows)
    assert "Some bold text, em and a link" in "\n".join(rows)


def test_an_old_encoding_gets_what_it_can_show(make_painter: Callable[..., Painter]) -> None:
    painter = make_painter(encoding="latin-1", no_color=True)
    text = "\n".join(plain(at_once(painter, "- größer €\n\n> 日本\n\n| a |\n|-|\n| ☃ |\n\n---")))
    assert text.encode("latin-1")
    assert "- größer ?" in text


@pytest.mark.parametrize(
    "text",
    [
        "\x1b[31mred\x1b]0;title\x07",
        "&#x1b;[31m &#7; &#x9b;",
        "`\x1b[2J`",
        "```\x1b[2J\n\x1b[2J\n```",
        "[a\x1b](http://x/\x1b[2J)",
        "[a](<http://x/\u202e>)",
        "| \x1b[2J |\n|-|\n| \x9b2J |",
        "&#x202e;&#x2066;",
        "![\x1b](\x1b)",
        "\x1b" * 700 + " " + "\x9b" * 700,
    ],
)
def test_nothing_steers_the_terminal(painter: Painter, text: str) -> None:
    stream = MarkdownStream(painter)
    stream.feed(text)
    shown = "".join([*stream.finished(), *stream.rows(), *stream.close()])
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u2066]", STYLE.sub("", shown))


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "text",
    [
        "[" * 10_000,
        "> " * 10_000 + "x",
        "- " * 5_000 + "x",
        "*a " * 20_000,
        "`" * 30_000,
        "|" * 5_000 + "\n" + "|-" * 5_000 + "\n",
        "```python\n" + "(" * 50_000 + "\n" + "'" * 399 + "\n",
        "# " + "*_" * 20_000,
        "x" * 100_000,
    ],
)
def test_what_is_made_to_be_slow_is_shown_all_the_same(painter: Painter, text: str) -> None:
    assert streamed(painter, text, iter([997] * 200))


def test_a_crlf_that_is_cut_in_two_is_one_line_end(painter: Painter) -> None:
    stream = MarkdownStream(painter)
    for piece in ("one\r", "\ntwo"):
        stream.feed(piece)
        stream.finished()
    assert plain(stream.close()) == ["one", "two"]
