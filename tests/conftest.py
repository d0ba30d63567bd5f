"""The fixtures of Mini Me, and how many examples a property is tried with: more in CI."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

pytest_plugins = ["minime_core.testing.pytest_plugin"]

# How long an example takes, or to make one, says nothing on a busy machine.
untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", untimed, max_examples=40)
settings.register_profile("full", untimed, max_examples=100)
settings.load_profile("full" if os.environ.get("MM_FULL_CORPUS") else "quick")
