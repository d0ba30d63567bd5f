"""What real servers send besides what the protocol says, over real sockets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from minime_core.events import (
    Heartbeat,
    PromptProgress,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
)
from minime_core.messages import Timings, Usage
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import (
    comments,
    delta,
    end,
    event,
    finish,
    parallel,
    progress,
    raw,
    status,
    text,
    thinking,
    tool_call,
)
from minime_core.testing.steps import Reply

Ask = Callable[..., Any]

A = {"path": "a {}.txt"}
B = {"path": 'b \\" }.txt'}


def call(name: str = "read_file", arguments: dict[str, Any] | str = A, **how: Any) -> Reply:
    return tool_call(name, arguments, **how)


def test_text_comes_as_it_is(ask: Ask) -> None:
    answer = ask(text("Hello there, you"))
    texts = [event.text for event in answer.events if isinstance(event, TextDelta)]
    assert "".join(texts) == "Hello there, you"
    assert answer.done.finish_reason == "stop"


@pytest.mark.parametrize(
    "reply",
    [
        call(fragments=1) + call(arguments=B, fragments=1),
        call(fragments=7) + call(arguments=B, fragments=7),
        parallel(call(fragments=5), call(arguments=B, fragments=3)),
        call(index=None) + call(arguments=B, index=None),
        call(index=None, id=None) + call(arguments=B, index=None, id=None),
        call(index=None, id=None, fragments=1) + call(arguments=B, index=None, id=None),
        call(index=0) + call(arguments=B, index=0),
        call(index=0, id=None) + call(arguments=B, index=0, id=None),
        call(index=0, id="") + call(arguments=B, index=0, id=""),
        call(id=None) + call(arguments=B, id=None),
        call(id="same") + call(arguments=B, id="same"),
        call(as_object=True) + call(arguments=B, as_object=True),
        call(as_object=True, index=None, id=None) + call(arguments=B, as_object=True, index=None),
        parallel(call(fragments=1, index=0), call(arguments=B, fragments=1, index=0)),
    ],
    ids=[
        "whole",
        "in fragments",
        "side by side",
        "no index",
        "no index, no id",
        "whole, no index, no id",
        "the same index",
        "the same index, no id",
        "the same index, empty id",
        "no id",
        "the same id",
        "objects",
        "objects, no index",
        "side by side with the same index",
    ],
)
def test_two_calls_stay_two_calls(ask: Ask, reply: Reply) -> None:
    answer = ask(text("I look.") + reply)
    assert answer.calls == [("read_file", A), ("read_file", B)]
    assert answer.message.text == "I look."
    positions = {event.index for event in answer.events if isinstance(event, ToolCallDelta)}
    assert positions == {0, 1}


@pytest.mark.parametrize("index", [0, None, "0"])
def test_a_name_that_is_repeated_in_each_piece_is_one_call(ask: Ask, index: object) -> None:
    pieces = [
        {"tool_calls": [{"index": index, "function": {"name": "bash", "arguments": part}}]}
        for part in ('{"command":', ' "echo }"', "}")
    ]
    answer = ask(delta(pieces[0]) + delta(pieces[1]) + delta(pieces[2]))
    assert answer.calls == [("bash", {"command": "echo }"})]


def test_an_escape_that_is_cut_in_two_does_not_hide_the_end_of_a_call(ask: Ask) -> None:
    def piece(**function: str) -> Reply:
        return delta({"tool_calls": [{"function": function}]})

    first = piece(name="bash", arguments='{"command": "\\') + piece(arguments='"{"}')
    answer = ask(first + piece(name="bash", arguments='{"command": "ls"}'))
    assert answer.calls == [("bash", {"command": '"{'}), ("bash", {"command": "ls"})]


def test_other_names_begin_other_calls_even_when_the_first_was_cut(ask: Ask) -> None:
    answer = ask(
        call(arguments='{"path": "a', index=0, id=None) + call("bash", B, index=0, id=None)
    )
    cut, whole = answer.message.calls
    assert (cut.name, cut.raw, dict(cut.arguments)) == ("read_file", '{"path": "a', {})
    assert (whole.name, whole.raw, whole.arguments) == ("bash", None, B)


@pytest.mark.parametrize(
    "arguments",
    ['{"a": 1', "[1]", "5", '"text"', '{"a": NaN}', '{"a": 1e999}', "{'a': 1}", "[" * 9999, "null"],
)
def test_arguments_that_are_no_object_are_kept_as_they_were_written(
    ask: Ask, arguments: str
) -> None:
    [found] = ask(call(arguments=arguments)).message.calls
    assert (found.raw, found.arguments) == (arguments, {})


def test_arguments_that_nest_too_deep_are_not_read(ask: Ask) -> None:
    deep = '{"a":' * 100 + "1" + "}" * 100
    [found] = ask(call(arguments=deep)).message.calls
    assert (found.raw, found.arguments) == (deep, {})


@pytest.mark.parametrize("value", [5, [1], True, "x"])
def test_arguments_of_the_wrong_type_are_not_taken_for_none(ask: Ask, value: object) -> None:
    answer = ask(delta({"tool_calls": [{"function": {"name": "bash", "arguments": value}}]}))
    [found] = answer.message.calls
    assert found.raw is not None


@pytest.mark.parametrize("arguments", ["", " ", None])
def test_a_call_without_arguments_has_an_empty_object(ask: Ask, arguments: object) -> None:
    answer = ask(delta({"tool_calls": [{"function": {"name": "bash", "arguments": arguments}}]}))
    assert answer.calls == [("bash", {})]


def test_a_call_without_its_function_object_is_read(ask: Ask) -> None:
    answer = ask(delta({"tool_calls": [{"id": "x", "name": "bash", "arguments": A}]}))
    assert answer.calls == [("bash", A)]


def test_the_name_of_a_call_is_bounded(ask: Ask) -> None:
    [found] = ask(call("n" * 5000)).message.calls
    assert found.name == "n" * 64


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_thinking_is_read_from_either_field(ask: Ask, field: str) -> None:
    answer = ask(thinking("Let me see.", field=field) + text("Yes."))
    assert (answer.message.thinking, answer.message.text) == ("Let me see.", "Yes.")


def test_thinking_in_both_fields_is_taken_once(ask: Ask) -> None:
    answer = ask(delta({"reasoning_content": "Hm.", "reasoning": "Hm.", "content": None}))
    assert answer.message.thinking == "Hm."


def test_content_as_parts_is_text(ask: Ask) -> None:
    parts = [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}, {"type": "image_url"}]
    assert ask(delta({"content": parts})).message.text == "Hello"


def test_one_chunk_can_think_speak_and_call(ask: Ask) -> None:
    function = {"name": "bash", "arguments": "{}"}
    answer = ask(
        delta({"reasoning": "Hm.", "content": "So.", "tool_calls": [{"function": function}]})
    )
    assert answer.events[1:-3] == [
        ThinkingDelta("Hm."),
        TextDelta("So."),
        ToolCallDelta(0, "bash", "{}"),
    ]


def test_comments_are_heartbeats(ask: Ask) -> None:
    answer = ask(comments(3) + text("Hello"))
    assert answer.events[:3] == [Heartbeat()] * 3
    assert answer.message.text == "Hello"


@pytest.mark.parametrize("comment", [b":\n\n", b": ping\n\n", b":\r\n\r\n"])
def test_any_comment_is_one(ask: Ask, comment: bytes) -> None:
    assert ask(raw(comment) + text("Hello")).message.text == "Hello"


def test_crlf_ends_lines_too(ask: Ask) -> None:
    reply = comments(1) + text("Hello there") + call()
    answer = ask(reply.crlf())
    assert (answer.message.text, answer.calls) == ("Hello there", [("read_file", A)])


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_characters_may_be_cut_between_http_chunks(ask: Ask, size: int) -> None:
    reply = text("Grüße 日本 🎉\u2028end") + call(arguments={"path": "ü🎉"})
    answer = ask(reply.split(size))
    assert answer.message.text == "Grüße 日本 🎉\u2028end"
    assert answer.calls == [("read_file", {"path": "ü🎉"})]


def test_halves_of_a_character_are_joined(ask: Ask) -> None:
    """Servers in JavaScript cut text between the two halves of a UTF-16 pair."""
    answer = ask(
        delta({"content": "a\ud83c", "reasoning": "\ud83c"})
        + delta({"content": "\udf89b", "reasoning": "\udf89"})
        + delta({"content": "c\ud83c"})
    )
    assert (answer.message.text, answer.message.thinking) == ("a🎉bc", "🎉")


def test_halves_of_a_character_in_arguments_are_joined(ask: Ask) -> None:
    pieces = ['{"path": "\ud83c', '\udf89"}']
    deltas = [delta({"tool_calls": [{"index": 0, "function": {"arguments": p}}]}) for p in pieces]
    first = delta({"tool_calls": [{"index": 0, "function": {"name": "read_file"}}]})
    assert ask(first + deltas[0] + deltas[1]).calls == [("read_file", {"path": "🎉"})]


def test_a_lone_half_and_broken_bytes_are_replaced(ask: Ask) -> None:
    broken = b'data: {"choices":[{"delta":{"content":"x\xff\xfey"}}]}\n\n'
    answer = ask(delta({"content": "a\udf89b"}) + raw(broken) + finish())
    assert answer.message.text == "a\ufffdbx\ufffd\ufffdy"


def test_progress_of_the_prompt_is_told(ask: Ask) -> None:
    answer = ask(progress(10, 40, 60, total=60, cache=10) + text("Hello"))
    found = [event for event in answer.events if isinstance(event, PromptProgress)]
    assert found == [
        PromptProgress(10, 60, 10),
        PromptProgress(40, 60, 10),
        PromptProgress(60, 60, 10),
    ]


USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 7,
    "prompt_tokens_details": {"cached_tokens": 90},
}
END = finish(usage=None, timings=None, done=False)
COUNTED = Usage(prompt_tokens=100, completion_tokens=7, cached_tokens=90)


def chunk(**fields: Any) -> Reply:
    return event({"choices": [{"index": 0, "delta": {"content": "Hi"}}], **fields})


def choice(**fields: Any) -> Reply:
    return event({"choices": [{"index": 0, "delta": {"content": "Hi"}, **fields}]})


@pytest.mark.parametrize(
    "reply",
    [
        text("Hi") + finish(usage=USAGE, timings=None),
        chunk(usage=USAGE) + finish(usage=None, timings=None),
        chunk(usage=USAGE) + chunk(usage=None) + finish(usage=None, timings=None),
        chunk(usage={"prompt_tokens": 1}) + finish(usage=USAGE, timings=None),
        choice(usage=USAGE) + finish(usage=None, timings=None),
        chunk(x_groq={"id": "x", "usage": USAGE}) + finish(usage=None, timings=None),
        chunk() + finish(usage=None, timings=None, done=False) + event({"usage": USAGE}) + end(),
        chunk()
        + finish(usage=None, timings=None, done=False)
        + event({"choices": [], "usage": USAGE}),
    ],
    ids=[
        "last chunk",
        "a text chunk",
        "null afterwards",
        "running counts",
        "in the choice",
        "x_groq",
        "after the end, no choices",
        "after the end, no end",
    ],
)
def test_usage_is_found_wherever_it_is(ask: Ask, reply: Reply) -> None:
    assert ask(reply).done.usage == COUNTED


def test_cached_tokens_are_also_known_from_timings(ask: Ask) -> None:
    timings = {
        "cache_n": 20,
        "prompt_n": 4,
        "prompt_ms": 12.5,
        "predicted_n": 3,
        "predicted_ms": 30,
    }
    done = ask(text("Hi") + finish(usage={"prompt_tokens": 24}, timings=timings)).done
    assert done.usage == Usage(prompt_tokens=24, cached_tokens=20)
    assert done.timings == Timings(
        prompt_tokens=4, prompt_ms=12.5, generated_tokens=3, generation_ms=30.0
    )


@pytest.mark.parametrize("value", [None, "7", -1, True, 1.5, [], {}, 10**400])
def test_counts_that_are_none_are_unknown(ask: Ask, value: object) -> None:
    usage = {"prompt_tokens": value, "completion_tokens": 7, "prompt_tokens_details": value}
    timings = {"prompt_n": value, "cache_n": 3, "predicted_ms": value if value != 1.5 else None}
    done = ask(text("Hi") + finish(usage=usage, timings=timings)).done
    assert done.usage == Usage(completion_tokens=7, cached_tokens=3)
    assert done.timings == Timings()


def test_usage_is_asked_for_and_progress_from_llamacpp(
    ask: Ask, server: FaultServer, make_provider: Callable[..., Any]
) -> None:
    ask(text("Hi"))
    ask(text("Hi"), provider=make_provider("vllm"))
    of_llamacpp, of_vllm = (request.json for request in server.chat_requests)
    assert of_llamacpp["stream"] is of_vllm["stream"] is True
    assert of_llamacpp["stream_options"] == of_vllm["stream_options"] == {"include_usage": True}
    assert of_llamacpp["return_progress"] is True
    assert "return_progress" not in of_vllm


@pytest.mark.parametrize(
    "closing",
    [
        finish(done=False) + end(),
        finish("stop", usage=None, done=False) + end(),
        finish(reason=None),
        finish(reason=None, usage=None),
    ],
    ids=["no [DONE]", "no usage, no [DONE]", "no finish_reason", "nothing but [DONE]"],
)
def test_either_sign_of_the_end_is_enough(ask: Ask, closing: Reply) -> None:
    assert ask(text("Hello") + closing).message.text == "Hello"


def test_an_empty_finish_reason_is_none(ask: Ask) -> None:
    answer = ask(choice(finish_reason="") + choice(finish_reason="stop") + choice(finish_reason=""))
    assert (answer.message.text, answer.done.finish_reason) == ("HiHiHi", "stop")


def test_what_follows_the_end_is_not_read(ask: Ask) -> None:
    answer = ask(text("Hello") + finish() + raw(b"data: {broken\n\n") + text("more") + end())
    assert answer.message.text == "Hello"


@pytest.mark.parametrize("size", [1, 50, 100_000])
@pytest.mark.parametrize(
    "tail",
    [b"data: {broken\n\n", b"data: 5\n\n", b'data: {"error":"late"}\n\n', b"error: late\n\n"],
)
def test_what_follows_a_complete_answer_cannot_spoil_it(ask: Ask, size: int, tail: bytes) -> None:
    reply = text("Hello") + finish(usage=None, done=False) + raw(tail) + event({"usage": USAGE})
    answer = ask((reply + end()).split(size))
    assert answer.message.text == "Hello"
    assert answer.done.usage == COUNTED


def test_the_last_line_needs_no_line_end(ask: Ask) -> None:
    assert ask(text("Hello") + finish(reason=None, done=False) + raw(b"data: [DONE]")).message.text


@pytest.mark.parametrize("space", [b"", b" ", b"\t", b"   "])
def test_spaces_after_data_do_not_matter(ask: Ask, space: bytes) -> None:
    body = b'data:%b{"choices":[{"delta":{"content":"Hi"}}]}\n\ndata:%b[DONE]\n\n' % (space, space)
    assert ask(raw(body)).message.text == "Hi"


def test_other_lines_of_events_are_passed_over(ask: Ask) -> None:
    noise = raw(b"event: message\nid: 7\nretry: 100\nwhatever\n")
    assert ask(noise + text("Hello")).message.text == "Hello"


WHOLE = {
    "object": "chat.completion",
    "usage": USAGE,
    "choices": [
        {
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": "I look.",
                "reasoning_content": "Hm.",
                "tool_calls": [{"function": {"name": "read_file", "arguments": A}}],
            },
        }
    ],
}


@pytest.mark.parametrize("content_type", ["application/json", "text/event-stream", "text/plain"])
@pytest.mark.parametrize("size", [1, 5000])
def test_a_server_that_does_not_stream_is_understood(
    ask: Ask, content_type: str, size: int
) -> None:
    reply = status(200, WHOLE, {"Content-Type": content_type}).split(size)
    answer = ask(reply)
    assert answer.message.text == "I look."
    assert answer.message.thinking == "Hm."
    assert answer.calls == [("read_file", A)]
    assert (answer.done.usage, answer.done.finish_reason) == (COUNTED, "tool_calls")


def test_a_whole_message_in_one_event_is_understood(ask: Ask) -> None:
    assert ask(event(WHOLE) + event("[DONE]")).calls == [("read_file", A)]


def test_a_message_that_repeats_the_deltas_is_passed_over(ask: Ask) -> None:
    last = {"index": 0, "finish_reason": "stop", "delta": {}, "message": {"content": "Hello"}}
    answer = ask(text("Hello") + event({"choices": [last]}) + event("[DONE]"))
    assert answer.message.text == "Hello"


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", "application/x-ndjson"])
def test_a_stream_is_one_whatever_its_content_type_says(ask: Ask, content_type: str) -> None:
    stream = text("Hello there")
    reply = Reply(stream.steps, headers={"content-type": content_type})
    assert ask(reply).message.text == "Hello there"


def test_a_byte_order_mark_is_passed_over(ask: Ask) -> None:
    assert ask(raw(b"\xef\xbb\xbf") + text("Hello")).message.text == "Hello"


def test_the_role_is_system_and_never_developer(ask: Ask, server: FaultServer) -> None:
    ask(text("Hi"))
    assert [m["role"] for m in server.chat_requests[0].json["messages"]] == ["system", "user"]
