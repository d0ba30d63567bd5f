"""The policy `arguments`: arguments that are nearly a JSON object are read as what they mean.

Those that stay broken are left to be rejected; those that were cut are the policy `cut_calls`'.
"""

from __future__ import annotations

from dataclasses import replace

from minime_core.events import MessageDone
from minime_core.messages import ToolCall
from minime_core.models import ModelRequest
from minime_guards.layering import with_calls
from minime_guards.loose_json import read_object


def judge(request: ModelRequest, done: MessageDone) -> MessageDone:
    """Return `done` with its arguments repaired where that is certain."""
    return with_calls(done, _repaired)


def _repaired(call: ToolCall) -> ToolCall:
    if call.raw is None or call.rejected is not None:
        return call
    arguments = read_object(call.raw)
    return call if arguments is None else replace(call, arguments=arguments, raw=None)
