"""Start and end of the agent's process."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import minime

Run = Callable[..., Any]


@pytest.mark.parametrize(
    "options",
    [
        {"cwd": "/no/such/folder"},
        {"tool_discovery": "guess"},
        {"on_permission": "yes"},
    ],
)
def test_arguments_are_checked_before_anything_starts(start: Any, options: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        start(**options)


def test_a_program_that_is_not_there_is_named(start: Any, run: Run) -> None:
    async def scenario() -> None:
        await start(mm="/no/such/mm")

    with pytest.raises(minime.StartError, match="/no/such/mm cannot be started"):
        run(scenario())


def started_with(start: Any, run: Run, **env: str) -> None:
    async def scenario() -> None:
        async with start(env=env, start_timeout=0.5 if "FAKE_SILENT" in env else 60):
            pass

    run(scenario())


def test_an_agent_that_ends_at_once_is_an_error_with_its_words(start: Any, run: Run) -> None:
    with pytest.raises(minime.AgentExited, match=r"exit status 2 .*out of cheese") as caught:
        started_with(start, run, FAKE_EXITS="2")
    assert caught.value.returncode == 2


def test_an_agent_that_opens_no_session_says_why(start: Any, run: Run) -> None:
    with pytest.raises(minime.StartError, match="no model server runs here"):
        started_with(start, run, FAKE_NO_SESSION="1")


def test_an_agent_that_says_nothing_is_given_up(start: Any, run: Run) -> None:
    with pytest.raises(minime.StartError, match=r"did not answer within 0\.5 s"):
        started_with(start, run, FAKE_SILENT="1")


def test_an_agent_of_another_protocol_is_refused(start: Any, run: Run) -> None:
    with pytest.raises(minime.StartError, match="version 1"):
        started_with(start, run, FAKE_VERSION="2")


def test_an_agent_that_does_not_end_is_killed(start: Any, run: Run) -> None:
    async def scenario() -> None:
        async with start(env={"FAKE_STAYS": "1"}, close_timeout=0.1) as agent:
            await agent.complete("hello you")

    run(scenario())


def test_a_line_of_stderr_of_any_length_is_read(start: Any, run: Run) -> None:
    # More than a pipe holds: an agent whose stderr nobody reads would stop.
    script = "import sys; sys.stderr.write('x' * 1_000_000 + chr(10)); sys.exit(4)"
    lines: list[str] = []

    async def scenario() -> None:
        await start(mm=[sys.executable, "-c", script], on_stderr=lines.append)

    with pytest.raises(minime.AgentExited, match="exit status 4"):
        run(scenario())
    assert sum(map(len, lines)) == 1_000_000


def test_mm_is_found_by_variable_then_path_then_this_python(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from minime.process import find_mm

    beside, on_path = tmp_path / "scripts/mm", tmp_path / "bin/mm"
    for path in (beside, on_path):
        path.parent.mkdir()
        path.touch(mode=0o755)
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(beside.parent))
    monkeypatch.setenv("PATH", str(on_path.parent))
    monkeypatch.setenv("MM_BIN", "/elsewhere/mm")
    assert find_mm(["uvx", "mm"]) == ["uvx", "mm"]
    assert find_mm(tmp_path / "mine") == [str(tmp_path / "mine")]
    assert find_mm(None) == ["/elsewhere/mm"]
    monkeypatch.delenv("MM_BIN")
    assert find_mm(None) == [str(on_path)]
    monkeypatch.setenv("PATH", "")
    assert find_mm(None) == [str(beside)]
    beside.unlink()
    with pytest.raises(minime.StartError, match="MM_BIN"):
        find_mm(None)


def test_importing_it_does_not_import_the_protocol(tmp_path: Path) -> None:
    import subprocess

    script = "import sys, minime; print([m for m in sys.modules if m in ('acp', 'pydantic')])"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(minime.__file__).parents[1])},
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_it_knows_nothing_of_the_core() -> None:
    sources = Path(minime.__file__).parent.glob("*.py")
    assert not [path for path in sources if "minime_core" in path.read_text()]
