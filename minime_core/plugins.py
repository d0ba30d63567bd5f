"""Plugins: found by entry point, loaded one by one, skipped with one warning when they fail.

Built-in plugins are found like all others. Nothing here knows their names.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import os
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import pluggy

from minime_core import hookspecs
from minime_core.errors import MinimeError, PluginError

DISTRIBUTION = "mini-me"


@dataclass(slots=True, kw_only=True)
class PluginInfo:
    """What is known of a plugin without importing it, and how loading it went.

    load_ms: milliseconds of wall time that its import took.
    """

    name: str
    module: str
    distribution: str = ""
    version: str = ""
    state: Literal["found", "loaded", "disabled", "failed"] = "found"
    error: str = ""
    load_ms: float = 0.0
    hooks: tuple[str, ...] = ()

    @property
    def builtin(self) -> bool:
        return self.distribution == DISTRIBUTION


def discover() -> list[PluginInfo]:
    """Return all installed plugins, built-in ones first, then by name. Imports none of them."""
    from importlib import metadata

    found = {}
    for point in metadata.entry_points(group=hookspecs.GROUP):
        dist = point.dist
        found[point.name] = PluginInfo(
            name=point.name,
            module=point.value,
            distribution=dist.name if dist else "",
            version=dist.version if dist else "",
        )
    return sorted(found.values(), key=lambda info: (not info.builtin, info.name))


class PluginHost:
    """The plugins of one process.

    infos: the plugins to load, in the order in which their hooks are called.
    warn: told once about each plugin that fails.
    """

    def __init__(
        self, infos: Iterable[PluginInfo] = (), warn: Callable[[str], None] = lambda text: None
    ) -> None:
        self.infos = list(infos)
        self._warn = warn
        self._muted: set[tuple[str, str]] = set()
        self._manager = pluggy.PluginManager(hookspecs.GROUP)
        self._manager.add_hookspecs(hookspecs)

    def load(self, disabled: Iterable[str] = ()) -> None:
        """Import and register all plugins but the `disabled` ones."""
        blocked = set(disabled)
        for info in self.infos:
            if info.name in blocked:
                info.state = "disabled"
                continue
            start = time.perf_counter()
            try:
                module = importlib.import_module(info.module)
                self.register(module, info.name)
            except Exception as error:  # whatever a stranger's module does at import
                if os.environ.get("MM_STRICT_PLUGINS"):
                    raise
                info.state, info.error = "failed", f"{type(error).__name__}: {error}"
                self._manager.unregister(name=info.name)
                self._warn(
                    f"plugin {info.name} was skipped: {info.error} "
                    f"(`mm --no-plugin {info.name}` or `mm plugins disable {info.name}`)"
                )
                continue
            info.state, info.load_ms = "loaded", (time.perf_counter() - start) * 1000
            info.hooks = tuple(sorted(name for name in dir(module) if name.startswith("mm_")))

    def register(self, plugin: object, name: str) -> None:
        """Register a module or object whose hooks are marked with `hookimpl`.

        Raises PluginError for a hook that does not exist or a pluggy wrapper.
        """
        try:
            self._manager.register(plugin, name)
        except pluggy.PluginValidationError as error:
            raise PluginError(str(error).splitlines()[-1], plugin=name) from error
        for caller in self._manager.get_hookcallers(plugin) or ():
            if not caller.has_spec():
                near = difflib.get_close_matches(caller.name, vars(hookspecs), n=1)
                hint = f"; did you mean {near[0]}?" if near else ""
                raise PluginError(f"there is no hook {caller.name}{hint}", plugin=name)
            for impl in caller.get_hookimpls():
                if impl.plugin_name == name and (impl.wrapper or impl.hookwrapper):
                    raise PluginError(f"{caller.name} cannot be a wrapper", plugin=name)

    def collect(self, hook: str, **arguments: Any) -> Iterator[tuple[str, Any]]:
        """Yield `(plugin, item)` of what each plugin returns from `hook`, in loading order.

        A plugin that raises, or returns no list, is reported once and left out.
        """
        for impl in self._impls(hook):
            try:
                returned = self._call(impl, arguments)
                items = [] if returned is None else [returned] if _single(returned) else [*returned]
            except MinimeError:
                raise
            except Exception as error:
                self.report(impl.plugin_name, hook, error)
                continue
            for item in items:
                yield impl.plugin_name, item

    def first(self, hook: str, **arguments: Any) -> Any:
        """Return the first result of `hook` that is not None; plugins of others come first."""
        return getattr(self._manager.hook, hook)(**arguments)

    def notify(self, hook: str, **arguments: Any) -> list[Awaitable[None]]:
        """Tell all observers; return what they want awaited. Failures are reported once."""
        awaitables: list[Awaitable[None]] = []
        for impl in self._impls(hook):
            if (impl.plugin_name, hook) in self._muted:
                continue
            try:
                result = self._call(impl, arguments)
            except Exception as error:
                self.report(impl.plugin_name, hook, error)
                continue
            if inspect.isawaitable(result):
                awaitables.append(result)
        return awaitables

    def has(self, hook: str) -> bool:
        """Return whether some plugin implements `hook`."""
        return bool(self._impls(hook))

    def report(self, plugin: str, hook: str, error: Exception) -> None:
        """Warn about a failure of `plugin` in `hook`, the first time that it happens."""
        if os.environ.get("MM_STRICT_PLUGINS"):
            raise error
        if (plugin, hook) not in self._muted:
            self._muted.add((plugin, hook))
            self._warn(f"plugin {plugin} failed in {hook}: {type(error).__name__}: {error}")

    def blame(self, error: BaseException) -> str:
        """Return the plugin whose code is the innermost in the traceback of `error`, or ""."""
        owner, trace = "", error.__traceback__
        packages = {info.module.partition(":")[0].partition(".")[0]: info.name for info in self.infos}
        while trace is not None:
            module = trace.tb_frame.f_globals.get("__name__", "")
            owner = packages.get(module.partition(".")[0], owner)
            trace = trace.tb_next
        return owner

    def _impls(self, hook: str) -> list[pluggy.HookImpl]:
        # pluggy lists implementations in registration order and calls them in reverse.
        return list(getattr(self._manager.hook, hook).get_hookimpls())

    @staticmethod
    def _call(impl: pluggy.HookImpl, arguments: dict[str, Any]) -> Any:
        return impl.function(*(arguments[name] for name in impl.argnames))


def _single(returned: object) -> bool:
    return isinstance(returned, str) or not isinstance(returned, Iterable)
