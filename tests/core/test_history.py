from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from minime_core.errors import SessionFileError
from minime_core.history import NO_ANSWER, NO_RESULT, History, shape_fault
from minime_core.messages import Message, ToolCall, Usage
from minime_core.records import (
    Display,
    Edit,
    ErrorRecord,
    MessageRecord,
    Meta,
    Record,
    Rewrite,
    dump,
    load,
)
from minime_core.store import header

any_text = st.text(st.characters(codec=None, exclude_categories=()), max_size=5)


class Disk:
    """A store that keeps records as the lines of a file."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []

    def append(self, record: Record) -> None:
        self.lines.append(dump(record))

    def records(self) -> list[Record]:
        return [load(line) for line in self.lines]


class Conversations(RuleBasedStateMachine):
    """Whatever the loop, a layer and the user do, the view stays legal and can be resumed."""

    @initialize(has_system=st.booleans())
    def begin(self, has_system: bool) -> None:
        self.disk = Disk()
        self.history = History(store=self.disk)
        self.history.append(header("x", **({"system": "Be brief."} if has_system else {})))
        self.earlier: tuple[Message, ...] = ()
        self.asked: list[int] = []
        self.open_call: ToolCall | None = None

    def expects_answer(self) -> bool:
        view = self.history.view()
        return bool(view) and view[-1].role in ("user", "tool")

    @rule(text=any_text)
    def add_question(self, text: str) -> None:
        self.asked.append(self.history.add_question(text))
        self.open_call = None

    @precondition(expects_answer)
    @rule(text=any_text, thinking=any_text)
    def add_answer(self, text: str, thinking: str) -> None:
        usage = Usage(completion_tokens=3)
        self.history.add_answer(Message(role="assistant", text=text, thinking=thinking), usage)

    @precondition(expects_answer)
    @rule(text=any_text, name=any_text)
    def add_call(self, text: str, name: str) -> None:
        call = ToolCall(id=self.history.new_call_id(), name=name, arguments={"a": text}, raw="{")
        self.history.add_answer(Message(role="assistant", text=text, calls=(call,)))
        self.open_call = call

    @precondition(lambda self: self.open_call is not None)
    @rule(text=any_text)
    def add_result(self, text: str) -> None:
        assert self.open_call is not None
        self.history.add_result(self.open_call, text)
        self.open_call = None

    @rule(text=any_text)
    def add_what_is_not_seen(self, text: str) -> None:
        self.history.append(Display(event={"type": "notice", "text": text}))
        self.history.append(ErrorRecord(text=text))

    @precondition(lambda self: self.asked)
    @rule()
    def withdraw(self) -> None:
        self.history.withdraw(self.asked.pop(), "cancelled")
        self.earlier, self.open_call = (), None

    @rule(data=st.data())
    def mask_results(self, data: st.DataObject) -> None:
        shown = {id(message) for message in self.history.view()}
        results = [
            (number, record.message)
            for number, record in enumerate(self.history.records)
            if isinstance(record, MessageRecord)
            and record.message.role == "tool"
            and id(record.message) in shown
        ]
        if results:
            chosen = data.draw(
                st.lists(st.sampled_from(results), max_size=3, unique_by=lambda r: r[0])
            )
            masked = tuple(
                Edit(
                    first=number,
                    last=number,
                    messages=(Message(role="tool", text="[left out]", call_id=message.call_id),),
                )
                for number, message in chosen
            )
            self.history.append(Rewrite(why="mask", edits=masked))
            self.earlier = ()

    @precondition(lambda self: self.open_call is None and len(self.history.records) > 1)
    @rule(summary=any_text)
    def summarise(self, summary: str) -> None:
        messages = (
            Message(role="user", text=summary),
            Message(role="assistant", text="I know."),
        )
        edit = Edit(first=1, last=len(self.history.records) - 1, messages=messages)
        self.history.append(Rewrite(why="summary", edits=(edit,)))
        self.earlier, self.asked = (), []

    @rule()
    def resume(self) -> None:
        self.history = History(self.disk.records(), self.disk)
        self.open_call = None

    @invariant()
    def the_shape_is_legal(self) -> None:
        assert shape_fault(self.history.view()) is None

    @invariant()
    def a_view_begins_with_the_one_before(self) -> None:
        view = self.history.view()
        assert view[: len(self.earlier)] == self.earlier
        self.earlier = tuple(view)

    @invariant()
    def a_resumed_history_has_the_same_view_and_records(self) -> None:
        resumed = History(self.disk.records())
        assert resumed.view() == self.history.view()
        assert [dump(record) for record in resumed.records] == self.disk.lines
        assert resumed.new_call_id() == self.history.new_call_id()

    @invariant()
    def ids_are_unique(self) -> None:
        ids = [
            call.id
            for record in self.history.records
            if isinstance(record, MessageRecord)
            for call in record.message.calls
        ]
        assert len(ids) == len(set(ids))
        assert self.history.new_call_id() not in ids


TestConversations = Conversations.TestCase
TestConversations.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)


def call(id: str = "000000001", name: str = "f") -> ToolCall:
    return ToolCall(id=id, name=name, arguments={})


SYSTEM = Message(role="system", text="s")
USER = Message(role="user", text="u")
ANSWER = Message(role="assistant", text="a")
CALLING = Message(role="assistant", calls=(call(),))
RESULT = Message(role="tool", text="r", call_id="000000001")


def calling(*calls: ToolCall) -> Message:
    return Message(role="assistant", calls=calls)


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [SYSTEM],
        [USER],
        [SYSTEM, USER],
        [SYSTEM, USER, ANSWER],
        [SYSTEM, USER, ANSWER, USER],
        [SYSTEM, USER, CALLING],
        [SYSTEM, USER, CALLING, RESULT],
        [SYSTEM, USER, CALLING, RESULT, ANSWER, USER],
        [SYSTEM, USER, CALLING, RESULT, calling(call("abcABC123"))],
    ],
)
def test_legal_shapes_have_no_fault(messages: list[Message]) -> None:
    assert shape_fault(messages) is None


@pytest.mark.parametrize(
    ("messages", "fault"),
    [
        ([USER, SYSTEM], "message 1: role system after user"),
        ([SYSTEM, SYSTEM], "message 1: role system after system"),
        ([ANSWER], "message 0: role assistant after nothing"),
        ([SYSTEM, ANSWER], "message 1: role assistant after system"),
        ([USER, USER], "message 1: role user after user"),
        ([USER, ANSWER, ANSWER], "message 2: role assistant after assistant"),
        ([USER, CALLING, RESULT, USER], "message 3: role user after tool"),
        ([USER, RESULT], "message 1: role tool: calls and results do not pair"),
        ([RESULT], "message 0: role tool: calls and results do not pair"),
        ([USER, CALLING, ANSWER], "message 2: role assistant: calls and results do not pair"),
        ([USER, CALLING, USER], "message 2: role user: calls and results do not pair"),
        ([USER, CALLING, RESULT, RESULT], "message 3: role tool: calls and results do not pair"),
        (
            [USER, CALLING, Message(role="tool", call_id="000000002")],
            "message 2: role tool: calls and results do not pair",
        ),
        (
            [USER, Message(role="assistant", call_id="000000001")],
            "message 1: role assistant: calls and results do not pair",
        ),
        ([USER, calling(call(), call("000000002"))], "message 1: role assistant with 2 calls"),
        ([Message(role="user", calls=(call(),))], "message 0: role user with 1 calls"),
        ([USER, calling(call("call_0"))], "message 1: the call id 'call_0'"),
        ([USER, calling(call("ä23456789"))], "message 1: the call id 'ä23456789'"),
        ([USER, calling(call("12345678\n"))], r"message 1: the call id '12345678\n'"),
        ([USER, CALLING, RESULT, CALLING], "message 3: the call id '000000001'"),
    ],
)
def test_each_illegal_shape_is_named(messages: list[Message], fault: str) -> None:
    found = shape_fault(messages)
    assert found == fault


def test_what_an_earlier_turn_left_open_is_filled_with_the_next_question() -> None:
    history = History()
    history.add_question("one")
    history.add_answer(CALLING)
    before = history.view()
    history.add_question("two")
    assert history.view() == (
        *before,
        Message(role="tool", text=NO_RESULT, call_id="000000001"),
        Message(role="assistant", text=NO_ANSWER),
        Message(role="user", text="two"),
    )


def test_a_view_is_not_changed_by_what_comes_later() -> None:
    history = History()
    history.add_question("one")
    view = history.view()
    history.add_answer(ANSWER)
    assert view == (Message(role="user", text="one"),)


def test_the_messages_of_a_view_are_the_same_objects_each_time() -> None:
    history = History([header("x", system="s")])
    history.add_question("one")
    assert all(a is b for a, b in zip(history.view(), history.view(), strict=True))


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("read_file", "read_file"),
        ("functions.read_file", "functions_read_file"),
        ("", "_"),
        ("é\n", "__"),
        ("x" * 100, "x" * 64),
    ],
)
def test_names_of_calls_are_kept_as_any_server_takes_them(name: str, kept: str) -> None:
    history = History()
    history.add_question("q")
    history.add_answer(calling(call(name=name)))
    assert history.view()[-1].calls[0].name == kept


def test_what_a_model_wrote_wrongly_is_not_kept() -> None:
    history = History()
    history.add_question("q")
    history.add_answer(
        calling(ToolCall(id="000000001", name="f", arguments={}, raw='{"a', rejected="[f: no]"))
    )
    assert history.view()[-1].calls == (call(),)


def test_a_message_that_does_not_fit_changes_nothing() -> None:
    disk = Disk()
    history = History(store=disk)
    history.add_question("q")
    with pytest.raises(ValueError, match="cannot go on with role user after user"):
        history.append(MessageRecord(message=USER))
    assert len(history.view()) == len(history.records) == len(disk.lines) == 1


@pytest.mark.parametrize(
    "edit",
    [
        Edit(first=1, last=1),
        Edit(first=0, last=2, messages=(ANSWER,)),
        Edit(first=-1, last=0),
        Edit(first=2, last=1),
        Edit(first=0, last=99),
    ],
)
def test_a_rewrite_that_no_template_would_take_changes_nothing(edit: Edit) -> None:
    disk = Disk()
    history = History(store=disk)
    history.add_question("q")
    history.add_answer(ANSWER)
    history.add_question("p")
    before = history.view()
    with pytest.raises(ValueError, match="the rewrite 'x'"):
        history.append(Rewrite(why="x", edits=(edit,)))
    assert history.view() == before
    assert len(disk.lines) == 3


def test_a_rewrite_never_reaches_the_system_message() -> None:
    history = History([header("x", system="Be brief.")])
    history.add_question("q")
    history.append(Rewrite(why="x", edits=(Edit(first=0, last=1, messages=(USER,)),)))
    assert history.view() == (Message(role="system", text="Be brief."), USER)


def test_a_later_rewrite_wins() -> None:
    history = History()
    history.add_question("q")
    for text in ("one", "two"):
        edit = Edit(first=0, last=0, messages=(Message(role="user", text=text),))
        history.append(Rewrite(why="x", edits=(edit,)))
    assert history.view() == (Message(role="user", text="two"),)


def test_a_withdrawn_question_is_gone_from_the_view_but_not_from_the_records() -> None:
    history = History()
    history.add_question("q")
    history.add_answer(ANSWER)
    first = history.add_question("secret")
    history.add_answer(CALLING)
    history.withdraw(first, "cancelled")
    assert history.view() == (Message(role="user", text="q"), ANSWER)
    kept = [r.message for r in history.records if isinstance(r, MessageRecord)]
    assert Message(role="user", text="secret") in kept


@pytest.mark.parametrize(
    "records",
    [
        [MessageRecord(message=ANSWER)],
        [MessageRecord(message=USER), MessageRecord(message=USER)],
        [MessageRecord(message=USER), Rewrite(why="x", edits=(Edit(first=0, last=10**12),))],
        [MessageRecord(message=USER), MessageRecord(message=calling(call("x")))],
    ],
)
def test_records_of_no_conversation_are_refused_in_one_line(records: list[Record]) -> None:
    with pytest.raises(SessionFileError, match=r"^record \d of the session cannot be used: "):
        History(records)


@pytest.mark.parametrize("system", ["", None, 5, ["x"], "a\0b\ud800"])
def test_a_system_message_of_any_kind_can_be_sent(system: Any) -> None:
    view = History([Meta(values={"system": system})]).view()
    assert [m.text for m in view] == (
        [] if not system else [Message(role="user", text=str(system)).text]
    )
