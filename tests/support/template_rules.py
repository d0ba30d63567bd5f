"""What chat templates refuse, as rules on the messages of a request.

They are what 71 templates of llama.cpp's collection refuse: Mistral's want strict alternation and
call ids of nine letters or digits, Qwen's no late system message, Llama's one call a message, and
all that render calls want arguments that are a JSON object.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Wire = Mapping[str, Any]

# A question may follow an answer, a result only the call that it answers.
_MAY_FOLLOW: Mapping[str, set[str | None]] = {
    "system": {None},
    "user": {None, "system", "assistant"},
    "assistant": {"user", "tool"},
    "tool": {"call"},
}


def template_faults(messages: Sequence[Wire]) -> list[str]:
    """Return what some template refuses in `messages`, each with the number of the message."""
    faults: list[str] = []
    ids: set[str] = set()
    before: str | None = None
    open_call = ""
    for number, message in enumerate(messages):
        role = message["role"]
        calls = message.get("tool_calls") or []
        if before not in _MAY_FOLLOW[role]:
            faults.append(f"{number}: {role} after {before}")
        if role == "tool" and message.get("tool_call_id") != open_call:
            faults.append(f"{number}: the result of another call")
        faults += [f"{number}: {fault}" for fault in _faults_of_one(message, calls, ids)]
        ids.update(call["id"] for call in calls)
        open_call = calls[0]["id"] if calls else ""
        before = "call" if calls else role
    if messages and before == "call":
        faults.append("a call without a result at the end")
    return faults


def _faults_of_one(message: Wire, calls: Sequence[Wire], ids: set[str]) -> Iterator[str]:
    if not isinstance(message["content"], str):
        yield "content that is no text"
    elif not message["content"].strip() and not calls:
        yield f"an empty message of role {message['role']}"
    if calls and message["role"] != "assistant":
        yield f"a call in a message of role {message['role']}"
    if len(calls) > 1:
        yield "several calls in one message"
    for call in calls:
        if not re.fullmatch("[0-9A-Za-z]{9}", call["id"]):
            yield f"the call id {call['id']!r}"
        if call["id"] in ids:
            yield f"the call id {call['id']} for a second call"
        if not re.fullmatch("[0-9A-Za-z_-]{1,64}", call["function"]["name"]):
            yield f"the tool name {call['function']['name']!r}"
        if not _is_json_object(call["function"]["arguments"]):
            yield "arguments that are no JSON object"


def _is_json_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
