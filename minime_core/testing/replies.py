"""What the fault server answers, written as small pieces that are joined with `+`.

    thinking("A listing.") + text("I look. ") + tool_call("bash", {"command": "ls"})
    text("Hel") + stall()
    comments(2) + text("Hel") + raw(b'data: {"choi') + reset()
    text("Hello").interrupted(after_bytes=100)

A reply with a piece of a model's answer in it gets by itself what llama-server sends around it:
the opening chunk with the role, the closing chunk with `finish_reason`, the usage if the request
asked for it, and `[DONE]`. Write `finish(...)` or an ending (`end`, `cut`, `reset`, `crash`,
`error_event`, `stall`) to have something else. Status and headers go out with the first piece of
the body, so that `stall()` or `cut()` alone is a server that accepts the request and says nothing.

The shapes are those of recorded answers of llama.cpp's llama-server (October 2026).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from itertools import pairwise
from pathlib import Path
from typing import Any

from .gate import Gate
from .json_body import JSON_TYPE, compact_json, error_body
from .steps import (
    Auto,
    Call,
    Calls,
    Delta,
    Ending,
    Endless,
    Event,
    Failure,
    Finish,
    Progress,
    Raw,
    Reply,
)

ENDLESS_LIMIT = 64 * 1024 * 1024


def text(content: str, *, chunks: int | None = None) -> Reply:
    """Answer with text.

    Args:
        content: the text.
        chunks: how many deltas it is sent in; one a word by default.
    """
    return _deltas("content", content, chunks)


def thinking(content: str, *, chunks: int | None = None, field: str = "reasoning_content") -> Reply:
    """Think aloud.

    Args:
        content: the thought.
        chunks: how many deltas it is sent in; one a word by default.
        field: the key in the delta; vLLM, Ollama and OpenRouter say `reasoning`.
    """
    return _deltas(field, content, chunks)


def tool_call(
    name: str,
    arguments: Mapping[str, Any] | str,
    *,
    fragments: int = 3,
    id: str | None = "auto",
    index: int | Auto | None = "auto",
    as_object: bool = False,
) -> Reply:
    """Call a tool. Join several with `+`, or with `parallel` to have them in the same deltas.

    Args:
        name: the tool's name.
        arguments: the arguments, or the raw text that stands for them.
        fragments: how many deltas the arguments are sent in; 1 sends the whole call at once.
        id: the call's id; by default one that is unique in the server; `None` leaves it out.
        index: the call's index; by default calls are counted; `None` leaves it out.
        as_object: send the arguments as a JSON object and not as text, in one piece.
    """
    if as_object and not isinstance(arguments, str):
        return Reply((Calls((Call(name, (arguments,), id, index),)),))
    written = arguments if isinstance(arguments, str) else compact_json(arguments)
    return Reply((Calls((Call(name, _cut_up(written, fragments), id, index),)),))


def parallel(*calls: Reply) -> Reply:
    """Send several tool calls side by side: each delta carries the next fragment of every call.

    Raises:
        ValueError: something else than tool calls is given.
    """
    steps = [step for reply in calls for step in reply.steps]
    together = [step.calls for step in steps if isinstance(step, Calls)]
    if len(together) != len(steps):
        raise ValueError("parallel takes nothing but tool calls")
    return Reply((Calls(tuple(call for group in together for call in group)),))


def delta(fields: Mapping[str, Any]) -> Reply:
    """Send one chunk with a delta of any shape."""
    return Reply((Delta(fields),))


def progress(*processed: int, total: int, cache: int = 0) -> Reply:
    """Tell how much of the prompt was read, one `prompt_progress` chunk for each number.

    Args:
        processed: tokens read so far.
        total: tokens of the prompt.
        cache: tokens of it that were in the cache.
    """
    return Reply(tuple(Progress(done, total, cache) for done in processed))


def comments(count: int = 1, comment: str = "keep-alive") -> Reply:
    """Send SSE comments, which keep a connection alive and mean nothing."""
    return raw(f": {comment}\n\n".encode() * count)


def event(data: Any) -> Reply:
    """Send one event of any shape: text as it is, anything else as JSON."""
    return Reply((Event(data),))


def error_event(message: str, *, code: int = 500, type: str | None = None) -> Reply:
    """End a stream of status 200 with an error event and no `[DONE]`, as llama-server does.

    A request that does not stream is answered with this status and error instead.
    """
    return Reply((Failure(code, error_body(code, message, type)), Ending.END))


def endless(piece: Reply, *, limit: int = ENDLESS_LIMIT) -> Reply:
    """Repeat a piece until the client hangs up, at the speed at which it reads.

    A request that does not stream is never answered.

    Args:
        piece: what is repeated: text, thinking, deltas, events, comments or raw bytes.
        limit: bytes after which the reply goes on with its next piece, so that a client that
            never hangs up cannot hang a test.

    Raises:
        ValueError: the piece ends or waits, or sends no bytes.
    """
    steps = tuple(step for step in piece.steps if isinstance(step, Delta | Event | Raw))
    if len(steps) != len(piece.steps):
        raise ValueError("endless repeats text, thinking, deltas, events, comments or raw bytes")
    if all(isinstance(step, Raw) and not step.data for step in steps):
        raise ValueError("endless needs bytes to repeat")
    return Reply((Endless(steps, limit),))


def hold(gate: Gate) -> Reply:
    """Send nothing until the test opens the gate."""
    return Reply((gate,))


def stall() -> Reply:
    """Hold the connection open and silent until the client leaves or the server stops."""
    return hold(Gate())


def finish(
    reason: str | None = "auto",
    *,
    usage: Mapping[str, Any] | Auto | None = "auto",
    timings: Mapping[str, Any] | Auto | None = "auto",
    done: bool = True,
) -> Reply:
    """Close the answer. Alone, it is an answer with nothing in it.

    Args:
        reason: the `finish_reason`; `"auto"` is `tool_calls` after a call, else `stop`; `None`
            leaves the chunk out.
        usage: sent if the request has `stream_options.include_usage`; `"auto"` counts a token
            for every four bytes of the request and one for every delta; `None` leaves it out.
        timings: llama-server's figures; `"auto"` follows the usage; `None` leaves them out.
        done: whether `[DONE]` is sent.
    """
    return Reply((Finish(reason, usage, timings, done),))


def end() -> Reply:
    """End the body correctly, with nothing more in it."""
    return Reply((Ending.END,))


def cut() -> Reply:
    """Close the connection in the middle of the body."""
    return Reply((Ending.CUT,))


def reset() -> Reply:
    """Reset the connection (TCP RST)."""
    return Reply((Ending.RESET,))


def crash() -> Reply:
    """Stop the whole server: every connection is lost and new ones are refused."""
    return Reply((Ending.CRASH,))


def raw(data: bytes) -> Reply:
    """Send bytes of the body as they are."""
    return Reply((Raw(data),))


def status(
    code: int,
    body: bytes | str | Mapping[str, Any] | Sequence[Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """Answer with an HTTP status.

    Args:
        code: the status.
        body: bytes as they are, JSON, or the message of a llama-server error; by default the
            error says what the status means.
        headers: headers such as `Retry-After`.
    """
    lowered = {name.lower(): value for name, value in (headers or {}).items()}
    if isinstance(body, bytes):
        lowered.setdefault("content-type", "text/plain; charset=utf-8")
        return Reply((Raw(body),), code, lowered)
    if body is None:
        body = HTTPStatus(code).phrase
    payload = error_body(code, body) if isinstance(body, str) else body
    lowered.setdefault("content-type", JSON_TYPE)
    return Reply((Raw(compact_json(payload).encode()),), code, lowered)


def html(code: int = 200, title: str = "Sign in to the network") -> Reply:
    """Answer with a web page, as proxies and captive portals do."""
    page = f"<!doctype html><html><head><title>{title}</title></head><body>{title}</body></html>"
    return status(code, page.encode(), {"Content-Type": "text/html; charset=utf-8"})


def trace(body: bytes | str | Path) -> Reply:
    """Replay the recorded body of a chat completion, byte for byte.

    A body that is one JSON object with an `error` in it goes out with the status that it names.

    Args:
        body: the bytes, or the file that holds them.
    """
    data = body if isinstance(body, bytes) else Path(body).read_bytes()
    refusal = re.match(rb'\{"error":\{"code":(\d{3})', data)
    if refusal:
        return status(int(refusal[1]), data, {"Content-Type": JSON_TYPE})
    return Reply(tuple(Raw(event) for event in re.split(rb"(?<=\n\n)", data) if event))


def _deltas(key: str, content: str, chunks: int | None) -> Reply:
    if chunks is None:
        pieces = tuple(re.findall(r"\s*\S+|\s+\Z", content)) or ("",)
    else:
        pieces = _cut_up(content, chunks)
    return Reply(tuple(Delta({key: piece}) for piece in pieces))


def _cut_up(content: str, count: int) -> tuple[str, ...]:
    if count < 1:
        raise ValueError("content is sent in at least one piece")
    bounds = [len(content) * number // count for number in range(count + 1)]
    return tuple(content[start:stop] for start, stop in pairwise(bounds))
