"""What the tests of tool formats share: tools, and answers in pieces."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from minime_core.messages import ToolCall
from minime_core.tools import Arguments, Tool, ToolContext, ToolResult
from minime_tool_formats.families import FAMILIES
from minime_tool_formats.finder import Finder, Found
from minime_tool_formats.names import unwrapped


async def _run(arguments: Arguments, context: ToolContext) -> ToolResult:
    return ToolResult(text=json.dumps(dict(arguments)))


def _tool(name: str, properties: Mapping[str, Any], required: tuple[str, ...] = ()) -> Tool:
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
    return Tool(
        name=name, description=f"Does {name}.", schema=schema, run=_run, effects=frozenset()
    )


TEXT = {"type": "string"}
TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        _tool("bash", {"command": TEXT}, ("command",)),
        _tool("now", {}),
        _tool(
            "sample",
            {
                "text": TEXT,
                "count": {"type": "integer"},
                "ratio": {"type": "number"},
                "flag": {"type": "boolean"},
                "items": {"type": "array"},
                "options": {"type": "object"},
            },
        ),
        _tool("write_file", {"path": TEXT, "content": TEXT}, ("path", "content")),
    )
}
ALL = tuple(family() for family in FAMILIES)


def accept(call: ToolCall) -> ToolCall | None:
    """Accept known tools, with valid arguments or with raw ones, as the layer does."""
    name = unwrapped(call.name, TOOLS)
    if name not in TOOLS or (call.raw is None and TOOLS[name].faults(call.arguments)):
        return None
    return ToolCall(name=name, arguments=call.arguments, raw=call.raw)


def read(pieces: Iterable[str]) -> tuple[str, Found]:
    """Return what of an answer is shown before its end, and what is found at the end."""
    finder = Finder(ALL, TOOLS, accept)
    shown = "".join([finder.feed(piece) for piece in pieces])
    return shown, finder.end()


def outcome(pieces: Iterable[str]) -> tuple[str, list[tuple[str, Any]], str]:
    """Return what comes of an answer: its text, its calls, and the call that cannot be made.

    A call is its name and its arguments, which are text if they are raw.
    """
    shown, found = read(pieces)
    calls = [
        (call.name, dict(call.arguments) if call.raw is None else call.raw) for call in found.calls
    ]
    return shown + found.text, calls, found.broken.text if found.broken else ""


def calls_in(text: str) -> list[tuple[str, Any]]:
    """Return the calls of an answer that comes whole, after checking it character by character."""
    whole = outcome([text])
    assert outcome(text) == whole
    return whole[1]


def is_left_alone(text: str) -> bool:
    """Return whether all of an answer is text, whole and character by character."""
    expected: tuple[str, list[tuple[str, Any]], str] = (text, [], "")
    return outcome([text]) == expected == outcome(text)


def is_broken(text: str) -> bool:
    """Return whether an answer ends in a call that cannot be made, whole and in characters."""
    whole = outcome([text])
    assert outcome(text) == whole
    assert whole[0] + whole[2] == text or whole[1]
    return bool(whole[2])


def pieces_of(text: str) -> st.SearchStrategy[list[str]]:
    """Return ways to cut `text` in pieces."""
    cuts = st.sets(st.integers(1, max(len(text) - 1, 1)), max_size=12)
    return cuts.map(lambda places: _cut(text, sorted(places)))


def _cut(text: str, places: list[int]) -> list[str]:
    bounds = [0, *places, len(text)]
    return [text[start:end] for start, end in pairwise(bounds) if start < end]


_marks = [
    "<",
    ">",
    "[",
    "{",
    "}",
    '"',
    "'",
    "`",
    "```",
    "\\",
    "<|",
    "|>",
    "</tool_call>",
    "</parameter>",
    "</arg_value>",
]
_text = st.lists(
    st.sampled_from([*_marks, " ", "\n"]) | st.text(max_size=8),
    max_size=6,
).map("".join)
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999) | _text,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("abc_", min_size=1, max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
sample_arguments = st.fixed_dictionaries(
    {},
    optional={
        "text": _text,
        "count": st.integers(-(2**40), 2**40),
        "ratio": st.floats(allow_nan=False, allow_infinity=False),
        "flag": st.booleans(),
        "items": st.lists(_json, max_size=3),
        "options": st.dictionaries(st.text("abc_", min_size=1, max_size=4), _json, max_size=3),
    },
)
"""Arguments of the tool `sample`."""
