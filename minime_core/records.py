"""The records of a session, and their JSON. One record is one line of the session file.

A reader of format version 1 keeps kinds that it does not know and ignores them.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from minime_core.messages import Message, ToolCall, Usage

FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """Facts about the session; the first record of a file has at least `app`, `v` and `id`."""

    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRecord:
    """A message of the conversation, with the server's token counts for an answer."""

    message: Message
    usage: Usage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Display:
    """Something that was shown and never goes to the model; `event` is an event's JSON object."""

    event: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Replace the messages of records `first` to `last` (inclusive) in the view by `messages`."""

    first: int
    last: int
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite:
    """Change what the model sees of earlier records; later rewrites win."""

    why: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """A file's content before a tool wrote it; None when the file did not exist.

    mode: permission bits, 0 when the file did not exist.
    """

    path: str
    content: bytes | None
    mode: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRecord:
    """What made a turn fail, and with which provider and model."""

    text: str
    provider: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """A record of a kind that this version does not know; kept as it is."""

    values: Mapping[str, Any] = field(default_factory=dict)


Record: TypeAlias = Meta | MessageRecord | Display | Rewrite | Undo | ErrorRecord | Unknown


def dump(record: Record) -> bytes:
    """Return `record` as one line of JSON with its newline."""
    line = json.dumps(_to_plain(record), ensure_ascii=False, separators=(",", ":"))
    # File names that are not UTF-8 hold lone surrogates; json.loads reads them back.
    return line.encode("utf-8", "surrogatepass") + b"\n"


def load(line: bytes) -> Record:
    """Read one line; raise ValueError when it is not a record."""
    values = json.loads(line)
    if not isinstance(values, dict) or not isinstance(values.get("kind"), str):
        raise ValueError("not a record")
    try:
        return _from_plain(values)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a {values['kind']} record: {error!r}") from error


def _to_plain(record: Record) -> dict[str, Any]:
    match record:
        case Meta(values=values):
            return {"kind": "meta", **values}
        case MessageRecord(message=message, usage=usage):
            plain = {"kind": "message", **message_to_plain(message)}
            if usage and usage != Usage():
                plain["usage"] = [usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens]
            return plain
        case Display(event=event):
            return {"kind": "display", "event": event}
        case Rewrite(why=why, edits=edits):
            return {"kind": "rewrite", "why": why, "edits": [_edit_to_plain(e) for e in edits]}
        case Undo(path=path, content=content, mode=mode):
            encoded = None if content is None else base64.b64encode(content).decode()
            return {"kind": "undo", "path": path, "content": encoded, "mode": mode}
        case ErrorRecord(text=text, provider=provider, model=model):
            return {"kind": "error", "text": text, "provider": provider, "model": model}
        case Unknown(values=values):
            return dict(values)


def _from_plain(values: dict[str, Any]) -> Record:
    match values["kind"]:
        case "meta":
            return Meta(values={k: v for k, v in values.items() if k != "kind"})
        case "message":
            usage = values.get("usage")
            return MessageRecord(
                message=message_from_plain(values),
                usage=usage
                and Usage(
                    prompt_tokens=usage[0], completion_tokens=usage[1], cached_tokens=usage[2]
                ),
            )
        case "display":
            return Display(event=values["event"])
        case "rewrite":
            return Rewrite(
                why=values["why"], edits=tuple(_edit_from_plain(e) for e in values["edits"])
            )
        case "undo":
            content = values["content"]
            return Undo(
                path=values["path"],
                content=None if content is None else base64.b64decode(content),
                mode=values["mode"],
            )
        case "error":
            return ErrorRecord(
                text=values["text"], provider=values["provider"], model=values["model"]
            )
        case _:
            return Unknown(values=values)


def message_to_plain(message: Message) -> dict[str, Any]:
    plain: dict[str, Any] = {"role": message.role, "text": message.text}
    if message.calls:
        plain["calls"] = [
            {"id": call.id, "name": call.name, "arguments": call.arguments}
            for call in message.calls
        ]
    if message.call_id:
        plain["call_id"] = message.call_id
    if message.thinking:
        plain["thinking"] = message.thinking
    return plain


def message_from_plain(values: Mapping[str, Any]) -> Message:
    return Message(
        role=values["role"],
        text=values["text"],
        calls=tuple(
            ToolCall(id=call["id"], name=call["name"], arguments=call["arguments"])
            for call in values.get("calls", ())
        ),
        call_id=values.get("call_id", ""),
        thinking=values.get("thinking", ""),
    )


def _edit_to_plain(edit: Edit) -> dict[str, Any]:
    messages = [message_to_plain(message) for message in edit.messages]
    return {"first": edit.first, "last": edit.last, "messages": messages}


def _edit_from_plain(values: Mapping[str, Any]) -> Edit:
    messages = tuple(message_from_plain(message) for message in values["messages"])
    return Edit(first=values["first"], last=values["last"], messages=messages)
