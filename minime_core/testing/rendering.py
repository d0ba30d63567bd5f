"""Turn a reply into the bytes, waits and ending that answer one request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle

from .completion import Completion
from .gate import Gate
from .json_answer import json_answer
from .json_body import JSON_TYPE
from .steps import Ending, Raw, Reply, is_answer
from .stream_answer import StreamAnswer

EVENT_STREAM = "text/event-stream"

Action = bytes | Gate | Ending


@dataclass(frozen=True)
class Rendered:
    """An answer as it goes out.

    Attributes:
        status: the HTTP status.
        headers: names in lower case, without those of the framing.
        length: bytes of the body, or None for a chunked one.
        actions: what to send, where to wait, and the ending if it is not the usual one.
    """

    status: int
    headers: Mapping[str, str]
    length: int | None
    actions: Iterator[Action]


def render(reply: Reply, completion: Completion) -> Rendered:
    """Render a reply as an event stream, as one JSON body, or as the plain body that it holds."""
    status, length = reply.status, None
    content_type = reply.headers.get("content-type", EVENT_STREAM)
    actions: Iterable[Action]
    if not completion.stream and is_answer(reply.steps):
        answer = json_answer(reply.steps, completion)
        status = answer.status or status
        content_type = reply.headers.get("content-type", JSON_TYPE)
        length = len(answer.body)
        sent = length if answer.ending is Ending.END else length // 2
        actions = [*answer.waits, answer.body[:sent], answer.ending]
    elif content_type != EVENT_STREAM and all(isinstance(step, Raw) for step in reply.steps):
        body = b"".join(step.data for step in reply.steps if isinstance(step, Raw))
        length = len(body)
        actions = [body]
    else:
        actions = _with_line_end(StreamAnswer(completion).actions(reply.steps), reply.line_end)
    if reply.interruption is not None:
        after_bytes, takeover = reply.interruption
        actions = _interrupted(actions, after_bytes, render(takeover, completion).actions)
        length = None
    if reply.sizes:
        actions = _split(actions, reply.sizes)
    return Rendered(status, {**reply.headers, "content-type": content_type}, length, iter(actions))


def _with_line_end(actions: Iterable[Action], line_end: bytes) -> Iterator[Action]:
    for action in actions:
        yield action.replace(b"\n", line_end) if isinstance(action, bytes) else action


def _interrupted(
    actions: Iterable[Action], after_bytes: int, takeover: Iterator[Action]
) -> Iterator[Action]:
    left = after_bytes
    for action in actions:
        if isinstance(action, Ending):
            yield action
            return
        if not isinstance(action, bytes):
            yield action
            continue
        yield action[:left]
        left -= len(action)
        if left <= 0:
            yield from takeover
            return


def _split(actions: Iterable[Action], sizes: tuple[int, ...]) -> Iterator[Action]:
    """Cut the bytes anew; those before a wait or the ending are sent first."""
    size = cycle(sizes)
    wanted, held = next(size), b""
    for action in actions:
        if not isinstance(action, bytes):
            if held:
                yield held
            held = b""
            yield action
            continue
        held, start = held + action, 0
        while len(held) - start >= wanted:
            yield held[start : start + wanted]
            start, wanted = start + wanted, next(size)
        held = held[start:]
    if held:
        yield held
