"""Plugins that misbehave, with the real command: the user is told which, the rest goes on."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from minime_core import hookimpl
from minime_core.cli.slash_commands import slash_commands
from minime_core.testing import Mm, scripted_session, text, tool_call
from quick_mm import QuickMm

HEAD = """
import asyncio, os, signal, sys
from contextlib import aclosing
from minime_core import (
    ModelLayer, ModelRef, Phase, ProviderSpec, Tool, ToolLayer, ToolResult, hookimpl
)
from minime_core.testing import ScriptedModel

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
TOOL_LAYER = """
@hookimpl
def mm_tool_middleware(session):
    async def wrap(call, call_next):
        {before}
        result = await call_next(call)
        {after}
        return result
    return ToolLayer(name="mine", phase=Phase.OBSERVE, wrap=wrap)
"""
TOOL = """
async def run(arguments, context):
    {body}

@hookimpl
def mm_register_tools():
    schema = {{"type": "object", "properties": {{}}}}
    return Tool(name="mine", description="", schema=schema, run=run, effects=frozenset())
"""
PROVIDER = """
class Mine(ScriptedModel):
    name = "mine"
    async def stream(self, request):
        {body}
        yield

@hookimpl
def mm_register_providers():
    return ProviderSpec(name="mine", summary="", make=lambda config, ref: Mine())
"""
NEVER = "await asyncio.Event().wait()"
AT_ONCE = {"MM_PLUGIN_TIMEOUT": "0.1"}
CORE = Path(__file__).parents[2] / "minime_core"
HOOKS = {
    node.name: [argument.arg for argument in node.args.args]
    for node in ast.parse((CORE / "hookspecs.py").read_text()).body
    if isinstance(node, ast.FunctionDef)
}
IN_A_COMMAND = {
    "mm_register_commands": ["--help"],
    "mm_config_model": ["config", "show"],
    "mm_list_models": ["models"],
    "mm_findings": ["doctor"],
}
IN_A_CONVERSATION = ["mm_model_chosen", "mm_slash_commands", "mm_suggestions"]
IN_A_QUESTION = [name for name in HOOKS if name not in [*IN_A_COMMAND, *IN_A_CONVERSATION]]


@pytest.fixture
def quick(
    mm: Mm, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Mm]:
    """`mm` in this process, with nothing on stdin."""
    with open(os.devnull) as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        yield QuickMm(mm, capsys, monkeypatch)


def hook(name: str, arguments: list[str], body: str) -> str:
    return f"@hookimpl\ndef {name}({', '.join(arguments)}):\n    {body}\n"


def ask(
    mm: Mm, source: str, *options: str, replies: int = 1, env: dict[str, str] | None = None
) -> tuple[int, str, str]:
    """Ask with the plugin `broken` installed, beside one that works."""
    assert mm.site is not None
    mm.site.install("broken", HEAD + source)
    works = "open('works', 'w').close()"
    mm.site.install("zz_works", HEAD + hook("mm_session_start", ["session"], works))
    mm.server.enqueue(*[text("An answer.")] * replies)
    return mm.run(*options, "-p", "hi", env=env)


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


@pytest.mark.parametrize("name", IN_A_QUESTION)
def test_a_hook_that_fails_is_told_and_the_answer_comes(quick: Mm, name: str) -> None:
    code, out, err = ask(quick, hook(name, HOOKS[name], "raise ValueError('no luck')"))
    assert (code, out) == (0, "An answer.\n")
    assert err == f"mm: plugin broken failed in {name}: ValueError: no luck\n"
    assert (quick.cwd / "works").exists()


@pytest.mark.parametrize("name", IN_A_COMMAND)
def test_a_hook_that_fails_keeps_no_command_away(quick: Mm, name: str) -> None:
    assert quick.site is not None
    source = hook(name, HOOKS[name], "raise ValueError('no luck')")
    quick.site.install("broken", HEAD + source)
    done = quick.run(*IN_A_COMMAND[name])
    assert f"plugin broken failed in {name}: ValueError: no luck" in done.err
    assert done.out


@pytest.mark.parametrize("name", IN_A_CONVERSATION)
def test_a_hook_that_fails_ends_no_conversation(name: str) -> None:
    class Broken:
        pass

    def fail(*arguments: object) -> None:
        raise ValueError("no luck")

    setattr(Broken, name, hookimpl(fail))

    async def converse() -> list[str]:
        async with scripted_session(["An answer."], plugins=[Broken()], is_lenient=True) as one:
            one.session.host.notify("mm_model_chosen", ref=one.session.ref)
            assert slash_commands(one.session) == {}
            assert not [*one.session.host.collect("mm_suggestions", session=one.session)]
            assert (await one.ask()).answer == "An answer."
        return list(one.warnings)

    said = f"plugin broken failed in {name}: ValueError: no luck"
    assert asyncio.run(converse()) == [said]


NO_SCHEMA = (
    "Tool(name='mine', description='', schema={'x': object()}, run=print, effects=frozenset())"
)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("mm_register_tools", "7", "TypeError: 7 is no Tool"),
        ("mm_register_tools", NO_SCHEMA, "TypeError: Object of type "),
        ("mm_register_providers", "[None]", "TypeError: None is no ProviderSpec"),
        ("mm_register_tool_formats", "object()", "TypeError: <object objec"),
        ("mm_register_profiles", "'x.yaml'", "TypeError: 'x.yaml' is no Path"),
        ("mm_system_prompt", "7", "TypeError: 7 is no str"),
        ("mm_rewrite_question", "7", "TypeError: 7 is no str"),
        ("mm_resolve_model", "7", "TypeError: 7 is no ModelRef"),
        ("mm_model_middleware", "7", "TypeError: 7 is no ModelLayer"),
        ("mm_model_middleware", "ModelLayer(name='x', phase=Phase.JUDGE, wrap=7)", "TypeError: x"),
        ("mm_model_middleware", "ModelLayer(name='x', phase='a', wrap=print)", "TypeError: x"),
        ("mm_tool_middleware", "ToolLayer(name='x', phase='a', wrap=print)", "TypeError: x is no"),
    ],
)
def test_a_hook_that_returns_something_else_is_told(
    quick: Mm, name: str, value: str, said: str
) -> None:
    code, out, err = ask(quick, hook(name, [], f"return {value}"))
    assert (code, out) == (0, "An answer.\n")
    assert err.startswith(f"mm: plugin broken failed in {name}: {said}")
    assert err.count("\n") == 1


@pytest.mark.parametrize("content", [None, "a: [1", "match: m\nfrobnicate: 1", "match: '*'"])
def test_a_profile_that_cannot_be_used_is_left_out(quick: Mm, content: str | None) -> None:
    profile = quick.cwd / "mine.yaml"
    if content is not None:
        profile.write_text(content)
    body = f"import pathlib; return pathlib.Path({str(profile)!r})"
    code, out, err = ask(quick, hook("mm_register_profiles", [], body))
    assert (code, out) == (0, "An answer.\n")
    assert "plugin broken failed in mm_register_profiles for mine.yaml: ConfigError: " in err


def test_a_tool_whose_schema_is_wrong_is_a_failed_call(quick: Mm) -> None:
    quick.server.enqueue(tool_call("mine", {}))
    source = TOOL.format(body="return ToolResult(text='done')")
    code, out, err = ask(quick, source.replace('"object"', '"nonsense"'))
    assert (code, out) == (0, "An answer.\n")
    assert "mine: wrong arguments: the tool cannot be used, its schema is wrong" in err


PLACES = ["before", "during", "after"]


def layer(place: str, statement: str, template: str = LAYER) -> str:
    """Return a layer that does something in one place."""
    return template.format_map({**dict.fromkeys(PLACES, "pass"), place: statement})


@pytest.mark.parametrize("place", PLACES)
def test_a_layer_that_fails_ends_the_turn_with_its_plugins_name(mm: Mm, place: str) -> None:
    code, _, err = ask(mm, layer(place, "1 / 0"))
    assert code == 4
    assert err.splitlines()[-1] == (
        "mm: plugin broken failed: ZeroDivisionError: division by zero "
        "(`mm --no-plugin broken` goes without it)"
    )
    assert "Traceback" not in err
    assert (mm.cwd / "works").exists()


@pytest.mark.parametrize("place", PLACES)
def test_a_layer_that_waits_for_ever_ends_the_turn_with_its_plugins_name(
    mm: Mm, place: str
) -> None:
    code, _, err = ask(mm, layer(place, NEVER), env=AT_ONCE)
    assert code == 4
    assert err.splitlines()[-1] == (
        "mm: plugin broken kept everything waiting for 0.1 s in its layer mine, which is ended; "
        "if it is only slow, raise plugin_timeout (`mm --no-plugin broken` goes without it)"
    )
    assert "Traceback" not in err
    assert (mm.cwd / "works").exists()


@pytest.mark.parametrize("statement", ["sys.exit(3)", "raise asyncio.CancelledError"])
def test_a_layer_that_ends_more_than_itself_ends_the_turn(quick: Mm, statement: str) -> None:
    code, _, err = ask(quick, layer("before", statement))
    assert code == 4
    assert "plugin broken failed: " in err.splitlines()[-1]


def test_a_layer_that_yields_something_else_ends_the_turn_with_its_plugins_name(mm: Mm) -> None:
    code, _, err = ask(mm, layer("before", "yield 7"))
    assert code == 4
    assert "plugin broken failed in its layer mine: gave 7, which is no " in err


@pytest.mark.full
@pytest.mark.parametrize("value", ["None", "asyncio.sleep(0)", "[]"])
def test_a_layer_that_returns_something_else_ends_the_turn_with_its_plugins_name(
    mm: Mm, value: str
) -> None:
    wrap = f"ModelLayer(name='mine', phase=Phase.OBSERVE, wrap=lambda *_: {value})"
    code, _, err = ask(mm, hook("mm_model_middleware", [], f"return {wrap}"))
    assert code == 4
    assert "plugin broken failed in its layer mine: gave " in err
    assert "never awaited" not in err


def test_a_layer_that_waits_for_ever_beside_the_server_is_named_by_the_watchdog(mm: Mm) -> None:
    source = layer("before", NEVER).replace("Phase.OBSERVE", "Phase.NORMALISE")
    limits = {"first_token_timeout": 0.3, "watchdog_timeout": 0.3}
    (mm.cwd / "quick.json").write_text(json.dumps({"guards": limits}))
    code, _, err = ask(mm, source, "--config", "quick.json")
    assert code == 1
    assert "stalled: plugin broken sent nothing for 0.3 s" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("place", "statement", "said"),
    [
        ("before", "1 / 0", "failed: ZeroDivisionError: division by zero"),
        ("after", "1 / 0", "failed: ZeroDivisionError: division by zero"),
        ("before", "return 7", "failed in its layer mine: gave 7, which is no ToolResult"),
        ("before", NEVER, "kept everything waiting for 0.1 s in its layer mine"),
        ("after", NEVER, "kept everything waiting for 0.1 s in its layer mine"),
    ],
)
def test_a_tool_layer_that_misbehaves_ends_the_turn_with_its_plugins_name(
    mm: Mm, place: str, statement: str, said: str
) -> None:
    mm.server.enqueue(tool_call("plan", {"steps": [{"step": "One", "status": "pending"}]}))
    code, _, err = ask(mm, layer(place, statement, TOOL_LAYER), env=AT_ONCE)
    assert code == 4
    assert f"mm: plugin broken {said}" in err.splitlines()[-1]
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        ("1 / 0", 4, "plugin broken failed: ZeroDivisionError: division by zero"),
        ("yield 7", 4, "plugin broken failed in provider mine: gave 7, which is no "),
        (NEVER, 1, "stalled: plugin broken sent nothing for 0.3 s"),
    ],
)
def test_a_provider_that_misbehaves_ends_the_turn_with_its_plugins_name(
    mm: Mm, body: str, code: int, said: str
) -> None:
    (mm.cwd / "quick.json").write_text(json.dumps({"guards": {"first_token_timeout": 0.3}}))
    source = PROVIDER.format(body=body)
    mm.options = []
    ended, out, err = ask(mm, source, "--config", "quick.json", "--provider", "mine")
    assert (ended, out) == (code, "")
    assert said in err
    assert "Traceback" not in err


SURVEYED = """
class Mine(ScriptedModel):
    name = "mine"
    async def info(self):
        {body}

@hookimpl
def mm_register_providers():
    return ProviderSpec(name="mine", summary="", make=lambda config, ref: Mine())

@hookimpl
def mm_list_models():
    return ModelRef(provider="mine", model="theirs")
"""


def test_a_provider_that_fails_keeps_no_other_from_being_listed(quick: Mm) -> None:
    assert quick.site is not None
    quick.site.install("broken", HEAD + SURVEYED.format(body="raise ValueError('no luck')"))
    done = quick.run("models")
    assert done.code == 0
    assert "plugin broken failed: ValueError: no luck" in done.out
    assert "* m: window 4,096" in done.out


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise ValueError('no luck')", "plugin broken failed: ValueError: no luck"),
        (NEVER, "plugin broken kept everything waiting for 0.1 s in provider mine"),
    ],
)
def test_a_provider_that_tells_nothing_is_a_finding(quick: Mm, body: str, said: str) -> None:
    assert quick.site is not None
    quick.site.install("broken", HEAD + SURVEYED.format(body=body))
    quick.options = ["--provider", "mine", "--model", "theirs"]
    done = quick.run("doctor", env=AT_ONCE)
    assert said in done.out
    assert "Traceback" not in done.err


def test_the_end_of_a_session_that_waits_for_ever_is_told_after_the_answer(mm: Mm) -> None:
    code, out, err = ask(mm, f"@hookimpl\nasync def mm_session_end():\n    {NEVER}\n", env=AT_ONCE)
    assert (code, out) == (0, "An answer.\n")
    assert "plugin broken failed in mm_session_end: TimeoutError: it is not done" in err
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


@pytest.mark.parametrize(
    ("body", "told", "read"),
    [
        ("raise ValueError('no luck')", "failed in tool mine: ValueError", "no luck"),
        ("return 7", "failed in tool mine: TypeError: 7 is no ToolResult", "7 is no ToolResult"),
        ("return ToolResult(text=7)", "failed in tool mine: TypeError: ", "is no ToolResult"),
        ("raise asyncio.CancelledError", "failed in tool mine: CancelledError", "Do without it"),
        (NEVER, "kept everything waiting for 0.1 s in tool mine", "Do without it"),
    ],
)
def test_a_tool_that_misbehaves_is_a_failed_call(mm: Mm, body: str, told: str, read: str) -> None:
    mm.server.enqueue(tool_call("mine", {}))
    code, out, err = ask(mm, TOOL.format(body=body), env=AT_ONCE)
    assert (code, out) == (0, "An answer.\n")
    assert f"plugin broken {told}" in err
    assert read in mm.server.chat_requests[-1].json["messages"][-1]["content"]


@pytest.mark.parametrize(
    "source",
    [
        "print('noise')",
        hook("mm_session_start", ["session"], "print('noise')"),
        hook("mm_on_event", ["event"], "print('noise')"),
        layer("during", "print('noise')"),
    ],
    ids=["import", "hook", "observer", "layer"],
)
def test_what_a_plugin_prints_is_no_answer(mm: Mm, source: str) -> None:
    code, out, err = ask(mm, source)
    assert (code, out) == (0, "An answer.\n")
    assert "noise" in err


@pytest.mark.parametrize("output", ["json", "jsonl"])
def test_what_a_tool_prints_is_in_no_json(mm: Mm, output: str) -> None:
    mm.server.enqueue(tool_call("mine", {}))
    source = TOOL.format(body="print('noise'); return ToolResult(text='done')")
    code, out, err = ask(mm, source, "--output", output)
    assert code == 0
    assert all(json.loads(line) for line in out.splitlines())
    assert "noise" in err


IGNORE = "signal.signal(signal.SIGINT, signal.SIG_IGN)"


def test_a_handler_of_signals_that_is_replaced_is_put_back(mm: Mm) -> None:
    code, out, err = ask(mm, hook("mm_session_start", ["session"], IGNORE))
    assert (code, out) == (0, "An answer.\n")
    assert "plugin broken" in err
    assert "SIGINT" in err


def test_one_that_replaces_a_handler_of_signals_at_import_is_left_out(mm: Mm) -> None:
    code, out, err = ask(mm, IGNORE)
    assert (code, out) == (0, "An answer.\n")
    assert "plugin broken is left out" in err
    assert "SIGINT" in err


def test_a_layer_that_replaces_a_handler_of_signals_ends_the_turn(mm: Mm) -> None:
    code, _, err = ask(mm, layer("during", IGNORE))
    assert code == 4
    assert "plugin broken failed in its layer mine: it replaced the handler of SIGINT" in err
