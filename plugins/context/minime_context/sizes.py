"""How much is sent, in bytes of UTF-8.

Bytes tell more of tokens than characters do: a token is three to four bytes of English, of code and
of Chinese alike.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from minime_core.messages import Message
from minime_core.tools import Tool

ENVELOPE = 16
"""Bytes that a chat template writes around a message, about four tokens."""
IMAGE = 4_096
"""Bytes that a picture is counted as: most vision models make 256 to 1,280 tokens of one."""


def text_bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def tool_bytes(tool: Tool) -> int:
    """Return the size of a tool as it stands in the prompt."""
    schema = json.dumps(tool.schema, ensure_ascii=False)
    return text_bytes(tool.name) + text_bytes(tool.description) + text_bytes(schema)


def call_bytes(message: Message) -> int:
    """Return the size of a message's calls."""
    return sum(
        text_bytes(call.name) + text_bytes(json.dumps(dict(call.arguments), ensure_ascii=False))
        for call in message.calls
    )


class Sizes:
    """Sizes of messages and tools; each is measured once, for it never changes."""

    def __init__(self) -> None:
        # By identity, as views hold the same objects again and again; each is kept with its size so
        # that its id is not given to another one.
        self._messages: dict[int, tuple[Message, int]] = {}
        self._tools: tuple[Sequence[Tool], int] = ((), 0)
        # A request is measured several times.
        self._last: tuple[Sequence[Message], int] = ((), 0)

    def of(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> int:
        """Return the size of a request."""
        if messages is not self._last[0]:
            known, self._messages = self._messages, {}
            total = 0
            for message in messages:
                kept = known.get(id(message)) or (message, self.of_message(message))
                self._messages[id(message)] = kept
                total += kept[1]
            self._last = messages, total
        return self._last[1] + self.of_tools(tools)

    def of_message(self, message: Message) -> int:
        if (known := self._messages.get(id(message))) is not None:
            return known[1]
        pictures = IMAGE * len(message.images)
        return ENVELOPE + text_bytes(message.text) + call_bytes(message) + pictures

    def of_tools(self, tools: Sequence[Tool]) -> int:
        if self._tools[0] != tools:
            self._tools = (tools, sum(tool_bytes(tool) for tool in tools))
        return self._tools[1]
