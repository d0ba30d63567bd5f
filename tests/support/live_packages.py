"""Packages that only live tests need: without them the tests skip, or fail where CI says so."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import pytest


def package_folder(name: str) -> Path:
    """Return where a package lies, without importing it; skip the test if it is not installed.

    With `MM_LIVE=required` in the environment the test fails instead.
    """
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        missing(f"the package {name} is not installed")
    return Path(spec.origin).parent


def missing(reason: str) -> NoReturn:
    """Skip the test, or fail it with `MM_LIVE=required` in the environment."""
    if os.environ.get("MM_LIVE") == "required":
        pytest.fail(f"{reason}, and MM_LIVE=required", pytrace=False)
    pytest.skip(reason)
