"""`mm` as a process, against a real server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from forked_mm import ForkedMm, MmParent
from minime_core.records import load
from minime_core.store import read
from minime_core.testing.command import MM, TIMEOUT
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.gate import Gate
from minime_core.testing.http1 import Request
from minime_core.testing.replies import crash, finish, hold, status, text, tool_call
from minime_core.testing.site import Site


class Mm(ForkedMm):
    """`mm`, what it asked its model, and what it left behind."""

    def request(self, number: int = -1) -> Request:
        return self.server.chat_requests[number]

    def messages(self, number: int = -1) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.request(number).json["messages"]
        return found

    def sessions(self) -> list[Path]:
        return sorted((self.cwd / ".mm/sessions").glob("*.jsonl"))


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as server:
        yield server
        assert server.problems == []


@pytest.fixture
def mm(home: Path, tmp_path: Path, server: FaultServer, mm_site: Site, mm_parent: MmParent) -> Mm:
    (tmp_path / "project/.mm").mkdir(parents=True)
    return Mm(tmp_path / "project", server, mm_site, mm_parent)


# Prompts


@pytest.mark.parametrize(
    "arguments",
    [
        ["-p", "what is it"],
        ["what", "is", "it"],
        ["what is it"],
        ["what", "is", "it", "--max-turns", "3"],
        ["--no-session", "what", "--max-turns", "3", "is", "it"],
        ["--", "what", "is", "it"],
        ["--prompt=what is it"],
    ],
)
def test_a_prompt_is_asked_and_only_the_answer_is_on_stdout(mm: Mm, arguments: list[str]) -> None:
    mm.server.enqueue(text("An answer."))
    assert mm.run(*arguments) == (0, "An answer.\n", "")
    assert mm.messages()[-1] == {"role": "user", "content": "what is it"}


def test_words_that_look_like_options_stand_behind_two_dashes(mm: Mm) -> None:
    mm.server.enqueue(text("yes"))
    assert mm.run("--", "-5", "is", "--yolo")[0] == 0
    assert mm.messages()[-1]["content"] == "-5 is --yolo"


@pytest.mark.parametrize(
    ("arguments", "piped", "prompt"),
    [
        (["-p", "explain"], b"some text\n", "explain\n\nsome text\n"),
        (["explain", "this"], b"x", "explain this\n\nx"),
        ([], b"only this", "only this"),
        (["-p", "hi"], b"", "hi"),
        (["-p", "hi"], None, "hi"),
        (["-p", "hi"], b"\xff\0@notes", "hi\n\n\ufffd\ufffd@notes"),
    ],
)
def test_what_is_piped_in_is_added(
    mm: Mm, arguments: list[str], piped: bytes | None, prompt: str
) -> None:
    (mm.cwd / "notes").touch()
    mm.server.enqueue(text("yes"))
    assert mm.run(*arguments, input=piped)[0] == 0
    assert mm.messages()[-1]["content"] == prompt


def test_an_empty_prompt_is_a_mistake(mm: Mm) -> None:
    assert mm.run(input=b"  \n") == (2, "", "mm: the prompt is empty\n")
    assert mm.run("", input=b"") == (2, "", "mm: the prompt is empty\n")


def test_a_pipe_without_end_is_refused(mm: Mm) -> None:
    with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as yes:
        process = mm.start("-p", "hi", stdin=yes.stdout)
        out, err = process.communicate(timeout=TIMEOUT)
        yes.kill()
    assert (process.returncode, out) == (2, b"")
    assert err == b"mm: more than 64 MB are piped in\n"


def test_a_prompt_of_ten_megabytes_reaches_the_server(mm: Mm) -> None:
    mm.server.enqueue(text("long"))
    piped = b"word " * 2_000_000
    # The context plugin would send less: it does not fit into the window.
    assert mm.run("-p", "shorten", "--no-plugin", "context", input=piped)[:2] == (0, "long\n")
    assert len(mm.messages()[-1]["content"]) == len(piped) + len("shorten\n\n")


def test_a_mentioned_file_is_named_but_not_sent(mm: Mm) -> None:
    (mm.cwd / "notes.txt").write_text("SECRET")
    mm.server.enqueue(text("yes"))
    mm.run("-p", "see @notes.txt")
    assert mm.messages()[-1]["content"] == f"see [attached file: {mm.cwd}/notes.txt]"
    assert b"SECRET" not in mm.request().body


def test_bytes_that_are_no_text_in_an_argument_are_replaced(mm: Mm) -> None:
    mm.server.enqueue(text("yes"))
    assert mm.run("-p", b"a\xff\xc3\xa4")[0] == 0
    assert mm.messages()[-1]["content"] == "a\ufffdä"


def test_a_folder_whose_name_is_no_text_can_be_worked_in(mm: Mm) -> None:
    folder = os.fsencode(mm.cwd) + b"/\xff"
    os.mkdir(folder)
    mm.server.enqueue(text("yes"), text("again"))
    assert mm.run("--cwd", folder, "-p", "hi")[:2] == (0, "yes\n")
    assert mm.run("--cwd", folder, "-c", "-p", "hi")[:2] == (0, "again\n")


# Exit codes


def test_no_answer_is_exit_code_1(mm: Mm) -> None:
    mm.server.enqueue(finish(), finish())
    code, out, err = mm.run("-p", "hi")
    assert (code, out) == (1, "")
    assert err.endswith("mm: the model gave no answer\n")


def test_a_server_that_is_down_is_exit_code_3_and_one_line(mm: Mm) -> None:
    mm.server.stop()
    code, out, err = mm.run("-p", "hi")
    assert (code, out) == (3, "")
    assert err.startswith("mm: ")
    assert err.count("\n") == 1
    assert "llama-server" in err


def test_a_server_cannot_steer_the_terminal(mm: Mm) -> None:
    mm.server.enqueue(status(400, "no\x1b[31m\r\n\x07 way"))
    code, out, err = mm.run("-p", "hi")
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert "way" in err
    assert err[:-1].isprintable()


def test_a_server_that_is_asked_for_its_model_cannot_either(mm: Mm) -> None:
    mm.options = mm.options[:-2]
    mm.server.routes["GET /props"] = status(500, "no\x1b[31m\r\n\x07 way")
    mm.server.routes["GET /v1/models"] = status(500, "no\x1b[31m\r\n\x07 way")
    code, out, err = mm.run("-p", "hi")
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert err[:-1].isprintable()


LAYER = """
from minime_core import hookimpl
from minime_core.middleware import ModelLayer, Phase

async def wrap(request, call_next):
    raise RuntimeError("a bug")
    yield

@hookimpl
def mm_model_middleware(session):
    return [ModelLayer(name="bad", phase=Phase.OBSERVE, wrap=wrap)]
"""


def test_a_plugin_that_fails_in_a_turn_is_exit_code_4(mm: Mm, site: Any) -> None:
    site.install("bad_layer", LAYER)
    code, out, err = mm.run("-p", "hi")
    cure = "(`mm --no-plugin bad_layer` goes without it)"
    assert (code, out) == (4, "")
    assert err == f"mm: plugin bad_layer failed: RuntimeError: a bug {cure}\n"


PROVIDER = """
from minime_core import hookimpl
from minime_core.models import ProviderSpec

def make(config, ref):
    raise RuntimeError("a bug")

@hookimpl
def mm_register_providers():
    return [ProviderSpec(name="bad", summary="", make=make)]
"""


def test_a_provider_that_cannot_be_made_is_exit_code_4(mm: Mm, site: Any) -> None:
    site.install("bad_provider", PROVIDER)
    code, out, err = mm.run("-p", "hi", "--provider", "bad")
    cure = "(`mm --no-plugin bad_provider` goes without it)"
    assert (code, out, err) == (
        4,
        "",
        f"mm: plugin bad_provider failed: RuntimeError: a bug {cure}\n",
    )


def test_an_interrupted_turn_is_exit_code_130_and_forgotten(mm: Mm) -> None:
    gate = Gate()
    mm.server.enqueue(text("one"), text("two ") + hold(gate), text("three"))
    assert mm.run("-p", "first")[0] == 0
    process = mm.start("-c", "-p", "secret")
    assert gate.wait_reached(TIMEOUT)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, out, err.strip()) == (130, b"", b"")
    assert mm.request().wait_ended()
    assert mm.request().closed_by_client
    assert mm.run("-c", "-p", "third")[:2] == (0, "three\n")
    assert [message["content"] for message in mm.messages()[1:]] == ["first", "one", "third"]


# Output


@pytest.mark.full
def test_a_reader_who_leaves_early_gets_no_traceback(mm: Mm) -> None:
    mm.server.enqueue(text(" ".join(map(str, range(50_000)))))
    with mm.start("-p", "hi") as process:
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


@pytest.mark.sample(5)
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_borne(mm: Mm, closed: str) -> None:
    mm.server.enqueue(text("yes"))
    command = f'"$0" -c "$1" --base-url {mm.server.base_url} --model m -p hi {closed}'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, MM[-1]],
        cwd=mm.cwd,
        capture_output=True,
        timeout=TIMEOUT,
        stdin=subprocess.DEVNULL,
    )
    assert done.stderr == b""
    assert done.stdout == (b"" if ">&-" in closed.replace("2>&-", "") else b"yes\n")
    assert len(mm.server.chat_requests) == 1


def test_a_terminal_that_lacks_a_character_gets_a_stand_in(mm: Mm) -> None:
    mm.server.enqueue(text("größer €"))
    process = mm.start("-p", "hi", env={"PYTHONIOENCODING": "ascii"})
    assert process.communicate(timeout=TIMEOUT) == (b"gr\\xf6\\xdfer \\u20ac\n", b"")


def test_events_are_printed_as_lines_of_json(mm: Mm) -> None:
    mm.server.enqueue(text("one two"))
    code, out, err = mm.run("-p", "hi", "--output", "jsonl")
    events = [json.loads(line) for line in out.splitlines()]
    assert (code, err) == (0, "")
    assert events[0]["type"] == "session_started"
    assert "".join(e["text"] for e in events if e["type"] == "text_delta") == "one two"
    assert events[-1] == {"type": "turn_done", "reason": "answered", "text": "one two"}


def test_a_turn_is_printed_as_one_json_object(mm: Mm) -> None:
    mm.server.enqueue(text("one two"))
    code, out, _ = mm.run("-p", "hi", env={"MM_OUTPUT": "json"})
    result = json.loads(out)
    assert (code, result["answer"], result["exit_code"]) == (0, "one two", 0)


def test_a_plain_answer_needs_none_of_the_heavy_packages(mm: Mm) -> None:
    mm.server.enqueue(text("yes"))
    script = (
        "import sys\nfrom minime_core.cli.main import run\n"
        "assert run(sys.argv[1:]) == 0\nprint(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *mm.options, "-p", "hi"],
        cwd=mm.cwd,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=TIMEOUT,
    )
    heavy = {"rich", "prompt_toolkit", "extism", "jsonschema", "acp", "pydantic"}
    assert done.stdout == "yes\n"
    assert heavy & {name.partition(".")[0] for name in done.stderr.split()} == set()


# Permission


def test_what_would_have_been_asked_is_refused_with_text(mm: Mm) -> None:
    mm.server.enqueue(tool_call("bash", {"command": "touch made"}), text("I could not."))
    code, out, _ = mm.run("-p", "make it")
    assert (code, out) == (0, "I could not.\n")
    assert not (mm.cwd / "made").exists()
    assert mm.messages()[-1]["content"].startswith("[bash: not allowed, nobody is there to allow")


@pytest.mark.parametrize(
    ("options", "runs"),
    [
        (["--yolo"], True),
        (["--read-only"], False),
        (["--config", "allow.yaml"], True),
        (["--config", "other.yaml"], False),
        (["--yolo", "--config", "deny.yaml"], False),
    ],
)
def test_what_runs_depends_on_policy_and_rules(mm: Mm, options: list[str], runs: bool) -> None:
    (mm.cwd / "allow.yaml").write_text("allow: ['bash(touch *)']")
    (mm.cwd / "other.yaml").write_text("allow: ['bash(echo *)']")
    (mm.cwd / "deny.yaml").write_text("deny: ['bash(touch*)']")
    mm.server.enqueue(tool_call("bash", {"command": "touch made"}), text("Done."))
    assert mm.run(*options, "-p", "make it")[0] == 0
    assert (mm.cwd / "made").exists() is runs


def test_settings_of_a_project_that_is_not_trusted_allow_nothing(mm: Mm) -> None:
    (mm.cwd / ".mm/config.yaml").write_text("policy: yolo\nallow: ['*']\n")
    mm.server.enqueue(tool_call("bash", {"command": "touch made"}), text("No."))
    _, _, err = mm.run("-p", "make it")
    assert not (mm.cwd / "made").exists()
    assert "is not trusted: allow, policy ignored" in err


# Sessions


def beginning(earlier: Request, later: Request) -> bool:
    """Return whether the messages of a request begin with those of an earlier one, byte by byte."""
    messages = earlier.body[: earlier.body.index(b"]", earlier.body.rindex(b'"role"'))]
    return later.body.startswith(messages)


def test_a_conversation_goes_on_where_it_was(mm: Mm) -> None:
    mm.server.enqueue(
        tool_call("bash", {"command": "echo hi"}), text("Said hi."), text("Yes."), text("Again.")
    )
    mm.run("--yolo", "-p", "say hi")
    assert mm.run("-c", "-p", "sure?")[:2] == (0, "Yes.\n")
    assert beginning(mm.request(0), mm.request(2))
    assert beginning(mm.request(1), mm.request(2))
    (session,) = mm.sessions()
    assert mm.run("--resume", session.stem[:-1], "-p", "again")[:2] == (0, "Again.\n")
    assert beginning(mm.request(2), mm.request(3))
    assert mm.sessions() == [session]


def test_a_killed_process_loses_nothing_that_was_said(mm: Mm) -> None:
    gate = Gate()
    mm.server.enqueue(text("one"), text("two ") + hold(gate), text("three"))
    mm.run("-p", "first")
    process = mm.start("-c", "-p", "second")
    assert gate.wait_reached(TIMEOUT)
    process.kill()
    process.communicate(timeout=TIMEOUT)
    with mm.sessions()[0].open("ab") as file:
        file.write(b'{"kind":"mess')
    code, out, err = mm.run("-c", "-p", "third")
    assert (code, out) == (0, "three\n")
    assert "the last record was cut and is dropped" in err
    assert beginning(mm.request(1), mm.request(2))
    contents = [message["content"] for message in mm.messages()[1:]]
    assert contents == ["first", "one", "second", "[this question was not answered]", "third"]


def test_a_session_is_open_in_one_process_at_a_time(mm: Mm) -> None:
    gate = Gate()
    mm.server.enqueue(text("one"), hold(gate), text("three"))
    mm.run("-p", "first")
    before = mm.sessions()
    process = mm.start("-c", "-p", "second")
    assert gate.wait_reached(TIMEOUT)
    code, out, err = mm.run("-c", "-p", "third")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "is open in another mm" in err
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=TIMEOUT)
    assert mm.run("-c", "-p", "third")[:2] == (0, "three\n")
    assert mm.sessions() == before
    read(before[0])


def test_a_failed_turn_stays_in_the_conversation(mm: Mm) -> None:
    mm.server.enqueue(status(400, "too bad"), text("yes"))
    assert mm.run("-p", "first")[0] == 3
    assert mm.run("-c", "-p", "second")[0] == 0
    assert [message["content"] for message in mm.messages()[1:]] == [
        "first",
        "[this question was not answered]",
        "second",
    ]
    kinds = [json.loads(line)["kind"] for line in mm.sessions()[0].read_bytes().splitlines()]
    assert "error" in kinds


def test_a_server_that_dies_costs_one_line_and_no_session(mm: Mm) -> None:
    mm.server.enqueue(text("one"), text("two ") + crash(), text("three"))
    mm.run("-p", "first")
    code, out, err = mm.run("-c", "-p", "second")
    assert (code, out, err.count("\n")) == (3, "", 1)
    mm.server.stop()
    mm.server.start()
    assert mm.run("-c", "-p", "third")[:2] == (0, "three\n")


def test_a_damaged_session_is_told_in_one_line_and_left_alone(mm: Mm) -> None:
    mm.server.enqueue(text("one"))
    mm.run("-p", "first")
    (session,) = mm.sessions()
    lines = session.read_bytes().splitlines(keepends=True)
    damaged = b"".join([*lines[:1], b"{}\n", *lines[1:]])
    session.write_bytes(damaged)
    code, out, err = mm.run("-c", "-p", "second")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "line 2 is damaged" in err
    assert session.read_bytes() == damaged


def test_records_that_are_no_conversation_are_told_in_one_line(mm: Mm) -> None:
    mm.server.enqueue(text("one"))
    mm.run("-p", "first")
    (session,) = mm.sessions()
    lines = session.read_bytes().splitlines(keepends=True)
    session.write_bytes(b"".join([lines[0], *lines[2:]]))
    code, out, err = mm.run("-c", "-p", "second")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "cannot be used: the history cannot go on with role assistant after system" in err


def test_without_a_session_nothing_is_written(mm: Mm, home: Path) -> None:
    mm.server.enqueue(text("one"))
    assert mm.run("--no-session", "-p", "first")[0] == 0
    assert mm.sessions() == []
    assert [path for path in home.rglob("*") if path.is_file()] == []


def test_what_never_got_to_a_question_leaves_no_session(mm: Mm) -> None:
    mm.run("-p", "  ")
    mm.run("--provider", "nobody", "-p", "hi")
    assert mm.sessions() == []


def test_a_session_holds_what_was_said(mm: Mm) -> None:
    mm.server.enqueue(text("one"))
    mm.run("-p", "first")
    records = [load(line) for line in mm.sessions()[0].read_bytes().splitlines()]
    assert [type(record).__name__ for record in records] == [
        "Meta",
        "MessageRecord",
        "MessageRecord",
    ]
    assert mm.sessions()[0].stat().st_size <= 1.5 * len(mm.request().body)
