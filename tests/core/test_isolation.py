"""Plugins that misbehave, with the real command: the user is told which, the rest goes on."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from minime_core.testing import Mm, text, tool_call

HEAD = """
import asyncio, os, signal, sys
from contextlib import aclosing
from minime_core import ModelLayer, Phase, Tool, ToolLayer, ToolResult, hookimpl

"""
LAYER = """
@hookimpl
def mm_model_middleware(session):
    async def wrap(request, call_next):
        {before}
        async with aclosing(call_next(request)) as events:
            async for event in events:
                {during}
                yield event
        {after}
    return ModelLayer(name="mine", phase=Phase.OBSERVE, wrap=wrap)
"""
CORE = Path(__file__).parents[2] / "minime_core"
HOOKS = [
    (node.name, [argument.arg for argument in node.args.args])
    for node in ast.parse((CORE / "hookspecs.py").read_text()).body
    if isinstance(node, ast.FunctionDef)
]
IN_A_QUESTION = [
    hook
    for hook in HOOKS
    if hook[0]
    not in (
        # Not called for a question in print mode.
        "mm_register_commands",
        "mm_config_model",
        "mm_list_models",
        "mm_findings",
        "mm_model_chosen",
        "mm_slash_commands",
        "mm_suggestions",
    )
]


def hook(name: str, arguments: list[str], body: str) -> str:
    return f"@hookimpl\ndef {name}({', '.join(arguments)}):\n    {body}\n"


def ask(mm: Mm, source: str, *options: str, replies: int = 1) -> tuple[int, str, str]:
    """Ask with the plugin `broken` installed, beside one that works."""
    assert mm.site is not None
    mm.site.install("broken", HEAD + source)
    works = "mark = open('works', 'w')\n"
    mm.site.install("zz_works", HEAD + hook("mm_session_start", ["session"], works))
    mm.server.enqueue(*[text("An answer.")] * replies)
    return mm.run(*options, "-p", "hi")


def test_one_that_fails_at_import_is_left_out(mm: Mm) -> None:
    code, out, err = ask(mm, "raise ValueError('no luck')")
    assert (code, out) == (0, "An answer.\n")
    assert "plugin broken" in err
    assert "no luck" in err
    assert (mm.cwd / "works").exists()


@pytest.mark.parametrize("statement", ["sys.exit(3)", "1 +"])
def test_one_that_ends_the_program_at_import_does_not(mm: Mm, statement: str) -> None:
    code, out, err = ask(mm, statement)
    assert (code, out) == (0, "An answer.\n")
    assert "plugin broken" in err


@pytest.mark.full
@pytest.mark.parametrize(("name", "arguments"), IN_A_QUESTION, ids=lambda value: str(value)[:30])
def test_a_hook_that_fails_is_told_and_the_answer_comes(
    mm: Mm, name: str, arguments: list[str]
) -> None:
    code, out, err = ask(mm, hook(name, arguments, "raise ValueError('no luck')"))
    assert (code, out) == (0, "An answer.\n")
    assert err.count("plugin broken failed in") == 1
    assert name in err
    assert "no luck" in err
    assert (mm.cwd / "works").exists()


@pytest.mark.full
@pytest.mark.parametrize("name", ["mm_register_tools", "mm_model_middleware", "mm_system_prompt"])
def test_a_hook_that_returns_something_else_is_told(mm: Mm, name: str) -> None:
    code, out, err = ask(mm, hook(name, [], "return 7"))
    assert (code, out) == (0, "An answer.\n")
    assert "plugin broken" in err
    assert name in err


@pytest.mark.parametrize(
    "where", [{"before": "1 / 0"}, {"during": "1 / 0"}, {"after": "1 / 0"}], ids=str
)
def test_a_layer_that_fails_ends_the_turn_with_its_plugins_name(
    mm: Mm, where: dict[str, str]
) -> None:
    source = LAYER.format_map({"before": "pass", "during": "pass", "after": "pass"} | where)
    code, _, err = ask(mm, source)
    assert code == 4
    assert "plugin broken failed" in err.splitlines()[-1]
    assert "Traceback" not in err


def test_a_layer_that_yields_something_else_ends_the_turn_with_its_plugins_name(mm: Mm) -> None:
    source = LAYER.format(before="yield 7", during="pass", after="pass")
    code, _, err = ask(mm, source)
    assert code == 4
    assert "plugin broken failed in its layer mine" in err


def test_a_layer_that_waits_for_ever_beside_the_server_is_bounded(mm: Mm) -> None:
    source = LAYER.format(before="await asyncio.Event().wait()", during="pass", after="pass")
    config = mm.cwd / "quick.json"
    config.write_text(json.dumps({"guards": {"first_token_timeout": 0.3, "watchdog_timeout": 0.3}}))
    assert mm.site is not None
    mm.site.install("broken", HEAD + source.replace("Phase.OBSERVE", "Phase.NORMALISE"))
    mm.server.enqueue(text("An answer."))
    code, _, err = mm.run("--config", str(config), "-p", "hi")
    assert code == 1
    assert "stalled" in err
    assert "Traceback" not in err


def test_an_observer_that_fails_is_muted(mm: Mm) -> None:
    code, out, err = ask(mm, hook("mm_on_event", ["event"], "raise ValueError('no luck')"))
    assert (code, out) == (0, "An answer.\n")
    assert err.count("plugin broken failed in mm_on_event") == 1


def test_a_tool_with_a_name_that_is_taken_is_refused(mm: Mm) -> None:
    source = """
async def run(arguments, context):
    return ToolResult(text="mine")

@hookimpl
def mm_register_tools():
    schema = {"type": "object", "properties": {}}
    return Tool(name="bash", description="", schema=schema, run=run, effects=frozenset())
"""
    code, out, err = ask(mm, source)
    assert (code, out) == (0, "An answer.\n")
    assert "plugin broken" in err
    assert "the name bash is taken by plugin builtin_tools" in err


def test_a_tool_that_fails_is_a_failed_call(mm: Mm) -> None:
    source = """
async def run(arguments, context):
    raise ValueError("no luck")

@hookimpl
def mm_register_tools():
    schema = {"type": "object", "properties": {}}
    return Tool(name="mine", description="", schema=schema, run=run, effects=frozenset())
"""
    mm.server.enqueue(tool_call("mine", {}))
    code, out, err = ask(mm, source)
    assert (code, out) == (0, "An answer.\n")
    assert "plugin broken failed in tool mine" in err
    assert "no luck" in mm.server.chat_requests[-1].json["messages"][-1]["content"]


@pytest.mark.parametrize(
    "source",
    ["print('noise')", hook("mm_session_start", ["session"], "print('noise')")],
    ids=["import", "hook"],
)
def test_what_a_plugin_prints_is_no_answer(mm: Mm, source: str) -> None:
    code, out, err = ask(mm, source)
    assert (code, out) == (0, "An answer.\n")
    assert "noise" in err


def test_a_handler_of_signals_that_is_replaced_is_put_back(mm: Mm) -> None:
    body = "signal.signal(signal.SIGINT, signal.SIG_IGN)"
    code, out, err = ask(mm, hook("mm_session_start", ["session"], body))
    assert (code, out) == (0, "An answer.\n")
    assert "plugin broken" in err
    assert "SIGINT" in err
