"""The policy `cut_calls`: a call that was cut does not run; the model is told to write less.

Twice in a turn. A model that does not manage then will not the third time: the user is told which
setting to raise.
"""

from __future__ import annotations

from dataclasses import replace

from minime_core.errors import TurnStopped
from minime_core.events import MessageDone
from minime_core.messages import ToolCall
from minime_core.models import ModelRequest
from minime_core.turn import StashKey
from minime_guards.cut_answer import cure_of, limit_of
from minime_guards.layering import with_calls
from minime_guards.loose_json import is_cut

CHANCES = 2
"""How often in a turn a cut call goes back to the model."""
CHARACTERS_PER_TOKEN = 1.5
"""Half of what tokenizers reach: the other half is for JSON's escapes and what comes before."""

_CUTS: StashKey[int] = StashKey()


def judge(request: ModelRequest, done: MessageDone) -> MessageDone:
    """Return `done` with its cut calls rejected. Raises TurnStopped when that was of no use."""
    cut = [call for call in done.message.calls if _is_cut(call, done)]
    if not cut:
        return done
    cuts = request.turn.stash.get(_CUTS, 0) + 1
    request.turn.stash.set(_CUTS, cuts)
    if cuts > CHANCES:
        raise TurnStopped(_for_user(cut[0], cuts, request), reason="stuck")
    text = _for_model(request.max_tokens)
    return with_calls(
        done,
        lambda call: replace(call, rejected=f"[{call.name}: {text}]") if call in cut else call,
    )


def _is_cut(call: ToolCall, done: MessageDone) -> bool:
    if call.rejected is not None:
        return False
    if call.raw is not None:
        return is_cut(call.raw)
    # No arguments at all: they had not begun.
    return not call.arguments and done.finish_reason == "length"


def budget(max_tokens: int) -> int:
    """Return the characters that surely fit an answer of `max_tokens`, as a round number."""
    characters = int(max_tokens * CHARACTERS_PER_TOKEN)
    unit: int = 10 ** (len(str(characters)) - 1)
    return characters // unit * unit


def _for_model(max_tokens: int | None) -> str:
    text = "the call was cut off before its end and did NOT run. "
    if max_tokens is None:
        return text + "Write only the first part, then append the rest in further calls."
    return (
        f"{text}An answer has at most {max_tokens} tokens. Write only the first part, at most "
        f"{budget(max_tokens)} characters, then append the rest in further calls."
    )


def _for_user(call: ToolCall, cuts: int, request: ModelRequest) -> str:
    return (
        f"the model wrote {cuts} calls of {call.name} that were cut off at {limit_of(request)}: "
        f"{cure_of(request)}, or ask for smaller steps"
    )
