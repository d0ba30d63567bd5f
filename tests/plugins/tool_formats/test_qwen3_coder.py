from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from format_tools import calls_in, is_broken, is_left_alone, outcome, pieces_of

LS = ("bash", {"command": "ls -la"})
FUNCTION = "<function=bash>\n<parameter=command>\nls -la\n</parameter>\n</function>"
WHOLE = f"I'll list them.\n\n<tool_call>\n{FUNCTION}\n</tool_call>"


def call(name: str, **parameters: str) -> str:
    inner = "".join(f"<parameter={key}>\n{v}\n</parameter>\n" for key, v in parameters.items())
    return f"<tool_call>\n<function={name}>\n{inner}</function>\n</tool_call>"


@pytest.mark.parametrize(
    "text",
    [
        f"<tool_call>\n{FUNCTION}\n</tool_call>",
        f"<tool_call>{FUNCTION}",
        FUNCTION,
        f"{FUNCTION}\n</tool_call>",
        f"{FUNCTION}\n</tool_c",
        "<function=bash>\n<parameter=command>\nls -la\n</function>\n</tool_call>",
        "<tool_call><function=bash><parameter=command>ls -la</parameter></function></tool_call>",
        FUNCTION.replace("=bash", "=functions.bash"),
    ],
)
def test_a_call_is_found_whatever_tag_is_missing(text: str) -> None:
    assert calls_in(text) == [LS]


@given(pieces_of(WHOLE))
def test_text_before_a_call_is_shown_and_the_call_is_not(pieces: list[str]) -> None:
    assert outcome(pieces) == ("I'll list them.\n\n", [LS], "")


def test_a_call_without_parameters_is_found() -> None:
    assert calls_in(call("now")) == [("now", {})]


def test_values_are_converted_by_the_schema() -> None:
    text = call(
        "sample", text="5", count="5", ratio="0.5", flag="True", items='["a"]', options="{}"
    )
    arguments = {
        "text": "5",
        "count": 5,
        "ratio": 0.5,
        "flag": True,
        "items": ["a"],
        "options": {},
    }
    assert calls_in(text) == [("sample", arguments)]


def test_a_value_keeps_its_lines_but_for_the_ends_that_set_it_off() -> None:
    content = "\n  def f():\n\treturn 1\n"
    text = call("write_file", path="a.py", content=content)
    assert calls_in(text) == [("write_file", {"path": "a.py", "content": content})]


@pytest.mark.parametrize(
    "content",
    ["a </parameter> b", "</parameter>\n\nmore", "<parameter=x>", "</tool_call>", "```\n<b>\n```"],
)
def test_a_value_may_hold_tags(content: str) -> None:
    text = call("write_file", path="a", content=content)
    assert calls_in(text) == [("write_file", {"path": "a", "content": content})]


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        (WHOLE[: WHOLE.index("-la")], '{"command": "ls '),
        ("<tool_call>\n<function=bash>\n<parameter=comm", "{"),
        (call("write_file", path="a", content="b").partition("<parameter=cont")[0], '{"path": "a"'),
    ],
)
def test_a_cut_call_keeps_what_was_written_as_json_that_is_cut(text: str, raw: str) -> None:
    [(_, arguments)] = calls_in(text)
    assert arguments == raw


@pytest.mark.parametrize("parameters", [{}, {"cmd": "ls"}])
def test_wrong_parameters_are_told(parameters: dict[str, Any]) -> None:
    assert is_broken(call("bash", **parameters))


def test_an_unknown_function_is_told() -> None:
    assert is_broken(call("search", query="x"))


@pytest.mark.parametrize(
    "text",
    [
        f"```xml\n{FUNCTION}\n```",
        "The model writes `<function=bash>` and then `<parameter=command>`.",
        "In C++ it is std::function<int> f; in XML <function name='f'/>.",
        "A tag <function=NAME> opens it, </function> closes it.",
        f"{call('weather', city='Paris')}\n\nThat is how such a model asks for the weather.",
    ],
)
def test_what_speaks_of_calls_is_left_alone(text: str) -> None:
    assert is_left_alone(text)
