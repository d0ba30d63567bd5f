from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from minime_core.messages import Message, ToolCall, Usage
from minime_core.records import (
    KINDS,
    Display,
    Edit,
    ErrorRecord,
    MessageRecord,
    Meta,
    Record,
    Rewrite,
    Undo,
    Unknown,
    dump,
    load,
)

any_text = st.text(st.characters(codec=None, exclude_categories=()))
plain_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(any_text, plain_json, max_size=3)
calls = st.builds(ToolCall, id=any_text, name=any_text, arguments=objects)
messages = st.builds(
    Message,
    role=st.sampled_from(["system", "user", "assistant", "tool"]),
    text=any_text,
    calls=st.lists(calls, max_size=2).map(tuple),
    call_id=any_text,
    thinking=any_text,
)
counts = st.none() | st.integers(0)
edits = st.builds(
    Edit,
    first=st.integers(0),
    last=st.integers(0),
    messages=st.lists(messages, max_size=2).map(tuple),
)
records: st.SearchStrategy[Record] = st.one_of(
    st.builds(Meta, values=objects),
    st.builds(
        MessageRecord,
        message=messages,
        usage=st.none()
        | st.builds(Usage, prompt_tokens=counts, completion_tokens=counts, cached_tokens=counts),
    ),
    st.builds(Display, event=objects),
    st.builds(Rewrite, why=any_text, edits=st.lists(edits, max_size=2).map(tuple)),
    st.builds(Undo, path=any_text, content=st.none() | st.binary(), mode=st.integers(0, 0o7777)),
    st.builds(ErrorRecord, text=any_text, provider=any_text, model=any_text),
    st.builds(Unknown, values=objects.map(lambda values: {**values, "kind": "of tomorrow"})),
)


@given(records)
@example(Undo(path="/tmp/\udcff", content=b"\0\xff\n\r\n"))
@example(ErrorRecord(text="a\nb\r\u2028\0\ud800\udc00"))
def test_a_record_is_one_line_and_comes_back_as_it_was(record: Record) -> None:
    line = dump(record)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert load(line[:-1]) == record


def test_every_kind_of_record_has_a_name() -> None:
    assert {*KINDS.values(), Unknown} == set(get_args(Record))


def test_fields_of_a_later_version_are_ignored() -> None:
    line = b'{"kind":"error","text":"x","colour":"red"}'
    assert load(line) == ErrorRecord(text="x")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\xff",
        b"null",
        b"[]",
        b"{}",
        b'{"kind": 1}',
        b'{"kind": "message"}',
        b'{"kind": "message", "message": null}',
        b'{"kind": "message", "message": {"role": "user", "text": 1}}',
        b'{"kind": "message", "message": {"role": "king"}}',
        b'{"kind": "message", "message": {"role": []}}',
        b'{"kind": "message", "message": {"role": "assistant", "calls": [{"id": "1"}]}}',
        b'{"kind": "message", "message": {"role": "assistant", "calls": {"id": "1"}}}',
        b'{"kind": "message", "message": {"role": "user"}, "usage": [1]}',
        b'{"kind": "meta", "values": []}',
        b'{"kind": "rewrite", "why": "x", "edits": [{"first": "0", "last": 1}]}',
        b'{"kind": "undo", "path": "a", "content": "*"}',
        b'{"kind": "undo", "path": "a"}',
        b'{"kind": "error", "text": ' + b"[" * 100_000,
    ],
    ids=lambda line: line[:70].decode("latin-1"),
)
def test_what_is_no_record_is_a_value_error(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        load(line)


FIELDS = ["message", "role", "text", "calls", "usage", "values", "event", "edits", "first", "path"]
near_records: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([None, True, 1, 1.5, "user", "é", []]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(FIELDS), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(FIELDS), near_records), st.sampled_from([*KINDS]))
def test_any_json_is_a_record_or_a_value_error(values: dict[str, Any], kind: str) -> None:
    try:
        record = load(json.dumps({**values, "kind": kind}).encode())
    except ValueError:
        return
    assert isinstance(record, KINDS[kind])


def test_what_has_its_default_takes_no_room() -> None:
    record = MessageRecord(message=Message(role="user", text="hi"))
    assert dump(record) == b'{"kind":"message","message":{"role":"user","text":"hi"}}\n'
