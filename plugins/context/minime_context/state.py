"""What a session's layers and commands share."""

from __future__ import annotations

from dataclasses import dataclass

from minime_context.layer import Context
from minime_context.measures import Measures
from minime_context.meter import Meter
from minime_context.prefix import Prefix
from minime_context.recall import recall
from minime_context.settings import ContextSettings
from minime_context.sizes import Sizes
from minime_context.window import Window
from minime_core.session import Session
from minime_core.turn import StashKey


@dataclass(frozen=True, slots=True)
class State:
    """The parts of the plugin, for one session."""

    measures: Measures
    context: Context
    prefix: Prefix


_STATE: StashKey[State | None] = StashKey()


def state_of(session: Session) -> State:
    """Return the state of `session`, made when it is first asked for. Raises ConfigError."""
    state = session.stash.get(_STATE, None)
    if state is None:
        settings = session.config.section("context", ContextSettings)
        measures = Measures(Sizes(), Meter(), Window(session))
        recall(session, measures)
        prefix = Prefix(session.history, is_debug=session.is_debug)
        state = State(measures, Context(session, settings, measures), prefix)
        session.stash.set(_STATE, state)
    return state
