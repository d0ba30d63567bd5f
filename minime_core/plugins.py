"""Plugins: found by entry point, loaded one by one, skipped with one warning when they fail.

Built-in plugins are found like all others. Nothing here knows their names.
"""

from __future__ import annotations

import asyncio
import difflib
import importlib
import os
import reprlib
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from inspect import isawaitable, iscoroutine, iscoroutinefunction
from typing import Any

import pluggy

from minime_core import hookspecs
from minime_core.containment import contained
from minime_core.discovery import DISTRIBUTION, PluginInfo, discover
from minime_core.errors import MinimeError, PluginError

__all__ = ["DISTRIBUTION", "PluginHost", "PluginInfo", "discover"]

CLOSING = 10.0
"""Seconds that a plugin may take to end a session."""


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
        self._owners: dict[tuple[str, str], str] = {}
        self._manager = pluggy.PluginManager(hookspecs.GROUP)
        self._manager.add_hookspecs(hookspecs)

    def load(self, disabled: Iterable[str] = ()) -> None:
        """Import and register all plugins but the `disabled` ones."""
        blocked = set(disabled)
        for info in self.infos:
            if info.name in blocked:
                info.state = "disabled"
            if info.state == "disabled":
                continue
            start = time.perf_counter()
            try:
                with contained():
                    info.hooks = self.register(importlib.import_module(info.module), info.name)
            except (Exception, SystemExit) as error:  # whatever a stranger's module does
                if os.environ.get("MM_STRICT_PLUGINS"):
                    raise
                info.state, info.error = "failed", _reason(error)
                self._warn(
                    f"plugin {info.name} is left out: {info.error} "
                    f"(`mm --no-plugin {info.name}` ends this warning)"
                )
            else:
                info.state, info.load_ms = "loaded", (time.perf_counter() - start) * 1000

    def register(self, plugin: object, name: str) -> tuple[str, ...]:
        """Register a module or object, and return the names of its hooks.

        Raises PluginError for a name that is taken, a hook that does not exist or is not marked
        with `hookimpl`, an argument that a hook does not have, and a pluggy wrapper.
        """
        if self._manager.has_plugin(name):
            raise PluginError("another plugin has that name", plugin=name)
        try:
            self._manager.register(plugin, name)
        except (pluggy.PluginValidationError, ValueError) as error:
            raise PluginError(str(error).splitlines()[-1], plugin=name) from error
        hooks = {caller.name: caller for caller in self._manager.get_hookcallers(plugin) or ()}
        if fault := self._fault(hooks, plugin):
            self._manager.unregister(plugin)
            raise PluginError(fault, plugin=name)
        return tuple(sorted(hooks))

    @staticmethod
    def _fault(hooks: Mapping[str, pluggy.HookCaller], plugin: object) -> str:
        known = [name for name in vars(hookspecs) if name.startswith("mm_")]
        for name, caller in hooks.items():
            if not caller.has_spec():
                near = difflib.get_close_matches(name, known, n=1)
                return f"there is no hook {name}" + (f"; did you mean {near[0]}?" if near else "")
            ours = [impl for impl in caller.get_hookimpls() if impl.plugin is plugin]
            if any(impl.wrapper or impl.hookwrapper for impl in ours):
                return f"{name} cannot be a wrapper"
            if not _is_awaited(name) and any(iscoroutinefunction(i.function) for i in ours):
                return f"{name} cannot be async"
        unmarked = [name for name in known if hasattr(plugin, name) and name not in hooks]
        return f"{unmarked[0]} is not marked with minime_core.hookimpl" if unmarked else ""

    def collect(
        self, hook: str, wanted: type[Any] = object, **arguments: Any
    ) -> Iterator[tuple[str, Any]]:
        """Yield `(plugin, item)` of what each plugin returns from `hook`, in loading order.

        A plugin that raises, or returns something else than `wanted` items, is reported and left
        out from then on.
        """
        for plugin, returned in self._results(hook, arguments):
            items = [returned] if _single(returned) else [*returned]
            wrong = [item for item in items if not isinstance(item, wanted)]
            if wrong:
                self._refuse(plugin, hook, wrong[0], wanted)
                continue
            for item in items:
                yield plugin, item

    def named(self, hook: str, wanted: type[Any], **arguments: Any) -> dict[str, Any]:
        """Return the items of `collect` by their name; a name that is taken is refused."""
        found: dict[str, Any] = {}
        for plugin, item in self.collect(hook, wanted, **arguments):
            if item.name in found:
                owner = self._owners[hook, item.name]
                error = ValueError(f"the name {item.name} is taken by plugin {owner}")
                self.report(plugin, f"{hook} for {item.name}", error)
                continue
            found[item.name], self._owners[hook, item.name] = item, plugin
        return found

    def owner(self, hook: str, name: str) -> str:
        """Return the plugin whose item `named` returned under `name`, or ""."""
        return self._owners.get((hook, name), "")

    def is_builtin(self, plugin: str) -> bool:
        """Return whether a plugin came with Mini Me and need not be watched; "" stands for none."""
        return not plugin or any(info.name == plugin and info.builtin for info in self.infos)

    def first(self, hook: str, wanted: type[Any] = object, **arguments: Any) -> Any:
        """Return the first result of `hook` that is not None; plugins of others come first.

        A plugin that raises, or returns something else than `wanted`, is reported and left out from
        then on.
        """
        for plugin, result in self._results(hook, arguments, reverse=True):
            if isinstance(result, wanted):
                return result
            self._refuse(plugin, hook, result, wanted)
        return None

    def _refuse(self, plugin: str, hook: str, item: object, wanted: type[Any]) -> None:
        self.report(plugin, hook, TypeError(f"{reprlib.repr(item)[:80]} is no {wanted.__name__}"))

    def notify(
        self, hook: str, limit: float = CLOSING, /, **arguments: Any
    ) -> list[Awaitable[None]]:
        """Tell all observers; return what they want awaited, which never raises.

        limit: seconds that what a plugin of others wants awaited may take, at most `CLOSING`.
        """
        results = self._results(hook, arguments, raised=())
        return [
            self._awaited(p, hook, result, CLOSING if self.is_builtin(p) else min(limit, CLOSING))
            for p, result in results
            if isawaitable(result) and _is_awaited(hook)
        ]

    def _results(
        self,
        hook: str,
        arguments: Mapping[str, Any],
        *,
        reverse: bool = False,
        raised: type[Exception] | tuple[()] = MinimeError,
    ) -> Iterator[tuple[str, Any]]:
        impls = self._impls(hook)
        for impl in reversed(impls) if reverse else impls:
            if (impl.plugin_name, hook) in self._muted:
                continue
            try:
                with nullcontext() if self.is_builtin(impl.plugin_name) else contained():
                    result = impl.function(*(arguments[name] for name in impl.argnames))
                    result = [*result] if isinstance(result, Iterator) else result
                    if iscoroutine(result) and not _is_awaited(hook):
                        result.close()
                        raise TypeError("it returned a coroutine, which nobody awaits")
            except raised:
                raise
            except (Exception, SystemExit) as error:  # whatever a stranger's hook does
                self.report(impl.plugin_name, hook, error)
                continue
            if result is not None:
                yield impl.plugin_name, result

    async def _awaited(
        self, plugin: str, hook: str, result: Awaitable[None], seconds: float
    ) -> None:
        try:
            async with asyncio.timeout(seconds) as limit:
                await result
        except (Exception, SystemExit) as error:
            late = TimeoutError(f"it is not done after {seconds:g} s")
            self.report(plugin, hook, late if limit.expired() else error)

    def has(self, hook: str) -> bool:
        """Return whether some plugin implements `hook`."""
        return bool(self._impls(hook))

    def report(self, plugin: str, hook: str, error: BaseException) -> None:
        """Warn about a failure of `plugin` in `hook`, the first time that it happens."""
        if os.environ.get("MM_STRICT_PLUGINS"):
            raise error
        if (plugin, hook) not in self._muted:
            self._muted.add((plugin, hook))
            text = f"plugin {plugin} failed in {hook}: {_reason(error)}"
            self._warn(str(error) if isinstance(error, PluginError) else text)

    @contextmanager
    def answering(self, plugin: str) -> Iterator[None]:
        """Lay what goes wrong inside on `plugin`: raise PluginError for all but MinimeError."""
        try:
            yield
        except BaseException as error:
            if isinstance(error, MinimeError) or not is_failure(error):
                raise
            raise self.failure(error, plugin) or error from error

    @contextmanager
    def reporting(self, plugin: str = "", what: str = "") -> Iterator[None]:
        """Warn of what a plugin does wrong inside, and go on.

        plugin: whose it is; the one that `blame` names unless given.
        what: what it did.
        """
        try:
            yield
        except (Exception, SystemExit) as error:
            failure = self.failure(error, plugin)
            if failure is None:
                raise
            self.report(failure.plugin, what, error if what else failure)

    def failure(self, error: BaseException, plugin: str = "") -> PluginError | None:
        """Return `error` as that of a plugin, None when it is none's.

        plugin: whose it is; the one that `blame` names unless given.
        """
        if isinstance(error, PluginError):
            return error
        plugin = plugin or self.blame(error)
        failure = PluginError(
            f"plugin {plugin} failed: {_reason(error)} {without(plugin)}", plugin=plugin
        )
        failure.__cause__ = error
        return failure if plugin else None

    def blame(self, error: BaseException) -> str:
        """Return the plugin whose code is the innermost in the traceback of `error`, or ""."""
        owner, trace = "", error.__traceback__
        packages = {info.module.partition(".")[0]: info.name for info in self.infos}
        while trace is not None:
            module = trace.tb_frame.f_globals.get("__name__", "")
            owner = packages.get(module.partition(".")[0], owner)
            trace = trace.tb_next
        return owner

    def _impls(self, hook: str) -> list[pluggy.HookImpl]:
        # In registration order; pluggy itself would call them in reverse.
        return list(getattr(self._manager.hook, hook).get_hookimpls())


def _single(returned: object) -> bool:
    return isinstance(returned, str) or not isinstance(returned, Iterable)


def _is_awaited(hook: str) -> bool:
    return "Awaitable" in getattr(hookspecs, hook).__annotations__["return"]


def is_failure(error: BaseException) -> bool:
    """Return whether `error` is one of the code that raised it, and no end that was asked for.

    A cancellation that nobody asked for comes from waiting for what was cancelled.
    """
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is not None and not task.cancelling()
    return isinstance(error, (Exception, SystemExit))


def without(plugin: str) -> str:
    """Return the cure of what a plugin does wrong."""
    return f"(`mm --no-plugin {plugin}` goes without it)"


def _reason(error: BaseException) -> str:
    text = " ".join(str(error).split())[:300]
    return text if isinstance(error, PluginError) else f"{type(error).__name__}: {text}"
