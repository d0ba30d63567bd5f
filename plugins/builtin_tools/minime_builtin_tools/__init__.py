"""The built-in tools: a shell and files."""

from __future__ import annotations

from collections.abc import Iterator

from minime_core import hookimpl
from minime_core.tools import Tool


@hookimpl
def mm_register_tools() -> Iterator[Tool]:
    from minime_builtin_tools.bash import bash_tool
    from minime_builtin_tools.edit_tool import edit_tool
    from minime_builtin_tools.files import read_tool, write_tool

    yield bash_tool()
    yield edit_tool()
    yield read_tool()
    yield write_tool()
