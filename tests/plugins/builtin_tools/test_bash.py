"""What a command is, and what the model hears of it."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from minime_builtin_tools.bash_tool import ending
from minime_builtin_tools.shell import running
from minime_builtin_tools.shell.running import Finished
from tool_caller import Caller


def test_the_output_comes_with_the_exit_code(tools: Caller) -> None:
    result = tools("bash", command="echo out; echo err >&2; exit 3")
    assert result.text == "out\nerr\n[bash: exit code 3]"
    assert not result.ok


def test_success_is_told_too(tools: Caller) -> None:
    result = tools("bash", command="echo hi")
    assert result.text == "hi\n[bash: exit code 0]"
    assert result.ok


def test_no_output_is_told(tools: Caller) -> None:
    assert tools("bash", command="true").text == "[bash: exit code 0; no output]"


@pytest.mark.parametrize(
    ("command", "ending"),
    [
        ("kill -9 $$", "[bash: killed by SIGKILL; no output]"),
        ("bash -c 'kill -SEGV $$'; exit $?", "[bash: exit code 139 (SIGSEGV)]"),
    ],
)
def test_a_signal_is_named(tools: Caller, command: str, ending: str) -> None:
    result = tools("bash", command=command)
    assert result.text.endswith(ending)
    assert not result.ok


@pytest.mark.parametrize(
    ("seconds", "code", "expected"),
    [
        (0.001, 0, "[bash: exit code 0]"),
        # The same call has the same result, so that a model that repeats itself is noticed.
        (0.999, 0, "[bash: exit code 0]"),
        (1.0, 0, "[bash: exit code 0 after 1 s]"),
        (12.4, -15, "[bash: killed by SIGTERM after 12 s]"),
        (0.1, -200, "[bash: killed by signal 200]"),
    ],
)
def test_only_a_longer_command_tells_its_time(seconds: float, code: int, expected: str) -> None:
    done = Finished(output="", left_out=0, code=code, limit=None, seconds=seconds)
    assert ending(done, 30, 600) == expected


def test_each_call_is_a_new_shell_in_the_working_folder(tools: Caller) -> None:
    tools("bash", command="cd /; export SOMETHING=1")
    result = tools("bash", command='echo "$PWD $SOMETHING"')
    assert result.text == f"{os.path.realpath(tools.folder)} \n[bash: exit code 0]"


def test_stdin_is_closed(tools: Caller) -> None:
    result = tools("bash", command="read line || echo end; cat; python3 -c 'input()'")
    assert result.text.startswith("end\n")
    assert "EOFError" in result.text


def test_no_editor_and_no_pager_waits(tools: Caller) -> None:
    command = (
        "git init -q . && git config user.email a@b && git config user.name me && echo a > a "
        "&& git add a && git commit -q -m first && git commit --amend && git --paginate log | cat"
    )
    result = tools("bash", command=command)
    assert "first" in result.text
    assert result.ok


@pytest.mark.parametrize("command", ["", "  \n "])
def test_an_empty_command_is_refused(tools: Caller, command: str) -> None:
    assert tools("bash", command=command).text == "[bash: the command is empty; write one]"


def test_a_working_folder_that_is_gone_is_named(tools: Caller) -> None:
    tools.folder.rmdir()
    result = tools("bash", command="echo hi")
    assert result.text.startswith("[bash: no shell could be started: ")
    assert str(tools.folder) in result.text


def test_a_command_longer_than_the_system_takes_is_refused(tools: Caller) -> None:
    result = tools("bash", command="#" * (4 << 20))
    assert result.text == (
        "[bash: no shell could be started: [Errno 7] Argument list too long: "
        f"'{shutil.which('bash')}']"
    )


def test_a_long_output_keeps_its_beginning_and_its_end(tools: Caller) -> None:
    result = tools("bash", command="seq 100000")
    lines = result.text.splitlines()
    assert lines[0] == "1"
    assert lines[-2:] == ["100000", "[bash: exit code 0]"]
    assert "lines left out; run it again with | head, | tail or | grep ...]" in result.text


def test_of_a_huge_output_a_megabyte_of_each_end_is_read(tools: Caller) -> None:
    tools.max_output = 3 << 20
    result = tools("bash", command="echo begin; yes 0123456 | head -c 3000000; echo; echo end")
    assert result.text.startswith("begin\n")
    assert result.text.endswith("\nend\n[bash: exit code 0]")
    assert len(result.text) < (2 << 20) + 100
    left_out = 3_000_000 + len("begin\n\nend\n") - (2 << 20)
    assert f"[... {left_out} bytes left out ...]" in result.text


def test_a_flood_of_output_ends_the_command(tools: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "MAX_OUTPUT", 1 << 20)
    result = tools("bash", command="yes")
    assert result.text.endswith(
        "[bash: ended, it wrote more than 1 GiB of output; send the output to a file]"
    )


def test_bytes_that_are_no_text_do_no_harm(tools: Caller) -> None:
    result = tools("bash", command="head -c 3000 /dev/urandom")
    assert result.text.endswith("[bash: exit code 0]")


def test_output_is_shown_while_the_command_runs(tools: Caller) -> None:
    fifo = tools.folder / "fifo"
    os.mkfifo(fifo)

    async def run() -> str:
        shown: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        tools.emit = shown.set_result
        command = "echo first; read x < fifo; echo $x"
        call = asyncio.ensure_future(tools.run("bash", command=command))
        assert await shown == "first\n"
        tools.emit = tools.shown.append
        await asyncio.to_thread(fifo.write_text, "second\n")
        return (await call).text

    assert tools.wait(run()) == "first\nsecond\n[bash: exit code 0]"


def test_the_shell_s_exit_is_the_end_even_if_a_child_holds_the_output(tools: Caller) -> None:
    result = tools("bash", command="tail -f /dev/null & echo started", timeout=500)
    assert result.text == "started\n[bash: exit code 0]"


def test_keys_are_not_handed_to_commands(tools: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    monkeypatch.setenv("CORPORATE_LLM", "secret")
    monkeypatch.setenv("GITHUB_TOKEN", "for git")
    tools.configure(api_key_env="CORPORATE_LLM")
    result = tools("bash", command="env")
    assert "secret" not in result.text
    assert "GITHUB_TOKEN=for git" in result.text


def test_the_user_says_which_variables_are_hidden(
    tools: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "for the tests")
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    tools.configure(builtin_tools={"hidden_env": ["*_TOKEN"]})
    assert tools("bash", command="env | grep -e _KEY -e _TOKEN").text == (
        "SOME_API_KEY=for the tests\n[bash: exit code 0]"
    )


def test_where_there_is_no_bash_the_system_s_shell_runs(
    tools: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = tools("bash", command="echo $0")
    assert result.text == "/bin/sh\n[bash: exit code 0]"
