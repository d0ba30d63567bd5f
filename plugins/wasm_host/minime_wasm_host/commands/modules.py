"""The module that a command is about."""

from __future__ import annotations

import difflib
from pathlib import Path

from minime_core.cli.completing import offering
from minime_core.cli.group import Invocation
from minime_core.errors import UserError
from minime_shared.cleaning import one_line
from minime_wasm_host.module_tools import found_modules, tools_of
from minime_wasm_host.survey import Found


def all_modules(invocation: Invocation) -> list[Found]:
    """Return what a session in this folder finds."""
    _, config = invocation.load()
    return found_modules(config, invocation.options.cwd)


def pick(invocation: Invocation, name: str) -> Found:
    """Return the module of that name or path. Raises UserError."""
    known = all_modules(invocation)
    path = Path(name).absolute()
    for found in known:
        if name == found.module.name or path == found.module.path:
            return found
    names = sorted({found.module.name for found in known})
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(names) or 'none'}"
    raise UserError(
        f"no WASM module {one_line(name, 80)!r}; {hint} (modules lie in .mm/tools, in "
        "the folder `tools` beside your config.yaml, or in a folder of the setting "
        "wasm_host.folders)"
    )


def _module_names(invocation: Invocation) -> list[str]:
    return [found.module.name for found in all_modules(invocation)]


def _tool_names(invocation: Invocation) -> list[str]:
    return [
        tool.name
        for found in all_modules(invocation)
        if found.approval
        for tool in tools_of(found.module, found.approval, 0)
    ]


MODULE = offering(_module_names)
TOOL = offering(_tool_names, _module_names)
