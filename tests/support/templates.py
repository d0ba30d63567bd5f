"""What the chat templates of common models take, as a check of the messages of a request.

The rules are those that some template enforces with an error, of 71 that were tried.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

Messages = Sequence[Mapping[str, Any]]


def template_fault(messages: Messages) -> str:
    """Return what a strict chat template refuses in `messages`, "" when none refuses them."""
    if any(message["role"] == "system" for message in messages[1:]):
        return "a system message after the first message"
    conversation = [m for m in messages if m["role"] != "system"]
    if not conversation or conversation[0]["role"] != "user":
        return "it does not begin with the user"
    pairs = zip([None, *conversation], conversation, strict=False)
    for before, message in pairs:
        if fault := _order(before, message) or _calls(message):
            return fault
    if conversation[-1]["role"] not in ("user", "tool"):
        return "the model has the last word"
    ids = [call["id"] for m in conversation for call in m.get("tool_calls") or ()]
    return "" if len(ids) == len(set(ids)) else "two calls have the same id"


def _order(before: Mapping[str, Any] | None, message: Mapping[str, Any]) -> str:
    role = message["role"]
    last = before["role"] if before else ""
    calls = (before or {}).get("tool_calls") or ()
    if calls and role != "tool":
        return "a call without its result"
    if role == "tool":
        if not calls or message["tool_call_id"] != calls[0]["id"]:
            return "a result that does not follow its call"
    elif role == last or (role, last) == ("user", "tool"):
        return f"{role} after {last}"
    return ""


def _calls(message: Mapping[str, Any]) -> str:
    calls = message.get("tool_calls") or ()
    if len(calls) > 1:
        return "two calls in one message"
    for call in calls:
        if not re.fullmatch("[0-9A-Za-z]{9}", call["id"]):
            return f"the id {call['id']!r}"
        try:
            arguments = json.loads(call["function"]["arguments"])
        except ValueError:
            return "arguments that are not JSON"
        if not isinstance(arguments, dict):
            return "arguments that are no object"
    return ""
