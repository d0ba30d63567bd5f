"""The fixtures of Mini Me, and how many examples a property is tried with: more in CI."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["minime_core.testing.pytest_plugin"]

# How long an example takes, or to make one, says nothing on a busy machine.
untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", untimed, max_examples=25)
settings.register_profile("full", untimed, max_examples=100)
IS_FULL = bool(os.environ.get("MM_FULL_CORPUS"))
settings.load_profile("full" if IS_FULL else "quick")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave what is marked `full` to CI."""
    if IS_FULL:
        return
    left = [item for item in items if item.get_closest_marker("full")]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in set(left)]


@pytest.fixture
def home(mm_home: Path) -> Path:
    """A home of its own, and no variable that `mm` reads."""
    return mm_home
