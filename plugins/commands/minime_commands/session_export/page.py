"""A session as one page that needs nothing else, and that nothing in it can make do anything.

There is no script; the policy in its head forbids them, with all addresses and all styles but its
own. What people, models and tools wrote is text, or Markdown without HTML and pictures.
"""

from __future__ import annotations

import base64
import hashlib
import json
import time
from collections.abc import Iterator
from functools import cache
from html import escape

from markdown_it import MarkdownIt

from minime_commands.session_export.cache_chart import cache_chart
from minime_commands.session_export.changes import changes
from minime_commands.session_export.story import Step, Story, Turn
from minime_commands.session_export.style import STYLE
from minime_shared.cleaning import clean

MAX_TEXT = 100_000
"""Characters of one text that the page shows."""
MAX_MARKDOWN = 20_000
"""Characters above which an answer is shown as it was written: parsing takes time."""
SCHEMES = ("http://", "https://", "mailto:")
"""What a link may begin with."""


def as_page(story: Story) -> str:
    """Return the page."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    title = escape(_first_words(story))
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="referrer" content="no-referrer">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title>",
            f"<style>{STYLE}</style>",
            "</head>",
            "<body>",
            f"<header><h1>{title}</h1><p>{_facts(story)}</p></header>",
            "<main>",
            *(line for turn in story.turns for line in _turn(turn)),
            "</main>",
            *cache_chart(story),
            "</body>",
            "</html>\n",
        ]
    )


def _first_words(story: Story) -> str:
    words = " ".join(story.turns[0].question.split()) if story.turns else ""
    return (words if len(words) <= 80 else f"{words[:79]}…") or "A session without a question"


def _facts(story: Story) -> str:
    facts = [story.id, story.model, _counted(len(story.turns), "question")]
    if story.taken_back:
        facts.append(f"{story.taken_back} taken back and left out")
    return " · ".join(escape(fact) for fact in facts if fact)


def _turn(turn: Turn) -> Iterator[str]:
    yield '<section class="turn">'
    yield f'<div class="question">{_plain(turn.question)}</div>'
    for step in turn.steps:
        yield from _step(step)
    if turn.error:
        yield f'<p class="error">{escape(turn.error)}</p>'
    yield f'<p class="facts">{_turn_facts(turn)}</p>'
    yield "</section>"


def _turn_facts(turn: Turn) -> str:
    facts = [] if turn.at is None else [time.strftime("%Y-%m-%d %H:%M", time.localtime(turn.at))]
    if turn.seconds is not None:
        facts.append(f"{turn.seconds:.1f} s")
    written = sum(step.usage.completion_tokens or 0 for step in turn.steps)
    if written:
        facts.append(f"{_counted(written, 'token')} written")
    if speed := _speed(turn):
        facts.append(f"{speed:.0f} tokens a second")
    if calls := sum(bool(step.tool) for step in turn.steps):
        facts.append(_counted(calls, "call"))
    if turn.is_stopped:
        facts.append("stopped")
    return escape(" · ".join(facts))


def _speed(turn: Turn) -> float | None:
    """Return how many tokens a second the server wrote, None when it did not tell."""
    timings = [s.timings for s in turn.steps if s.timings.generation_ms]
    took = sum(t.generation_ms or 0 for t in timings)
    return sum(t.generated_tokens or 0 for t in timings) * 1000 / took if took else None


def _step(step: Step) -> Iterator[str]:
    if step.thinking.strip():
        yield _folded("Thought", _plain(step.thinking), "thought")
    if step.text.strip():
        yield f'<div class="answer">{_markdown(step.text)}</div>'
    if step.tool:
        yield _folded(_call_title(step), "".join(_call(step)), "call")


def _call_title(step: Step) -> str:
    arguments = list(step.arguments.values())
    named = step.arguments.get("path")
    if isinstance(named, str):
        text = named
    else:
        text = arguments[0] if len(arguments) == 1 else json.dumps(dict(step.arguments))
    line = " ".join(clean(str(text)).split())
    took = "" if step.seconds is None else f" · {step.seconds:.1f} s"
    return f"{step.tool}: {line if len(line) <= 100 else line[:99] + '…'}{took}"


def _call(step: Step) -> Iterator[str]:
    if lines := list(changes(step)):
        yield f'<div class="diff">{"".join(_diff_line(*line) for line in lines[:2000])}'
        if len(lines) > 2000:
            yield f"<i>… {len(lines) - 2000} more lines</i>"
        yield "</div>"
    else:
        yield _plain(clean(json.dumps(dict(step.arguments), ensure_ascii=False, indent=1)))
    yield _plain("(no result)" if step.result is None else step.result)


def _diff_line(sign: str, line: str) -> str:
    name = {"+": "added", "-": "removed", "@": "place"}.get(sign, "same")
    mark = "" if sign == "@" else sign
    return f'<span class="{name}">{escape(mark + line)}\n</span>'


def _folded(title: str, inside: str, kind: str) -> str:
    return f'<details class="{kind}"><summary>{escape(title)}</summary>{inside}</details>'


def _plain(text: str) -> str:
    rest = len(text) - MAX_TEXT
    more = f"<i>… {_counted(rest, 'more character')}</i>" if rest > 0 else ""
    return f"<pre>{escape(text[:MAX_TEXT])}</pre>{more}"


def _markdown(text: str) -> str:
    return _plain(text) if len(text) > MAX_MARKDOWN else str(_parser().render(text))


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
    # A picture would ask a stranger's server for itself.
    parser.disable("image")
    parser.validateLink = lambda url: url.lower().startswith(SCHEMES)  # type: ignore[method-assign]
    return parser


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
