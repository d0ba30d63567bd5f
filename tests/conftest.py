"""How many examples a property is tried with: few by default, more in CI."""

from __future__ import annotations

import os

from hypothesis import settings

# How long an example takes says nothing on a busy machine.
settings.register_profile("quick", deadline=None, max_examples=40)
settings.register_profile("full", deadline=None, max_examples=100)
settings.load_profile("full" if os.environ.get("MM_FULL_CORPUS") else "quick")
