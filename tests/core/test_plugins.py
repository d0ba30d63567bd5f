from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from minime_core import hookimpl
from minime_core.errors import ConfigError, PluginError
from minime_core.plugins import DISTRIBUTION, PluginHost, PluginInfo, discover
from minime_core.testing import Site

HOOK = "from minime_core import hookimpl\n\n@hookimpl\n"


@pytest.fixture(autouse=True)
def lenient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MM_STRICT_PLUGINS", raising=False)


class Plugins:
    """A host and what it warned of."""

    def __init__(self) -> None:
        self.warnings: list[str] = []
        self.host = PluginHost(warn=self.warnings.append)

    def add(self, name: str, **hooks: Callable[..., Any]) -> Plugins:
        """Register a plugin with these functions as hooks."""
        marked = {hook: hookimpl(function) for hook, function in hooks.items()}
        self.host.register(SimpleNamespace(**marked), name)
        return self

    def load(self, *names: str, disabled: tuple[str, ...] = ()) -> dict[str, PluginInfo]:
        """Load installed plugins."""
        self.host.infos = [info for info in discover() if info.name in names]
        self.host.load(disabled)
        return {info.name: info for info in self.host.infos}


@pytest.fixture
def plugins() -> Plugins:
    return Plugins()


def fail(*arguments: Any) -> Any:
    raise ZeroDivisionError("oh no")


# Finding and loading


def test_built_in_plugins_come_first_then_the_others_by_name(site: Site) -> None:
    site.install("aaa", "")
    site.install("zzz", "", distribution=DISTRIBUTION)
    site.install("bbb", "")
    found = [info for info in discover() if info.distribution != DISTRIBUTION or info.name == "zzz"]
    assert [info.name for info in found if info.name in ("aaa", "bbb", "zzz")] == [
        "zzz",
        "aaa",
        "bbb",
    ]
    assert [info.builtin for info in found if info.name in ("aaa", "bbb", "zzz")] == [
        True,
        False,
        False,
    ]


def test_finding_plugins_imports_none(site: Site) -> None:
    site.install("broken_at_import", "raise RuntimeError")
    (info,) = [info for info in discover() if info.name == "broken_at_import"]
    assert (info.distribution, info.version, info.state) == (
        "mm-plugin-broken_at_import",
        "1.2",
        "found",
    )
    assert "broken_at_import" not in sys.modules


def test_a_loaded_plugin_tells_its_hooks(site: Site, plugins: Plugins) -> None:
    site.install("good", HOOK + "def mm_register_skills(): return []\n\ndef helper(): pass\n")
    info = plugins.load("good")["good"]
    assert (info.state, info.hooks, info.error) == ("loaded", ("mm_register_skills",), "")
    assert info.load_ms > 0
    assert plugins.warnings == []


BROKEN = {
    "raises": ("raise ValueError('a\\nb')", "ValueError: a b"),
    "exits": ("import sys; sys.exit(3)", "SystemExit: 3"),
    "lacks": ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
    "syntax": ("def (", "SyntaxError: invalid syntax (syntax.py, line 1)"),
    "unknown": (
        HOOK + "def mm_register_tool(): pass",
        "there is no hook mm_register_tool; did you mean mm_register_tools?",
    ),
    "odd": (HOOK + "def frobnicate(): pass", "there is no hook frobnicate"),
    "unmarked": (
        "def mm_register_tools(): pass",
        "mm_register_tools is not marked with minime_core.hookimpl",
    ),
    "argument": (
        HOOK + "def mm_register_tools(session): pass",
        "Argument(s) {'session'} are declared in the hookimpl but can not be found in the hookspec",
    ),
    "wrapper": (
        "from minime_core import hookimpl\n\n@hookimpl(wrapper=True)\n"
        "def mm_register_skills():\n    return (yield)",
        "mm_register_skills cannot be a wrapper",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_plugin_that_cannot_be_loaded_is_left_out_with_one_warning(
    name: str, site: Site, plugins: Plugins
) -> None:
    source, reason = BROKEN[name]
    site.install(name, source)
    site.install("zgood", HOOK + "def mm_register_skills(): return [1]")
    infos = plugins.load(name, "zgood")
    assert (infos[name].state, infos[name].error) == ("failed", reason)
    assert plugins.warnings == [
        f"plugin {name} is left out: {reason} (`mm --no-plugin {name}` ends this warning)"
    ]
    assert list(plugins.host.collect("mm_register_skills")) == [("zgood", 1)]


def test_a_disabled_plugin_is_not_imported(site: Site, plugins: Plugins) -> None:
    site.install("unwanted", "raise RuntimeError")
    assert plugins.load("unwanted", disabled=("unwanted",))["unwanted"].state == "disabled"
    assert plugins.warnings == []


def test_a_plugin_cannot_take_the_name_of_a_built_in_one(site: Site, plugins: Plugins) -> None:
    returns = HOOK + "def mm_register_skills(): return [__name__]"
    site.install("stranger", returns, entry="same")
    site.install("ours", returns, entry="same", distribution=DISTRIBUTION)
    plugins.load("same")
    assert [info.state for info in plugins.host.infos] == ["loaded", "failed"]
    assert list(plugins.host.collect("mm_register_skills")) == [("same", "ours")]
    assert "another plugin has that name" in plugins.warnings[0]


def test_a_module_can_be_one_plugin_only(site: Site, plugins: Plugins) -> None:
    site.install("twice", HOOK + "def mm_register_skills(): return [1]")
    info = site.folder / "mm_plugin_other-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mm-plugin-other\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[minime]\nzother = twice\n")
    infos = plugins.load("twice", "zother")
    assert (infos["twice"].state, infos["zother"].state) == ("loaded", "failed")
    assert len(plugins.warnings) == 1
    assert "\n" not in plugins.warnings[0]


def test_strict_mode_lets_an_import_fail(
    site: Site, plugins: Plugins, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MM_STRICT_PLUGINS", "1")
    site.install("broken", "raise ZeroDivisionError")
    with pytest.raises(ZeroDivisionError):
        plugins.load("broken")


def test_registering_an_object_with_a_fault_leaves_nothing_behind(plugins: Plugins) -> None:
    with pytest.raises(PluginError, match="there is no hook mm_x") as error:
        plugins.add("bad", mm_x=lambda: [0], mm_register_skills=lambda: [1])
    assert error.value.plugin == "bad"
    assert list(plugins.host.collect("mm_register_skills")) == []
    plugins.add("bad", mm_register_skills=lambda: [2])
    assert list(plugins.host.collect("mm_register_skills")) == [("bad", 2)]


# Collecting


def test_items_come_in_loading_order_with_their_plugin(plugins: Plugins) -> None:
    plugins.add("a", mm_register_skills=lambda: [1, 2]).add("b", mm_register_skills=lambda: (3,))
    plugins.add("c", mm_register_skills=lambda: None)
    assert list(plugins.host.collect("mm_register_skills")) == [("a", 1), ("a", 2), ("b", 3)]


def test_one_item_need_not_be_a_list_and_text_is_one_item(plugins: Plugins) -> None:
    plugins.add("a", mm_system_prompt=lambda: "Be kind.").add("b", mm_system_prompt=lambda: 5)
    collected = plugins.host.collect("mm_system_prompt", session=None)
    assert list(collected) == [("a", "Be kind."), ("b", 5)]


def test_a_hook_takes_the_arguments_that_it_needs(plugins: Plugins) -> None:
    plugins.add("none", mm_on_event=lambda: seen.append("none"))
    plugins.add("one", mm_on_event=lambda event: seen.append(event))
    plugins.add("both", mm_on_event=lambda event, session: seen.append((session, event)))
    seen: list[Any] = []
    plugins.host.notify("mm_on_event", session="s", event="e")
    assert seen == ["none", "e", ("s", "e")]


def test_a_hook_that_raises_is_reported_once_and_left_out(plugins: Plugins) -> None:
    plugins.add("bad", mm_register_skills=fail).add("good", mm_register_skills=lambda: [1])
    for _ in range(2):
        assert list(plugins.host.collect("mm_register_skills")) == [("good", 1)]
    assert plugins.warnings == ["plugin bad failed in mm_register_skills: ZeroDivisionError: oh no"]


def test_a_hook_that_raises_after_some_items_gives_none(plugins: Plugins) -> None:
    def half() -> Iterator[int]:
        yield 1
        fail()

    plugins.add("half", mm_register_skills=half)
    assert list(plugins.host.collect("mm_register_skills")) == []
    assert len(plugins.warnings) == 1


@pytest.mark.parametrize("returned", [5, "text", [1, "x"], [None], {"a": 1}, object()])
def test_a_hook_that_returns_something_else_is_reported(plugins: Plugins, returned: object) -> None:
    plugins.add("bad", mm_register_skills=lambda: returned)
    plugins.add("good", mm_register_skills=lambda: [1.5])
    assert list(plugins.host.collect("mm_register_skills", float)) == [("good", 1.5)]
    (warning,) = plugins.warnings
    assert warning.startswith("plugin bad failed in mm_register_skills: TypeError: ")
    assert warning.endswith(" is no float")
    assert len(warning) < 400


def test_an_error_for_the_user_is_passed_on(plugins: Plugins) -> None:
    def refuse() -> None:
        raise ConfigError("the section is wrong")

    plugins.add("strict", mm_register_skills=refuse)
    with pytest.raises(ConfigError, match="the section is wrong"):
        list(plugins.host.collect("mm_register_skills"))


def test_strict_mode_lets_a_hook_fail(plugins: Plugins, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MM_STRICT_PLUGINS", "1")
    plugins.add("bad", mm_register_skills=fail, mm_on_event=fail)
    with pytest.raises(ZeroDivisionError):
        list(plugins.host.collect("mm_register_skills"))
    with pytest.raises(ZeroDivisionError):
        plugins.host.notify("mm_on_event", session=None, event=None)


# The first result


def test_the_plugin_that_was_loaded_last_is_asked_first(plugins: Plugins) -> None:
    plugins.add("built_in", mm_resolve_model=lambda: "ours")
    plugins.add("stranger", mm_resolve_model=lambda: "theirs")
    plugins.add("silent", mm_resolve_model=lambda: None)
    assert plugins.host.first("mm_resolve_model", config=None) == "theirs"


def test_without_a_result_there_is_none(plugins: Plugins) -> None:
    assert plugins.host.first("mm_resolve_model", config=None) is None
    plugins.add("silent", mm_resolve_model=lambda: None)
    assert plugins.host.first("mm_resolve_model", config=None) is None


def test_a_plugin_that_raises_is_passed_over(plugins: Plugins) -> None:
    plugins.add("built_in", mm_resolve_model=lambda: "ours").add("bad", mm_resolve_model=fail)
    assert plugins.host.first("mm_resolve_model", config=None) == "ours"
    assert plugins.warnings == ["plugin bad failed in mm_resolve_model: ZeroDivisionError: oh no"]


# Observers


def test_an_observer_that_fails_is_muted(plugins: Plugins) -> None:
    calls: list[str] = []

    def bad(event: str) -> None:
        calls.append(event)
        raise ConfigError("any error at all")

    plugins.add("bad", mm_on_event=bad).add("good", mm_on_event=lambda event: calls.append(event))
    for event in ("one", "two"):
        plugins.host.notify("mm_on_event", session=None, event=event)
    assert calls == ["one", "one", "two"]
    assert plugins.warnings == ["plugin bad failed in mm_on_event: ConfigError: any error at all"]


def test_what_an_observer_wants_awaited_never_raises(plugins: Plugins) -> None:
    ended: list[str] = []

    async def bad() -> None:
        fail()

    async def good() -> None:
        ended.append("good")

    plugins.add("bad", mm_session_end=bad).add("good", mm_session_end=good)

    async def end() -> None:
        for awaitable in plugins.host.notify("mm_session_end", session=None):
            await awaitable

    asyncio.run(end())
    assert ended == ["good"]
    assert plugins.warnings == ["plugin bad failed in mm_session_end: ZeroDivisionError: oh no"]


def test_whether_somebody_observes_is_known(plugins: Plugins) -> None:
    assert not plugins.host.has("mm_on_event")
    assert plugins.add("a", mm_on_event=lambda: None).host.has("mm_on_event")


# Blame


def test_the_plugin_whose_code_failed_innermost_is_blamed(site: Site, plugins: Plugins) -> None:
    site.install("outer", "def call(f): return f()")
    site.install("inner", "def fail(): return 1 / 0")
    plugins.load("outer", "inner")
    outer, inner = sys.modules["outer"], sys.modules["inner"]

    def blame(call: Callable[[], object]) -> str:
        try:
            call()
        except ZeroDivisionError as error:
            return plugins.host.blame(error)
        raise AssertionError

    assert blame(lambda: outer.call(inner.fail)) == "inner"
    assert blame(lambda: outer.call(lambda: 1 / 0)) == "outer"
    assert blame(lambda: 1 / 0) == ""
