from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import finish, text, tool_call
from minime_guards.loose_json import is_cut, read_object

LS = {"command": "ls"}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(), JSON, min_size=1, max_size=3)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('{"command": "ls",}', LS),
        ("{'command': 'ls'}", LS),
        ("{'a': True, 'b': None, 'c': [1, 2,],}", {"a": True, "b": None, "c": [1, 2]}),
        ("{command: 'ls'}", LS),
        (json.dumps(json.dumps(LS)), LS),
        ('[{"command": "ls"}]', LS),
        ('```json\n{"command": "ls"}\n```', LS),
        ('```\n{"command": "ls"}', LS),
        ('{"command": "ls"}</tool_call>', LS),
        ('{"command": "ls"}\n</function>\n</tool_call><|im_end|>', LS),
        ('{"command": "ls"}<tool_call|>', LS),
        ('{"command": "ls"}}', LS),
        ('{"command": "a\nb"}', {"command": "a\nb"}),
        ('{"path": "C:\\Users\\x"}', {"path": "C:\\Users\\x"}),
        ('{"command": "grep \\d+ \\\'x\\\'"}', {"command": "grep \\d+ 'x'"}),
        ("{'text': 'it\\'s \"so\"'}", {"text": 'it\'s "so"'}),
        ('{"content": "{\\"a\\": 1,}",}', {"content": '{"a": 1,}'}),
        ('{"smile": "\\ud83d\\ude00",}', {"smile": "\N{GRINNING FACE}"}),
        ("<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>", LS),
        (
            "<function=write_file><parameter=path>a</parameter>"
            "<parameter=content>\n{\n}\n</parameter></function>",
            {"path": "a", "content": "{\n}"},
        ),
    ],
)
def test_what_can_be_meant_in_one_way_only_is_repaired(written: str, meant: object) -> None:
    assert read_object(written) == meant
    assert not is_cut(written)


@pytest.mark.parametrize(
    "written",
    [
        '{"command": "echo "hi" there"}',
        "{'command': 'echo 'hi''}",
        '{"command": ls -la}',
        '{"a": 1 2}',
        '{"a": tru e}',
        '{"a": 1}{"b": 2}',
        '[{"a": 1}, {"b": 2}]',
        '{"a": 1} and then',
        '{"a": NaN}',
        '{"a" "b"}',
        '{"a": [1, 2}',
        '"ls"',
        "ls -la",
        "[]",
        "<parameter=a>1</parameter>rest",
        "<parameter=a>1</parameter><parameter=a>2</parameter>",
    ],
)
def test_what_would_have_to_be_guessed_is_not_repaired(written: str) -> None:
    assert read_object(written) is None


@pytest.mark.parametrize(
    "written",
    [
        "",
        "{",
        '{"command": "ls',
        '{"command": "ls"',
        '{"command": "ls"</tool_call>',
        '{"a": {"b": "x"}',
        '{"a": [1, 2',
        "{'a': 'x",
        '"{\\"command\\": \\"ls',
        '[{"command": "ls"}',
        '```json\n{"command": "l',
        '{"content": "<b>bold</b>',
        "<parameter=command>\nls",
        "<parameter=a>1</parameter><parameter=b>",
        "<tool_call>\n<function=bash>\n",
    ],
)
def test_what_ends_too_early_is_never_read(written: str) -> None:
    assert is_cut(written)
    assert read_object(written) is None


@given(OBJECTS, st.data())
def test_a_beginning_of_an_object_is_never_read(value: dict[str, Any], data: Any) -> None:
    written = json.dumps(value)
    end = data.draw(st.integers(0, len(written) - 1))
    assert read_object(written[:end]) is None
    assert is_cut(written[:end])


@given(OBJECTS)
def test_the_ways_to_write_an_object_that_python_has_are_read(value: dict[str, Any]) -> None:
    assert read_object(json.dumps(value)) == value
    assert read_object(json.dumps(json.dumps(value))) == value
    assert read_object(json.dumps([value], indent=1)) == value
    assert read_object(f"```json\n{json.dumps(value)}\n```") == value


@given(st.text(alphabet="{}[],:\"'\\ \nabntu01eE.-+<>/=|`\ud83d"))
def test_nothing_breaks_the_reader(written: str) -> None:
    read_object(written)
    is_cut(written)


@pytest.mark.parametrize(
    "written",
    [
        '{"a":' * 20_000,
        "[" * 50_000,
        "'" * 50_000,
        "<parameter=a>" * 20_000,
        '{"a": "' + "\\" * 50_001,
        "{" + "," * 50_000 + "}",
        " " * 50_000 + "<function=a>" * 5000 + "<parameter=a>x</parameter>!",
    ],
)
def test_hostile_arguments_are_read_in_one_go(written: str) -> None:
    assert read_object(written) is None


# Against the fault server


def test_repaired_arguments_run_and_stand_in_the_history_as_json(
    chat: Any, server: FaultServer
) -> None:
    server.enqueue(tool_call("bash", "{'command': 'ls',}"), text("Done."))
    assert chat.ask().reason == "answered"
    assert chat.tools.ran == [("bash", LS)]
    call = server.chat_requests[1].json["messages"][-2]["tool_calls"][0]
    assert json.loads(call["function"]["arguments"]) == LS


def test_broken_arguments_do_not_run_and_the_model_is_told(chat: Any, server: FaultServer) -> None:
    server.enqueue(tool_call("bash", '{"command": "echo "hi" there"}'), text("I see."))
    assert chat.ask().reason == "answered"
    assert chat.tools.ran == []
    assert "not a JSON object" in chat.results[0]
    assert "{command}" in chat.results[0]


@pytest.mark.parametrize("reason", ["stop", "tool_calls", "length"])
def test_incomplete_arguments_do_not_run_whatever_the_server_says(
    chat: Any, server: FaultServer, reason: str
) -> None:
    written = '{"path": "a.txt", "content": "the first half'
    server.enqueue(tool_call("write_file", written) + finish(reason), text("I see."))
    assert chat.ask().reason == "answered"
    assert chat.tools.ran == []


def test_qwen_xml_in_arguments_runs_with_the_types_of_the_schema(
    chat: Any, server: FaultServer
) -> None:
    written = "<parameter=path>\na.txt\n</parameter>\n<parameter=start>\n5\n</parameter>"
    server.enqueue(tool_call("read_file", written), text("Done."))
    chat.ask()
    assert chat.tools.ran == [("read_file", {"path": "a.txt", "start": 5})]


def test_repair_through_the_command_line(mm: Any, server: FaultServer) -> None:
    server.enqueue(tool_call("bash", "{'command': 'echo here',}</tool_call>"), text("Done."))
    assert mm.ask()[:2] == (0, "Done.\n")
    assert "here" in mm.messages()[-1]["content"]
