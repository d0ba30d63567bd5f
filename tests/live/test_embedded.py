"""The model inside the process: it answers, calls a tool, streams, and can be stopped."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from live_mm import Mm
from live_packages import package_folder

pytestmark = pytest.mark.live


@pytest.fixture
def mm(tmp_path: Path, smollm2_file: Path) -> Mm:
    package_folder("openvino_genai")
    mm = Mm(tmp_path, "--provider", "embedded")
    (mm.folder / "README.md").write_text("# The garden\n")
    (mm.folder / "poem.txt").write_text("Roses are red.\n")
    (mm.folder / "src").mkdir()
    (mm.folder / "src" / "pump.c").write_text("int main(void) { return 0; }\n")
    return mm


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("Show me README.md", "# The garden"),
        ("What does poem.txt say?", "Roses are red."),
        ("open src/pump.c", "int main(void)"),
    ],
)
def test_a_file_is_shown(mm: Mm, question: str, shown: str) -> None:
    done = mm.run("-p", question)
    assert (done.code, bool(done.out.strip())) == (0, True), done
    assert shown in done.err


def test_a_file_that_is_named_as_the_model_answers(tmp_path: Path, smollm2_file: Path) -> None:
    package_folder("openvino_genai")
    mm = Mm(tmp_path, "--model", str(smollm2_file))
    (mm.folder / "README.md").write_text("# The garden\n")
    done = mm.run("-p", "Show me README.md")
    assert (done.code, "# The garden" in done.err) == (0, True), done


@pytest.mark.parametrize("question", ["List the files here", "What is in this folder?"])
def test_a_folder_is_listed(mm: Mm, question: str) -> None:
    done = mm.run("-p", question)
    assert done.code == 0, done
    assert "poem.txt" in done.err
    assert "src/" in done.err


def test_a_greeting_calls_nothing(mm: Mm) -> None:
    done = mm.run("--output", "json", "-p", "Hello")
    assert (done.json["reason"], done.json["calls"]) == ("answered", [])


def test_the_answer_comes_in_pieces_and_is_counted(mm: Mm) -> None:
    events = [
        json.loads(line)
        for line in mm.run("--output", "jsonl", "-p", "Hello").out.split("\n")
        if line
    ]
    pieces = [event["text"] for event in events if event["type"] == "text_delta"]
    (done,) = (event for event in events if event["type"] == "message_done")
    assert len(pieces) > 1
    assert "".join(pieces) == done["message"]["text"]
    assert done["usage"]["prompt_tokens"] > 100
    assert done["usage"]["completion_tokens"] > 0


def test_a_prompt_beyond_the_window_is_said_with_both_numbers(mm: Mm) -> None:
    # The context plugin would send less.
    done = mm.run("--no-plugin", "context", "-p", "word " * 20_000)
    assert done.code == 3, done
    assert "8192" in done.err
    assert done.err.count("\n") == 1


def test_ctrl_c_ends_it_while_it_generates(mm: Mm) -> None:
    (mm.folder / "free.yaml").write_text(
        "profile: default\ntool_mode: native\nmax_tokens: 4096\nsystem: Tell long stories.\n"
    )
    process = mm.start("--config", "free.yaml", "--output", "jsonl", "-p", "Tell me a long story.")
    assert process.stdout
    assert any('"text_delta"' in line for line in process.stdout)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
