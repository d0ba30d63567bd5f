from __future__ import annotations

from pathlib import Path

import mm_plugin_hello
from mm_plugin_hello.shouting import Shouting
from mm_plugin_hello.tools import greet

from minime_core.testing import Mm, ask_scripted, text, tool_call


def test_somebody_is_greeted(mm_home: Path) -> None:
    turn = ask_scripted([tool_call("greet", {"name": "Ann"}), "Done."], plugins=[mm_plugin_hello])
    assert turn.results == ["Hello, Ann!"]


def test_without_a_name_the_model_is_told_what_to_do(mm_home: Path) -> None:
    turn = ask_scripted([tool_call("greet", {"name": " "}), "Done."], plugins=[mm_plugin_hello])
    assert turn.results == ["[greet: the name is empty; ask the user for it]"]


def test_the_layers_count_requests_and_calls(mm: Mm) -> None:
    mm.server.enqueue(tool_call("greet", {"name": "Ann"}), text("Done."))
    done = mm.run("--debug", "-p", "Greet Ann.")
    assert (done.code, done.out) == (0, "Done.\n")
    assert "call 1: greet" in done.err
    assert "request 2" in done.err


def test_the_format_reads_a_call_that_is_written_as_text(mm: Mm) -> None:
    mm.server.enqueue(text('CALL greet {"name": "Ann"}'), text("Done."))
    done = mm.run("--profile", "echo", "-p", "Greet Ann.")
    assert (done.code, done.out) == (0, "Done.\n")
    assert "Hello, Ann!" in str(mm.server.chat_requests[-1].json["messages"])


def test_the_skill_and_the_profile_are_found(mm: Mm) -> None:
    assert "say-hello" in mm.run("skills", "list").out
    assert "echo" in mm.run("profiles", "list").out


def test_what_the_format_writes_it_reads() -> None:
    shouting, tools = Shouting(), {greet.name: greet}
    begun = shouting.read("CALL gre", 0, tools, is_final=False)
    assert begun is not None
    assert begun.is_open
    assert shouting.read("CALL off {}\n", 0, tools, is_final=True) is None
    reading = shouting.read('CALL greet {"name": "Ann"}\n', 0, tools, is_final=False)
    assert reading is not None
    (call,) = reading.calls
    assert (call.name, call.arguments) == ("greet", {"name": "Ann"})
    written = shouting.render_answer("", [call])
    assert shouting.read(written, 0, tools, is_final=True) is not None


def test_the_provider_answers_without_a_model(mm: Mm) -> None:
    mm.options = ["--provider", "echo"]
    done = mm.run("--debug", "-p", "Is anybody there?")
    assert (done.code, done.out) == (0, "Is anybody there?\n")
    assert "request 1" in done.err


def test_the_command_greets(mm: Mm) -> None:
    assert mm.run("hello", "Ann")[:2] == (0, "Hello, Ann!\n")
