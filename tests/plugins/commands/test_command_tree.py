"""What holds for all commands: each explains itself, and those that list can do so in JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
import pytest

from command_page import PAGE, Found, commands, options, page
from minime_core.cli.main import run
from minime_core.testing import Mm, text
from quick_mm import QuickMm

TREE = list(commands())


def title(found: Found) -> str:
    return " ".join(found[0])


def is_sentence(words: str) -> bool:
    """Return whether `words` begin with a capital and end with a full stop, a default aside."""
    return bool(re.fullmatch(r"[A-Z`].*\.( \[.+\])?", words, re.DOTALL))


@pytest.mark.parametrize("found", TREE, ids=title)
def test_every_command_says_what_it_does(found: Found) -> None:
    _, command, _ = found
    first = (command.help or "").split("\n\n")[0]
    assert (
        is_sentence(" ".join(first.split())) or first == "Mini Me: an agent for small local models."
    )
    # What a word of the command line stands for is told: by its name in the text, or by choices.
    for argument in command.params:
        if isinstance(argument, click.Argument) and not isinstance(argument.type, click.Choice):
            word = (argument.metavar or argument.name or "").strip("[].").upper()
            assert word in (command.help or ""), word


@pytest.mark.parametrize("found", TREE, ids=title)
def test_every_option_is_explained_in_a_sentence_and_names_its_value(found: Found) -> None:
    _, command, ctx = found
    for option in options(command):
        assert is_sentence(option.help or ""), option.opts
        if not option.is_flag and not isinstance(option.type, click.Choice):
            assert option.metavar, option.opts
            # A number without a unit is a count, which the text names.
            assert option.make_metavar(ctx) not in ("INTEGER", "FLOAT"), option.opts


def test_the_page_of_commands_is_that_of_the_commands() -> None:
    assert PAGE.read_text() == page(), "`make docs` writes it anew"


# JSON

WORDS = {
    "mm profiles show": ["default"],
    "mm skills show": ["greetings"],
    "mm tools show": ["calculate"],
    "mm plugins why": ["commands"],
}
"""What commands that show one thing are given."""
LISTING = {"list", "show", "why", "models", "doctor", "prompt", "compare", "routing"}
"""The names of commands that show something to a reader."""


LISTINGS = [found for found in TREE if found[0][-1] in LISTING]


def test_the_commands_that_list_are_found() -> None:
    assert {title(found) for found in LISTINGS} > {"mm plugins list", *WORDS}


@pytest.mark.parametrize("found", LISTINGS, ids=title)
def test_every_command_that_lists_can_print_json(found: Found) -> None:
    assert "--json" in {name for option in options(found[1]) for name in option.opts}


@pytest.mark.parametrize(
    "found", [f for f in LISTINGS if f[0][-1] in ("list", "show", "why")], ids=title
)
def test_json_is_valid_in_an_empty_home(
    found: Found, home: Path, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = found[0]
    if title(found) == "mm sessions show":
        # Of a session, which an empty home has none of: see the tests of `mm sessions`.
        assert run([*words[1:], "--json", "x"]) == 2
        assert capsys.readouterr().out == ""
        return
    assert run([*words[1:], "--json", *WORDS.get(title(found), [])]) == 0
    out = capsys.readouterr().out
    assert out.isascii()
    assert isinstance(json.loads(out), dict | list)


@pytest.mark.parametrize("command", ["models", "doctor"])
def test_json_is_valid_where_nothing_can_be_had(
    mm: Mm, command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    mm = QuickMm(mm, capsys, monkeypatch)
    mm.options = []
    done = mm.run("--no-plugin", "providers", command, "--json")
    assert isinstance(json.loads(done.out), dict)
    assert done.code == (1 if command == "doctor" else 0)
    assert "no plugin chooses a model" in done.out or command == "doctor"


def test_the_prompt_is_shown_as_json(mm: Mm) -> None:
    mm.server.respond = text("unused")
    assert json.loads(mm.run("prompt", "--json").out)[0]["part"]
