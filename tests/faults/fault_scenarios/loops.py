"""Calls that come again and again, and answers that never end."""

from __future__ import annotations

import base64
import hashlib

from fault_scenarios.scenario import Scenario, fragment, run
from minime_core.testing import delta, endless, stall, text, thinking, tool_call

WARNING = "It will not change. Do something else, or tell the user what stops you."
NOISE = base64.b64encode(b"".join(hashlib.sha512(bytes([n])).digest() for n in range(250))).decode()
"""21 KB that do not repeat themselves."""
TABLE = "\n".join(
    [
        "| day | open |",
        "|---|---|",
        *["| Monday | yes |"] * 20,
        *[f"{n}. The line {n} is like the others." for n in range(1, 30)],
        *["- [ ] not done"] * 15,
        NOISE[:600],
        *["Row, row, row your boat,", "gently down the stream."] * 4,
        "[" + ", ".join(['{"id": 0, "on": true}'] * 25) + "]",
    ]
)


def _edit(number: int) -> dict[str, object]:
    return {"path": "a.txt", "edits": [{"old": f"line {number} of it", "new": "x"}]}


def _moving(letter: str, space: str = " ") -> dict[str, str]:
    return {"command": f"printf{space}{letter} >> ran"}


SCENARIOS = (
    Scenario(
        when="the same call brings the same, six times",
        then="warns the model the third time; ends the turn after three more",
        replies=(run("a"),) * 6,
        end="stuck",
        out="",
        says="mm: stuck: the same call with the same result again and again",
        told=WARNING,
        ran="aaaaaa",
    ),
    Scenario(
        when="the model changes its ways after the warning",
        then="goes on; where the profile says so, one request has another temperature",
        replies=(*(run("a"),) * 3, run("b"), text("Done.")),
        told=WARNING,
        ran="aaab",
        guards={"loop_temperature": 0.9},
        sent={2: {"temperature": 0}, 3: {"temperature": 0.9}, 4: {"temperature": 0}},
    ),
    Scenario(
        when="two or three calls take turns for ever",
        then="warns the model; ends the turn when that is of no use",
        replies=(run("a"), run("b"), run("c")) * 4,
        end="stuck",
        out="",
        says="mm: stuck: the same 3 calls with the same results again and again",
        ran="abcabcabcabc",
        settings={"max_turns": 30},
    ),
    Scenario(
        when="the same file refuses edit after edit, or a command differs in white space alone",
        then="counts them as the same",
        replies=tuple(tool_call("edit_file", _edit(number)) for number in range(6)),
        end="stuck",
        out="",
        says="mm: stuck: the same call with the same result again and again",
        told=WARNING,
    ),
    Scenario(
        when="a command that comes again differs in white space alone",
        then="counts it as the same",
        replies=(
            *(tool_call("bash", _moving("a", " " * space)) for space in range(1, 4)),
            text("Done."),
        ),
        told=WARNING,
        ran="aaa",
    ),
    Scenario(
        when="the same call brings something else each time",
        then="takes it for progress",
        replies=(
            *(tool_call("bash", {"command": "printf a >> ran; wc -c < ran"}),) * 8,
            text("Done."),
        ),
        ran="a" * 8,
    ),
    Scenario(
        when="text repeats itself without end",
        then="closes the stream at once and asks once more; the second time it ends the turn",
        replies=(text("So: ") + endless(text("again and ", chunks=1)),) * 2,
        end="stuck",
        out="",
        says="mm: stopped the answer: it repeated itself without end; asking once more",
        hung_up=(0, 1),
    ),
    Scenario(
        when="thinking repeats itself without end",
        then="closes the stream at once and asks once more",
        replies=(endless(thinking("Wait, no. Hmm. ", chunks=1)), text("Done.")),
        says="mm: stopped the answer: it repeated itself without end; asking once more",
        told="You began to repeat yourself without end.",
        hung_up=(0,),
    ),
    Scenario(
        when="arguments repeat themselves without end",
        then="closes the stream at once, runs nothing, and tells the model",
        replies=(
            fragment('{"command": "printf a >> ran; echo ')
            + endless(delta({"tool_calls": [{"index": 0, "function": {"arguments": "la "}}]})),
            text("Done."),
        ),
        says="mm: stopped a call of bash: its arguments repeated themselves without end",
        told="so it was stopped and did NOT run. Write it differently and much shorter.",
        hung_up=(0,),
    ),
    Scenario(
        when="arguments are longer than 256 KB",
        then="closes the stream at once, runs nothing, and tells the model",
        replies=(
            fragment('{"command": "printf a >> ran; echo ')
            + sum(
                (fragment(hashlib.sha512(bytes([n % 256, n >> 8])).hexdigest() * 2, "")
                 for n in range(1, 1200)),
                fragment(""),
            )
            + stall(),
            text("Done."),
        ),
        says="mm: stopped a call of bash: its arguments were longer than 256 KB",
        told="did NOT run",
        hung_up=(0,),
    ),
    Scenario(
        when="tables, lists, base64, a refrain and equal rows of JSON repeat themselves",
        then="leaves them as they are",
        replies=(text(TABLE),),
        out=TABLE,
    ),
)  # fmt: skip
