"""Answers of the fault server's vocabulary, played in process: no socket, no bytes."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from typing import Any

from minime_core.errors import ServerFault, StatusError, StreamCut
from minime_core.events import (
    MessageDone,
    ModelEvent,
    PromptProgress,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
)
from minime_core.messages import Message, ToolCall, Usage

from .completion import count_tokens
from .gate import Gate
from .steps import Call, Calls, Delta, Ending, Failure, Finish, Progress, Reply

THINKING = ("reasoning_content", "reasoning")


async def play(reply: Reply, prompt: str = "") -> AsyncGenerator[ModelEvent, None]:
    """Yield what a provider makes of `reply`.

    prompt: the text of the request, whose tokens are counted.

    Raises the ProviderError that the reply stands for, and TypeError for one that is made of bytes:
    that needs a server.
    """
    if reply.status != 200:
        raise StatusError(_message(reply), status=reply.status)
    if reply.interruption or reply.sizes:
        raise TypeError("a reply that is cut into bytes needs a FaultServer")
    text, thinking, finish = "", "", ""
    calls: list[ToolCall] = []
    usage = Usage(prompt_tokens=count_tokens(prompt.encode()), completion_tokens=len(reply.steps))
    for step in reply.steps:
        match step:
            case Delta(fields):
                for event in _deltas(fields):
                    if isinstance(event, TextDelta):
                        text += event.text
                    else:
                        thinking += event.text
                    yield event
            case Calls(written):
                for fragment in _fragments(written, len(calls)):
                    yield fragment
                calls += map(_call, written)
            case Progress(done, total, cached):
                yield PromptProgress(done, total, cached)
            case Failure(_, body):
                raise ServerFault(str(body["error"]["message"]))
            case Finish(reason, counts):
                finish = reason or ""
                if isinstance(counts, Mapping):
                    usage = Usage(
                        prompt_tokens=counts.get("prompt_tokens"),
                        completion_tokens=counts.get("completion_tokens"),
                    )
                elif counts is None:
                    usage = Usage()
            case Gate():
                await step.wait_open()
            case Ending.END:
                break
            case Ending():
                raise StreamCut(step.value)
            case _:
                raise TypeError(f"{type(step).__name__} is sent as bytes: that needs a FaultServer")
    if finish in ("", "auto"):
        finish = "tool_calls" if calls else "stop"
    message = Message(role="assistant", text=text, thinking=thinking, calls=tuple(calls))
    yield MessageDone(message=message, usage=usage, finish_reason=finish)


def _deltas(fields: Mapping[str, Any]) -> Iterator[TextDelta | ThinkingDelta]:
    for key, value in fields.items():
        if key == "content":
            yield TextDelta(value)
        elif key in THINKING:
            yield ThinkingDelta(value)
        else:
            raise TypeError(f"a delta with {key} needs a FaultServer")


def _fragments(written: Iterable[Call], first: int) -> Iterator[ToolCallDelta]:
    for index, call in enumerate(written, start=first):
        for fragment in call.fragments:
            text = fragment if isinstance(fragment, str) else json.dumps(fragment)
            yield ToolCallDelta(index, call.name, text)


def _call(written: Call) -> ToolCall:
    text = "".join(f if isinstance(f, str) else json.dumps(f) for f in written.fragments)
    try:
        arguments = json.loads(text)
    except ValueError:
        arguments = None
    if isinstance(arguments, dict):
        return ToolCall(name=written.name, arguments=arguments)
    return ToolCall(name=written.name, arguments={}, raw=text)


def _message(reply: Reply) -> str:
    return f"the server answered with status {reply.status}"
