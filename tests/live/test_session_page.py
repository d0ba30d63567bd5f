"""The page of a hostile session in a real browser: nothing of it runs, and nothing is asked for."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from hostile_session import ATTACKS, hostile_records
from live_packages import missing
from minime_commands.session_export.page import as_page
from minime_commands.session_export.story import tell

pytestmark = pytest.mark.live

OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--virtual-time-budget=3000",
)


def browser() -> str:
    found = filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))
    return next(found, "") or missing("Chromium is not installed")


def dom(page: Path, *options: str) -> str:
    """Return the page as the browser has it after its scripts had their time."""
    done = subprocess.run(
        [
            browser(),
            *OPTIONS,
            f"--user-data-dir={page.parent / 'profile'}",
            *options,
            "--dump-dom",
            page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_nothing_of_a_hostile_session_runs_or_is_asked_for(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(as_page(tell("id", [*hostile_records()])), encoding="utf-8")
    log = tmp_path / "net.json"
    shown = dom(page, f"--log-net-log={log}")
    assert "<title>&lt;script&gt;" in shown
    assert shown.count("<details") == 2 * len(ATTACKS)
    assert "<details open" not in shown
    for element in ("<script", "<img", "<iframe", "<svg onload"):
        assert element not in shown
    requested = log.read_text()
    assert "page.html" in requested
    assert "127.0.0.1:9" not in requested


def test_the_browser_would_have_run_it_and_the_policy_forbids_it(tmp_path: Path) -> None:
    """Shows that the test above can fail, and that the page is safe twice."""
    attack = "<script>document.title='ran'</script>"
    bare = tmp_path / "bare.html"
    bare.write_text(f"<!DOCTYPE html><title>not</title>{attack}")
    assert "<title>ran</title>" in dom(bare)
    source = as_page(tell("id", []))
    held = tmp_path / "held.html"
    held.write_text(source.replace("<main>", f"<main>{attack}"))
    assert "<title>ran</title>" not in dom(held)
