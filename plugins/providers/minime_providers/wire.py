"""A model request as the body of a chat completion: bytes, the same for the same history.

Each message is serialised once and kept, so that a request costs what is new in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from minime_core.messages import Message
from minime_core.models import ModelRequest
from minime_core.tools import Tool
from minime_shared.schemas import reduce_schema, tool_parameters


class Serialiser:
    """Builds the bodies of one session's requests.

    extra: fields that this server wants in each request.
    keeps_thinking: whether the model reads again what it thought before.
    """

    def __init__(self, extra: Mapping[str, Any], *, keeps_thinking: bool = False) -> None:
        self._extra = dict(extra)
        self._keeps_thinking = keeps_thinking
        # The last request's messages, by identity: a view holds the same objects as the one before.
        # The message is kept with its bytes so that its id is not given to another one.
        self._messages: dict[int, tuple[Message, bytes]] = {}
        self._tools: tuple[tuple[Tool, ...], bytes] = ((), b"[]")
        self._dropped: set[str] = set()

    def body(self, request: ModelRequest) -> bytes:
        """Return the body of `request`, without the fields that were dropped."""
        parts = [b'{"messages":[' + self._message_list(request.messages) + b"]"]
        if request.tools:
            parts.append(b'"tools":' + self._tool_list(request.tools))
        for key, value in self._fields(request).items():
            parts.append(_dump(key) + b":" + _dump(value))
        return b",".join(parts) + b"}"

    def optional_fields(self, request: ModelRequest) -> set[str]:
        """Return the names of the fields that a server may do without."""
        return set(self._fields(request)) - {"model", "stream"}

    def drop(self, names: Iterable[str]) -> None:
        """Leave these fields out from now on: this server refuses them."""
        self._dropped.update(names)

    def restore(self, names: Iterable[str]) -> None:
        """Send these fields again."""
        self._dropped.difference_update(names)

    def _fields(self, request: ModelRequest) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "model": request.model,
            "stream": request.stream,
            **({"stream_options": {"include_usage": True}} if request.stream else {}),
            **request.sampling,
            **self._extra,
            **request.extra,
        }
        if request.max_tokens is not None:
            newer = "max_completion_tokens"
            fields[newer if "max_tokens" in self._dropped else "max_tokens"] = request.max_tokens
        if request.tools and request.tool_choice != "auto":
            fields["tool_choice"] = request.tool_choice
        if request.schema is not None:
            schema = reduce_schema(request.schema)
            fields["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": schema, "strict": True},
            }
        return {key: value for key, value in fields.items() if key not in self._dropped}

    def _message_list(self, messages: Sequence[Message]) -> bytes:
        known, self._messages = self._messages, {}
        for message in messages:
            kept = known.get(id(message)) or (message, _dump(self._plain(message)))
            self._messages[id(message)] = kept
        return b",".join(self._messages[id(message)][1] for message in messages)

    def _plain(self, message: Message) -> dict[str, Any]:
        plain = _plain(message)
        if self._keeps_thinking and message.thinking:
            # As the server sent it; of 71 chat templates none refuses it.
            plain["reasoning_content"] = message.thinking
        return plain

    def _tool_list(self, tools: Sequence[Tool]) -> bytes:
        if self._tools[0] != (known := tuple(tools)):
            self._tools = (known, _dump([_tool(tool) for tool in known]))
        return self._tools[1]


def _plain(message: Message) -> dict[str, Any]:
    plain: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.images:
        pictures = [{"type": "image_url", "image_url": {"url": url}} for url in message.images]
        plain["content"] = [{"type": "text", "text": message.text}, *pictures]
    if message.calls:
        plain["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {
                    "name": call.name,
                    "arguments": json.dumps(call.arguments, ensure_ascii=False),
                },
            }
            for call in message.calls
        ]
    if message.call_id:
        plain["tool_call_id"] = message.call_id
    return plain


def _tool(tool: Tool) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool_parameters(tool.schema),
        },
    }


def _dump(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")
