"""Fixtures of Mini Me for its plugins' tests."""

from __future__ import annotations

pytest_plugins = ["minime_core.testing.pytest_plugin"]
