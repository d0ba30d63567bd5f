"""All policies, and where each sits among the layers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from minime_core.errors import ConfigError
from minime_core.middleware import ModelLayer, Phase, ToolLayer
from minime_core.session import Session
from minime_core.turn import StashKey
from minime_guards import (
    arguments,
    cut_answer,
    cut_calls,
    no_answer,
    resample,
    runaway,
    thinking,
    thinking_room,
)
from minime_guards.coercion import Coercion
from minime_guards.layering import Wrap, judging
from minime_guards.loops import Loops
from minime_guards.names import Names
from minime_guards.network import Network
from minime_guards.resume import Resume
from minime_guards.settings import GuardSettings
from minime_guards.watchdog import Watchdog

_LOOPS: StashKey[Loops] = StashKey()


def model_layers(session: Session) -> list[ModelLayer]:
    """Return the layers around requests that are not disabled. Raises ConfigError."""
    settings = session.config.section("guards", GuardSettings)
    layers = [
        ModelLayer(name=name, phase=phase, order=order, wrap=wrap)
        for name, phase, order, wrap in _policies(session, settings)
    ]
    _check_names(settings.disabled, [*(layer.name for layer in layers), thinking_room.NAME])
    return [layer for layer in layers if layer.name not in settings.disabled]


def tool_layers(session: Session) -> list[ToolLayer]:
    """Return the layers around calls that are not disabled. Raises ConfigError."""
    settings = session.config.section("guards", GuardSettings)
    if "loops" in settings.disabled:
        return []
    wrap = _loops(session, settings).wrap_tool
    return [ToolLayer(name="loops", phase=Phase.JUDGE, order=90, wrap=wrap)]


def _policies(session: Session, settings: GuardSettings) -> Iterator[tuple[str, Phase, int, Wrap]]:
    names = Names(session.tools, settings.aliases)
    watchdog = Watchdog(session.stash, settings, lambda error: _stranger(session, error))
    yield "thinking", Phase.NORMALISE, 10, thinking.wrap
    yield "watchdog", Phase.JUDGE, 10, watchdog.wrap
    yield "runaway", Phase.JUDGE, 20, runaway.wrap
    yield "arguments", Phase.JUDGE, 30, judging(arguments.judge)
    yield "names", Phase.JUDGE, 40, judging(names.judge)
    yield "coercion", Phase.JUDGE, 50, judging(Coercion(session.tools).judge)
    yield "cut_calls", Phase.JUDGE, 60, judging(cut_calls.judge)
    yield "no_answer", Phase.JUDGE, 70, no_answer.wrap
    yield "cut_answer", Phase.JUDGE, 80, cut_answer.wrap
    yield "loops", Phase.JUDGE, 90, _loops(session, settings).wrap_model
    yield "resample", Phase.RETRY, 10, resample.wrap
    yield "resume", Phase.RETRY, 20, Resume(session.provider, settings).wrap
    yield "network", Phase.RETRY, 30, Network(settings).wrap


def _stranger(session: Session, error: BaseException) -> str:
    """Return the plugin of others in whose code `error` came up, or ""."""
    plugin = session.host.blame(error)
    return "" if session.host.is_builtin(plugin) else plugin


def _loops(session: Session, settings: GuardSettings) -> Loops:
    return session.stash.get(_LOOPS, Loops(session, settings))


def _check_names(disabled: Iterable[str], known: list[str]) -> None:
    for name in disabled:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}"
            raise ConfigError(f"guards.disabled: there is no guard {name!r}; {hint}")
