"""The answer to a request that does not stream: the same content in one JSON body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .completion import Completion
from .gate import Gate
from .json_body import compact_json
from .steps import Call, Calls, Delta, Ending, Endless, Failure, Finish, Step


@dataclass(frozen=True)
class JsonAnswer:
    """One JSON body.

    Attributes:
        status: the HTTP status, if the answer has one of its own.
        waits: gates to pass before anything is sent.
        body: the JSON.
        ending: what happens to the connection.
    """

    status: int | None
    waits: list[Gate]
    body: bytes
    ending: Ending


def json_answer(steps: Sequence[Step], completion: Completion) -> JsonAnswer:
    """Fold the steps of a reply into one body; events and raw bytes have no place in it."""
    message: dict[str, Any] = {"role": "assistant", "content": None}
    waits: list[Gate] = []
    finish, ending, deltas, failure = Finish(), Ending.END, 0, None
    for step in steps:
        match step:
            case Delta(fields):
                _merge(message, fields)
                deltas += 1
            case Calls(calls):
                written = message.setdefault("tool_calls", [])
                for call in calls:
                    written.append(_whole(call, completion, len(written)))
                    deltas += len(call.fragments)
            case Gate():
                waits.append(step)
            case Endless():
                waits.append(Gate())
            case Finish():
                finish = step
            case Failure():
                failure = step
            case Ending():
                ending = step
    if failure is not None:
        return JsonAnswer(failure.status, waits, compact_json(failure.body).encode(), ending)
    reason = finish.reason
    if reason == "auto":
        reason = "tool_calls" if "tool_calls" in message else "stop"
    choice = {"finish_reason": reason, "index": 0, "message": message}
    figures = completion.figures(finish, deltas)
    answer = completion.envelope("chat.completion", [choice], **figures)
    return JsonAnswer(None, waits, compact_json(answer).encode(), ending)


def _merge(message: dict[str, Any], fields: Mapping[str, Any]) -> None:
    for key, value in fields.items():
        before = message.get(key)
        goes_on = isinstance(before, str | list) and type(before) is type(value)
        message[key] = before + value if goes_on and key != "role" else value


def _whole(call: Call, completion: Completion, position: int) -> dict[str, Any]:
    arguments: Any = call.fragments[0]
    if isinstance(arguments, str):
        arguments = "".join(map(str, call.fragments))
    function = {"name": call.name, "arguments": arguments}
    return {"type": "function", "function": function, **completion.call_id(call, position)}
