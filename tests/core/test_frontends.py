from __future__ import annotations

from typing import get_args

import pytest

from minime_core.errors import (
    ConfigError,
    ContextOverflow,
    MinimeError,
    PluginError,
    ProviderError,
    RequestRefused,
    SessionFileError,
    TurnStopped,
)
from minime_core.events import TurnDone, TurnReason
from minime_core.frontends import exit_code


@pytest.mark.parametrize("reason", get_args(TurnReason))
def test_a_turn_without_an_answer_is_1(reason: TurnReason) -> None:
    expected = {"answered": 0, "cancelled": 130}.get(reason, 1)
    assert exit_code(TurnDone(reason=reason)) == expected


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("x"), 2),
        (SessionFileError("x"), 2),
        (ProviderError("x"), 3),
        (RequestRefused("x", status=400), 3),
        (ContextOverflow("x", needed=2, window=1), 3),
        (PluginError("x", plugin="p"), 4),
        (TurnStopped("x", reason="stuck"), 1),
    ],
)
def test_a_failed_turn_has_the_code_of_its_error(error: MinimeError, code: int) -> None:
    assert exit_code(TurnDone(reason="failed", error=error)) == code
