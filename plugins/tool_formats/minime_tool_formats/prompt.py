"""A request with tools as one in which they are text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from minime_core.formats import ToolFormat
from minime_core.messages import Message, ToolCall
from minime_core.models import ModelRequest
from minime_core.tools import Tool


class Prompt:
    """Converts the requests of one session.

    examples: those of the profile; see `settings.Settings`.
    """

    def __init__(self, syntax: ToolFormat, examples: Sequence[Mapping[str, Any]]) -> None:
        self.syntax = syntax
        self._examples = list(_turns(examples, syntax))
        # By identity, as messages are the same objects in each view; each is kept with its
        # conversion so that its id is not given to another one.
        self._converted: dict[int, tuple[Message, Message]] = {}

    def convert(self, request: ModelRequest) -> ModelRequest:
        """Return `request` with tools, calls and results as text.

        It begins with the same bytes as the one before it. Where no tool shall be called the tools
        stay in the prompt, but the answer is constrained to be none.
        """
        names = {call.id: call.name for message in request.messages for call in message.calls}
        system, *rest = (self._message(m, request.tools, names) for m in request.messages)
        callable_tools = request.tools if request.tool_choice != "none" else ()
        return replace(
            request,
            messages=[system, *self._examples, *rest],
            tools=(),
            tool_choice="auto",
            schema=self.syntax.constraint(callable_tools),
            extra={k: v for k, v in request.extra.items() if k != "parallel_tool_calls"},
        )

    def _message(
        self, message: Message, tools: Sequence[Tool], names: Mapping[str, str]
    ) -> Message:
        known = self._converted.get(id(message))
        if known is None:
            known = self._converted[id(message)] = (message, self._text(message, tools, names))
        return known[1]

    def _text(self, message: Message, tools: Sequence[Tool], names: Mapping[str, str]) -> Message:
        if message.role == "system":
            text = f"{message.text}\n\n{self.syntax.render_tools(tools)}"
            return replace(message, text=text)
        if message.role == "assistant":
            text = self.syntax.render_answer(message.text, message.calls)
            return replace(message, text=text, calls=())
        if message.role == "tool":
            name = names.get(message.call_id, "tool")
            return Message(role="user", text=self.syntax.render_result(name, message.text))
        return message


def _turns(examples: Sequence[Mapping[str, Any]], syntax: ToolFormat) -> Iterator[Message]:
    """Yield the turns of examples: `user` or `result`, then `tool` and `arguments` or `answer`."""
    for example in examples:
        result, user = example.get("result"), example.get("user")
        if isinstance(result, str):
            text = syntax.render_result(str(example.get("of", "tool")), result)
            yield Message(role="user", text=text)
        elif isinstance(user, str):
            yield Message(role="user", text=user)
        tool, answer = example.get("tool"), example.get("answer")
        if isinstance(tool, str):
            call = ToolCall(name=tool, arguments=example.get("arguments", {}))
            yield Message(role="assistant", text=syntax.render_answer("", [call]))
        elif isinstance(answer, str):
            yield Message(role="assistant", text=syntax.render_answer(answer, []))
