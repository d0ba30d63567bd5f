"""Text tool mode: tools as a part of the prompt, for models whose chat template has no place for them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from minime_core.errors import ConfigError
from minime_core.events import MessageDone, ModelEvent, TextDelta
from minime_core.formats import ToolFormat
from minime_core.messages import Message, ToolCall
from minime_core.middleware import ModelCall
from minime_core.models import ModelRequest
from minime_core.session import Session


class TextMode:
    """The layer. Whether it does anything is known with the first request."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._is_on: bool | None = {"text": True, "native": False}.get(session.settings.tool_mode)
        # By identity, as messages are the same objects in each view.
        self._converted: dict[int, tuple[Message, Message]] = {}
        self._examples: list[Message] | None = None

    def wrap(
        self, request: ModelRequest, call_next: ModelCall
    ) -> AsyncGenerator[ModelEvent, None]:
        """Pass the request on as it is where the template renders tools."""
        if self._is_on is False or not request.tools:
            return call_next(request)
        return self._ask(request, call_next)

    async def _ask(
        self, request: ModelRequest, call_next: ModelCall
    ) -> AsyncGenerator[ModelEvent, None]:
        if self._is_on is None:
            self._is_on = (await self._session.info()).renders_tools is False
        if not self._is_on:
            async with aclosing(call_next(request)) as events:
                async for event in events:
                    yield event
            return
        syntax = self._format()
        reader = syntax.reader(self._session.tools)
        async with aclosing(call_next(self._as_text(request, syntax))) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    if shown := reader.feed(event.text):
                        yield TextDelta(shown)
                elif isinstance(event, MessageDone):
                    rest, calls = reader.end()
                    if rest:
                        yield TextDelta(rest)
                    yield self._done(event, syntax, calls)
                else:
                    yield event

    def _done(self, event: MessageDone, syntax: ToolFormat, calls: list[ToolCall]) -> MessageDone:
        # Read again as a whole, since what was shown came in pieces.
        reader = syntax.reader(self._session.tools)
        text = reader.feed(event.message.text) + reader.end()[0]
        return replace(event, message=replace(event.message, text=text, calls=tuple(calls)))

    def _format(self) -> ToolFormat:
        name = self._session.settings.tool_format
        if name not in self._session.formats:
            known = ", ".join(sorted(self._session.formats))
            raise ConfigError(f"tool_format is {name!r}; it can be {known}")
        return self._session.formats[name]

    def _as_text(self, request: ModelRequest, syntax: ToolFormat) -> ModelRequest:
        system = request.messages[0]
        first = self._convert(system, syntax, request, {})
        names = {call.id: call.name for m in request.messages for call in m.calls}
        rest = [self._convert(m, syntax, request, names) for m in request.messages[1:]]
        if self._examples is None:
            self._examples = list(_examples(self._session.settings.examples, syntax))
        allowed = request.tools if request.tool_choice != "none" else ()
        extra = {k: v for k, v in request.extra.items() if k != "parallel_tool_calls"}
        return replace(
            request,
            messages=[first, *self._examples, *rest],
            tools=(),
            tool_choice="auto",
            schema=syntax.constraint(allowed),
            extra=extra,
        )

    def _convert(
        self, message: Message, syntax: ToolFormat, request: ModelRequest, names: Mapping[str, str]
    ) -> Message:
        known = self._converted.get(id(message))
        if known is not None:
            return known[1]
        converted = message
        if message.role == "system":
            text = f"{message.text}\n\n{syntax.render_tools(request.tools)}"
            converted = replace(message, text=text)
        elif message.role == "assistant":
            text = syntax.render_answer(message.text, message.calls)
            converted = replace(message, text=text, calls=())
        elif message.role == "tool":
            text = syntax.render_result(names.get(message.call_id, "tool"), message.text)
            converted = Message(role="user", text=text)
        self._converted[id(message)] = (message, converted)
        return converted


def _examples(examples: list[dict[str, Any]], syntax: ToolFormat) -> list[Message]:
    """Return the turns of the profile's examples: `user`, then `tool` and `arguments` or `answer`."""
    messages = []
    for example in examples:
        if isinstance(example.get("result"), str):
            text = syntax.render_result(str(example.get("of", "tool")), example["result"])
            messages.append(Message(role="user", text=text))
        elif isinstance(example.get("user"), str):
            messages.append(Message(role="user", text=example["user"]))
        if isinstance(example.get("tool"), str):
            call = ToolCall(name=example["tool"], arguments=example.get("arguments", {}))
            messages.append(Message(role="assistant", text=syntax.render_answer("", [call])))
        elif isinstance(example.get("answer"), str):
            messages.append(
                Message(role="assistant", text=syntax.render_answer(example["answer"], []))
            )
    return messages
