"""Mini Me: an agent for small local models, and the framework under it.

This is what plugins and programs may use; everything else can change without notice. Names are
loaded when they are used, so that `mm --version` loads almost nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from minime_core.assembly import Options as Options
    from minime_core.assembly import load_host as load_host
    from minime_core.assembly import open_session as open_session
    from minime_core.hookspecs import hookimpl as hookimpl

_HOMES = {
    "Options": "assembly",
    "hookimpl": "hookspecs",
    "load_host": "assembly",
    "open_session": "assembly",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"minime_core.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
