"""Text tool mode: tools in the prompt, for models whose chat template has no place for them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace

from minime_core.errors import ConfigError
from minime_core.events import Heartbeat, MessageDone, ModelEvent, Retracted, TextDelta
from minime_core.formats import Reader, ToolFormat
from minime_core.middleware import ModelCall
from minime_core.models import ModelRequest
from minime_core.session import Session
from minime_tool_formats.choices import calls_since_question, untried, with_choices
from minime_tool_formats.prompt import Prompt


class TextMode:
    """The layer. Whether it does anything is known with the first request."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._is_on: bool | None = {"text": True, "native": False}.get(session.settings.tool_mode)
        self._prompt: Prompt | None = None

    def wrap(self, request: ModelRequest, call_next: ModelCall) -> AsyncGenerator[ModelEvent, None]:
        """Pass the request on as it is where the template renders tools."""
        if self._is_on is False or not request.tools:
            return call_next(request)
        return self._ask(request, call_next)

    async def _ask(
        self, request: ModelRequest, call_next: ModelCall
    ) -> AsyncGenerator[ModelEvent, None]:
        if self._is_on is None:
            info = self._session.info
            if info.renders_tools is None:
                # It may have been down when the session began.
                info = await self._session.provider.info()
            self._is_on = info.renders_tools is False
        if not self._is_on:
            events = call_next(request)
        else:
            if self._prompt is None:
                self._prompt = Prompt(self._format(), self._session.settings.examples)
            if self._session.settings.enforce_choices:
                request = self._narrowed(request)
            events = call_next(self._prompt.convert(request))
            # Without a reader of its own, the calls are found by the layer inside.
            if self._prompt.syntax.reader(self._session.tools) is not None:
                events = _read(self._begin, events)
        async with aclosing(events):
            async for event in events:
                yield event

    def _narrowed(self, request: ModelRequest) -> ModelRequest:
        context = self._session.tool_context()
        calls = calls_since_question(request.messages)
        tools = []
        for tool in request.tools:
            choices = tool.choices(request.turn.question, context)
            left = {name: untried(tool, name, values, calls) for name, values in choices.items()}
            # A model this small would make the same call again: what is left is to answer.
            if all(left.values()):
                tools.append(with_choices(tool, left))
        return replace(request, tools=tools)

    def _begin(self) -> Reader:
        assert self._prompt is not None
        reader = self._prompt.syntax.reader(self._session.tools)
        assert reader is not None
        return reader

    def _format(self) -> ToolFormat:
        name = self._session.settings.tool_format
        if name not in self._session.formats:
            known = ", ".join(sorted(self._session.formats))
            raise ConfigError(f"tool_format is {name!r}; it can be {known}")
        return self._session.formats[name]


async def _read(
    begin: Callable[[], Reader], events: AsyncGenerator[ModelEvent, None]
) -> AsyncGenerator[ModelEvent, None]:
    """Take the calls out of the text of an answer, which a reader `begin`s to read."""
    reader, was_fed = begin(), False
    shown: list[str] = []
    async with aclosing(events):
        async for event in events:
            if isinstance(event, TextDelta):
                was_fed = True
                shown.append(reader.feed(event.text))
                yield TextDelta(shown[-1]) if shown[-1] else Heartbeat()
            elif isinstance(event, MessageDone):
                message = event.message
                rest = "" if was_fed else reader.feed(message.text)
                held, calls = reader.end()
                if rest := rest + held:
                    yield TextDelta(rest)
                # Calls that came otherwise, found by the layer inside, are kept.
                yield replace(
                    event,
                    message=replace(
                        message,
                        text="".join(shown) + rest,
                        calls=message.calls or tuple(calls),
                    ),
                )
            else:
                if isinstance(event, Retracted) and not event.thinking_only:
                    reader, shown = begin(), []
                yield event
