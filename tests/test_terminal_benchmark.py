"""The benchmark of the terminal runs, with numbers so small that they say nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "terminal.py"
SMALL = ("--pieces", "20", "--idle", "0.1", "--keys", "5", "--files", "20")


@pytest.mark.full
@pytest.mark.usefixtures("home")
def test_it_gives_each_of_its_figures() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--json", *SMALL], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    figures = json.loads(done.stdout)
    assert [figure["limit"] for figure in figures] == [1.5, 0.1, 30, 30, None, 40]
    assert all(figure["value"] >= 0 for figure in figures)
