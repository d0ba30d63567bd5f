"""One test for each hook: what a plugin offers by it is used."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from minime_core import (
    Config,
    Event,
    FrontendSpec,
    ModelCall,
    ModelEvent,
    ModelLayer,
    ModelRef,
    ModelRequest,
    Opener,
    Phase,
    PluginHost,
    Session,
    SlashCommand,
    Suggestion,
    TextDelta,
    ToolCall,
    ToolCaller,
    ToolFormat,
    ToolLayer,
    ToolResult,
    TurnDone,
    hookimpl,
    hookspecs,
    tool,
)
from minime_core.assembly import load_profiles
from minime_core.testing import (
    Mm,
    ScriptedModel,
    ask_scripted,
    scripted_session,
    tool_call,
)


def plugin(**hooks: Any) -> Any:
    """Return a plugin with these functions as hooks."""
    return SimpleNamespace(**{name: hookimpl(function) for name, function in hooks.items()})


def hosted(**hooks: Any) -> PluginHost:
    host = PluginHost()
    host.register(plugin(**hooks), "mine")
    return host


@tool(effects=set())
def double(number: int) -> str:
    """Double a number."""
    return str(2 * number)


def in_session(look: Callable[[Session], Any], **hooks: Any) -> Any:
    """Return what `look` sees in a session with a plugin of these hooks."""

    async def run() -> Any:
        async with scripted_session(plugins=[plugin(**hooks)]) as scripted:
            return look(scripted.session)

    return asyncio.run(run())


CALL = tool_call("double", {"number": 21})


def test_every_hook_has_a_test_of_its_name() -> None:
    hooks = {name for name in vars(hookspecs) if name.startswith("mm_")}
    assert {
        name.removeprefix("test_") for name in globals() if name.startswith("test_mm_")
    } == hooks


# Registration


def test_mm_register_providers(mm: Mm) -> None:
    assert mm.site is not None
    mm.site.install(
        "mine",
        "from minime_core import ProviderSpec, hookimpl\n"
        "from minime_core.testing import ScriptedModel\n\n"
        "def make(config, ref):\n    return ScriptedModel([f'I am {ref.model}.'])\n\n"
        "@hookimpl\ndef mm_register_providers():\n"
        "    return ProviderSpec(name='mine', summary='', make=make)\n",
    )
    assert mm.run("--provider", "mine", "-p", "Who are you?").out == "I am m.\n"


def test_mm_register_tools(tmp_path: Path) -> None:
    given: dict[str, Any] = {}

    def register(config: Config, window: int, cwd: Path, skill_folders: list[Path]) -> Any:
        given.update(policy=config.settings.policy, window=window, cwd=cwd, skills=skill_folders)
        return double

    mine = plugin(mm_register_tools=register, mm_register_skills=lambda: tmp_path / "skills")
    turn = ask_scripted([CALL, "42."], plugins=[mine], cwd=tmp_path)
    assert turn.results == ["42"]
    assert given == {
        "policy": "yolo",
        "window": 8192,
        "cwd": tmp_path,
        "skills": [tmp_path / "skills"],
    }


def test_mm_register_tool_formats() -> None:
    parts = ["read", "reader", "render_tools", "render_answer", "render_result", "constraint"]
    shout: Any = SimpleNamespace(
        name="shout", openers=(), heads=(), usage="", **dict.fromkeys(parts, lambda *_: None)
    )
    assert isinstance(shout, ToolFormat)
    formats = in_session(lambda session: session.formats, mm_register_tool_formats=lambda: [shout])
    assert formats == {"shout": shout}


def test_mm_register_profiles(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("match: scripted-*\nmax_turns: 3\n")
    register = {"mm_register_profiles": lambda: tmp_path / "mine.yaml"}
    assert load_profiles(hosted(**register), tmp_path).match("scripted-model") == "mine"
    assert in_session(lambda session: session.settings.max_turns, **register) == 3


def test_mm_register_skills(tmp_path: Path) -> None:
    (tmp_path / "greet").mkdir()
    (tmp_path / "greet" / "SKILL.md").write_text(
        "---\nname: greet\ndescription: How to greet.\n---\nSay hello.\n"
    )
    mine = plugin(mm_register_skills=lambda: [tmp_path])

    async def run() -> str:
        async with scripted_session(plugins=[mine, "skills"]) as scripted:
            return str(scripted.session.tools["read_skill"])

    assert "greet" in asyncio.run(run())


def test_mm_register_frontends() -> None:
    async def run(opener: Opener, prompt: str | None) -> int:
        return 0

    mine = FrontendSpec(name="mine", summary="", run=run)
    found = hosted(mm_register_frontends=lambda: mine).named("mm_register_frontends", FrontendSpec)
    assert found == {"mine": mine}


HEAD = "import click\nfrom minime_core import hookimpl\n\n"


def test_mm_register_commands(mm: Mm) -> None:
    assert mm.site is not None
    mm.site.install(
        "mine",
        HEAD + "@click.command()\ndef greet():\n    '''Greet.'''\n    click.echo('Hello.')\n\n"
        "@hookimpl\ndef mm_register_commands(cli):\n    cli.add_command(greet)\n",
    )
    assert mm.run("greet").out == "Hello.\n"
    assert "\n  greet " in mm.run("--help").out


def test_mm_config_model(mm: Mm) -> None:
    assert mm.site is not None
    mm.site.install(
        "mine",
        "from dataclasses import dataclass\nfrom minime_core import hookimpl, setting\n\n"
        "@dataclass(frozen=True, kw_only=True)\nclass Mine:\n"
        "    times: int = setting(1, 'times')\n\n"
        "@hookimpl\ndef mm_config_model():\n    return 'mine:Mine'\n",
    )
    config = mm.cwd / "config.yaml"
    config.write_text("mine:\n  times: 2\n")
    assert mm.run("config", "check", str(config)).code == 0
    config.write_text("mine:\n  tmies: 2\n")
    done = mm.run("config", "check", str(config))
    assert done.code == 1
    assert "did you mean times?" in done.out + done.err


# Choosing a model


def test_mm_resolve_model() -> None:
    first, last = (ModelRef(provider=name) for name in ("first", "last"))
    host = hosted(mm_resolve_model=lambda config: first)
    host.register(plugin(mm_resolve_model=lambda config: last), "later")
    # What was loaded last, which is never a built-in plugin, is asked first.
    assert host.first("mm_resolve_model", ModelRef, config=Config([])) is last


def test_mm_list_models() -> None:
    refs = [ModelRef(provider="mine", model=name) for name in ("a", "b")]
    host = hosted(mm_list_models=lambda config: refs)
    found = host.collect("mm_list_models", ModelRef, config=Config([]))
    assert [ref for _, ref in found] == refs


def test_mm_findings(mm: Mm) -> None:
    assert mm.site is not None
    mm.site.install(
        "mine",
        "from minime_core import Finding, hookimpl\n\n"
        "@hookimpl\ndef mm_findings(cwd):\n"
        "    return Finding('mine', 'fault', f'{cwd} is odd', 'mend it')\n",
    )
    done = mm.run("doctor")
    assert done.code == 1
    assert f"{mm.cwd} is odd" in done.out
    assert "cure: mend it" in done.out


def test_mm_model_chosen() -> None:
    chosen: list[ModelRef] = []
    ref = ModelRef(provider="mine")
    hosted(mm_model_chosen=lambda ref: chosen.append(ref)).notify("mm_model_chosen", ref=ref)
    assert chosen == [ref]


# Layers and prompt


def test_mm_model_middleware() -> None:
    async def shout(
        request: ModelRequest, call_next: ModelCall
    ) -> AsyncGenerator[ModelEvent, None]:
        async with aclosing(call_next(request)) as events:
            async for event in events:
                yield TextDelta(event.text.upper()) if isinstance(event, TextDelta) else event

    layer = ModelLayer(name="shout", phase=Phase.OBSERVE, wrap=shout)
    turn = ask_scripted(["hello"], plugins=[plugin(mm_model_middleware=lambda session: layer)])
    assert turn.shown == "HELLO"


def test_mm_tool_middleware() -> None:
    async def deny(call: ToolCall, call_next: ToolCaller) -> ToolResult:
        return ToolResult(text="[double: not today]", ok=False, ran=False)

    layer = ToolLayer(name="deny", phase=Phase.JUDGE, wrap=deny)
    mine = plugin(mm_tool_middleware=lambda session: layer, mm_register_tools=lambda: double)
    assert ask_scripted([CALL, "No."], plugins=[mine]).results == ["[double: not today]"]


def test_mm_rewrite_question() -> None:
    mine = plugin(mm_rewrite_question=lambda question: f"{question}, please")
    model = ScriptedModel(["Yes."])
    ask_scripted(model, "Go", plugins=[mine])
    assert model.requests[0].messages[-1].text == "Go, please"


def test_mm_system_prompt() -> None:
    model = ScriptedModel(["Hi."])
    mine = plugin(mm_system_prompt=lambda session: "Be kind.")
    ask_scripted(model, plugins=[mine])
    assert model.requests[0].messages[0].text == "Be kind."


def test_mm_slash_commands() -> None:
    async def greet(session: Session, rest: str) -> str:
        return f"Hello {rest}"

    command = SlashCommand(name="greet", summary="", run=greet)

    def offered(session: Session) -> Any:
        return list(session.host.collect("mm_slash_commands", SlashCommand, session=session))

    found = in_session(offered, mm_slash_commands=lambda session: command)
    assert [one for _, one in found] == [command]


def test_mm_suggestions() -> None:
    word = Suggestion(text="$greet", summary="")

    def offered(session: Session) -> Any:
        return list(session.host.collect("mm_suggestions", Suggestion, session=session))

    assert [one for _, one in in_session(offered, mm_suggestions=lambda session: word)] == [word]


# Observers


def test_mm_session_start() -> None:
    seen: list[Session] = []
    session = in_session(
        lambda session: session, mm_session_start=lambda session: seen.append(session)
    )
    assert seen == [session]


def test_mm_session_end() -> None:
    ended: list[str] = []

    async def last() -> None:
        ended.append("awaited")

    def end(session: Session) -> Awaitable[None]:
        ended.append("called")
        return last()

    in_session(lambda session: session, mm_session_end=end)
    assert ended == ["called", "awaited"]


def test_mm_on_event() -> None:
    seen: list[Event] = []
    turn = ask_scripted(["Hi."], plugins=[plugin(mm_on_event=lambda event: seen.append(event))])
    assert seen == turn.events
    assert isinstance(seen[-1], TurnDone)
