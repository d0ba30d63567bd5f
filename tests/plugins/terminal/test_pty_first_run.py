"""`mm` in an empty home, with nothing configured: what runs here is found, used and said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

import pytest

from minime_core.testing import FaultServer, Mm, text
from pty_fork import Nest
from pty_mm import CTRL_C, CTRL_D, ENTER, PtyMm, QuickPtyMm

Bare: TypeAlias = Callable[..., QuickPtyMm]

OTHER_PORTS = """
import os
from dataclasses import replace
from minime_core import hookimpl
from minime_providers.presets import PRESETS
from minime_providers.resolve import resolve

@hookimpl
def mm_resolve_model(config):
    named = [pair.partition("=") for pair in os.environ["PORTS"].split()]
    return resolve(config, [replace(PRESETS[name], base_url=url) for name, _, url in named])
"""
"""A plugin that looks for servers as `mm` does, but not where those of this machine may run."""


@pytest.fixture
def ollama() -> Iterator[FaultServer]:
    """Return another server, with a model of its own."""
    with FaultServer(model="qwen3:4b") as server:
        server.routes["POST /api/show"] = {"model_info": {}, "capabilities": ["tools"]}
        server.routes["GET /api/ps"] = {"models": []}
        yield server


@pytest.fixture
def bare(mm: Mm, nest: Nest) -> Iterator[Bare]:
    """Return a function that starts `mm` without any option; those servers are found."""
    assert mm.site is not None
    mm.site.install("other_ports", OTHER_PORTS)
    with ExitStack() as stack:

        def begin(columns: int = 100, **servers: FaultServer) -> QuickPtyMm:
            ports = " ".join(f"{name}={server.base_url}" for name, server in servers.items())
            env = {"PORTS": ports, "PYTHONPATH": str(mm.site.folder if mm.site else "")}
            terminal = QuickPtyMm([], nest, cwd=mm.cwd, env=env, columns=columns)
            return stack.enter_context(terminal)

        yield begin


def test_one_server_with_one_model_is_used_and_said(bare: Bare, mm: Mm) -> None:
    home = mm.cwd.parent / "home"
    assert list(home.iterdir()) == []
    mm.server.enqueue(text("It works."))
    terminal = bare(llamacpp=mm.server)
    terminal.see_prompt()
    greeting = [row for row in terminal.rows() if row]
    assert len(greeting) == 3
    assert greeting[0] == "Mini Me · local-model · window 4.1k by /props · profile default"
    why = r"llama-server of llama\.cpp runs on port \d+ · /help shows more"
    assert re.fullmatch(why, greeting[1])
    terminal.ask("Do you?")
    terminal.see("It works.")


def test_long_names_are_greeted_in_two_rows_too(bare: Bare, ollama: FaultServer) -> None:
    name = "SmolLM2-135M-Instruct.Q4_1.gguf"
    ollama.routes["GET /v1/models"] = {"data": [{"id": name}]}
    terminal = bare(llamacpp=ollama, columns=80)
    terminal.see_prompt()
    rows = [row for row in terminal.rows() if row]
    assert rows[0] == f"Mini Me · {name} · window 4.1k by /props"
    assert rows[1].startswith("llama-server of llama.cpp runs on port ")
    assert rows[1].endswith(" · profile smollm2-135m · /help")
    assert rows[2:] == [">"]


def test_several_models_are_asked_about_once(bare: Bare, mm: Mm, ollama: FaultServer) -> None:
    ollama.enqueue(text("Here."), text("Here again."))
    terminal = bare(llamacpp=mm.server, ollama=ollama)
    terminal.see("Which one? (1-2, or its name)")
    assert re.search(r"1\. local-model  llama-server of llama\.cpp runs on port", terminal.text)
    assert re.search(r"2\. qwen3:4b  Ollama runs on port", terminal.text)
    terminal.type("3" + ENTER)
    terminal.see("there is no 3")
    terminal.see("Which one?", 2)
    terminal.type("2" + ENTER)
    terminal.see("Mini Me · qwen3:4b")
    terminal.see_prompt()
    terminal.ask("Who?")
    terminal.see("Here.")
    terminal.see_prompt()
    terminal.type(CTRL_D)
    assert terminal.end() == 0
    again = bare(llamacpp=mm.server, ollama=ollama)
    again.see_prompt()
    assert "Which one?" not in again.text
    assert "chosen before; Ollama runs on port" in again.text
    again.ask("Who?")
    again.see("Here again.")
    # Another model that runs now changes nothing; the chosen one that is gone does.
    third = bare(llamacpp=mm.server)
    third.see_prompt()
    assert "Mini Me · local-model" in third.text


def test_who_does_not_choose_is_asked_again_next_time(
    bare: Bare, mm: Mm, ollama: FaultServer
) -> None:
    for _ in range(2):
        terminal = bare(llamacpp=mm.server, ollama=ollama)
        terminal.see("Which one?")
        terminal.type(CTRL_C)
        terminal.see_prompt()
        assert "Mini Me · local-model" in terminal.text


def test_a_home_that_cannot_be_written_costs_no_conversation(mm: Mm, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    mm.server.enqueue(text("It works."))
    env = {"HOME": str(tmp_path / "file")}
    # Started as a user would start it, not forked.
    with PtyMm(mm.options, cwd=mm.cwd, env=env, columns=100) as terminal:
        terminal.see_prompt()
        terminal.ask("Do you?")
        terminal.see("It works.")
        terminal.see_prompt()
        terminal.type(CTRL_D)
        assert terminal.end() == 0
