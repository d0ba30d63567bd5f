"""The question whether a call may run: all of the command or of the change, and what to answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rich.text import Text

from minime_core.permission import Answer, Question
from minime_terminal.diff_view import diff_rows
from minime_terminal.painter import Painter
from minime_terminal.reader import Interrupted, Reader
from minime_terminal.screen import Screen

CHOICES = "[y]es, [a]lways, [n]o, never, [e]dit? "
HELP = (
    "y: run it once. a: run it, and {tool} from now on without a question. n: do not run it; what "
    "stands behind the n is told to the model. never: never {tool} in this session. "
    "e: change it before it runs."
)


async def put_question(
    question: Question, *, screen: Screen, painter: Painter, reader: Reader
) -> Answer:
    """Ask until the answer is one. Raises Interrupted; the end of the input is a no."""
    screen.draw([*_asked(question, painter)])
    while True:
        try:
            said = (await reader.answer(CHOICES)).strip()
        except EOFError:
            return Answer(choice="no", why="the user left")
        word, _, rest = said.partition(" ")
        match word.lower():
            case "y" | "yes" if not rest:
                return Answer(choice="once")
            case "a" | "always" if not rest:
                return Answer(choice="always")
            case "never" if not rest:
                return Answer(choice="never")
            case "n" | "no":
                why = f"the user said no: {rest.strip()}" if rest.strip() else ""
                return Answer(choice="no", why=why)
            case "e" | "edit" if not rest:
                arguments = await _edited(question, screen=screen, painter=painter, reader=reader)
                if arguments is not None:
                    return Answer(choice="once", arguments=arguments)
            case _:
                text = HELP.format(tool=question.tool.name)
                screen.draw(painter.rows(Text(text, "dim")))


def _asked(question: Question, painter: Painter) -> list[str]:
    """Return all of what would run or change; never less, since the user answers for it."""
    signs = painter.signs
    rows = [painter.row((f"{question.tool.name} ", "bold yellow"), ("wants to do this:", "yellow"))]
    if question.diff is not None:
        rows += diff_rows(question.diff, painter)
    else:
        what = question.subject or _as_json(question.call.arguments)
        for line in painter.clean(what).expandtabs(4).split("\n"):
            inner = painter.rows(Text(line), painter.width - 2)
            rows += [f"{signs.bar} {row}" for row in inner]
    return rows


async def _edited(
    question: Question, *, screen: Screen, painter: Painter, reader: Reader
) -> Mapping[str, Any] | None:
    """Return the arguments as the user changed them, None when the change is dropped.

    What a permission rule would match, such as the command, is edited as it is when one argument
    holds it; anything else as JSON.
    """
    arguments = dict(question.call.arguments)
    key = next((k for k, v in arguments.items() if v == question.subject and v), None)
    text = question.subject if key and question.diff is None else _as_json(arguments)
    while True:
        try:
            text = await reader.answer("change it to: ", text)
        except (Interrupted, EOFError):
            # Not the turn, only the change is given up.
            return None
        if key and question.diff is None:
            changed: Any = {**arguments, key: text}
        else:
            try:
                changed = json.loads(text)
            except (ValueError, RecursionError) as error:
                screen.draw(painter.rows(Text(painter.clean(f"not JSON: {error}"), "red")))
                continue
        faults = question.tool.faults(changed)
        if not faults and isinstance(changed, dict):
            return changed
        screen.draw(painter.rows(Text(painter.clean("; ".join(faults)), "red")))


def _as_json(arguments: Mapping[str, Any]) -> str:
    return json.dumps(dict(arguments), indent=2, ensure_ascii=False)
