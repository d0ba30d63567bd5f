"""A settings file to begin with: all settings there are, commented out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from minime_commands.sections import default_of
from minime_core.settings import Settings

HEAD = """\
# Settings of Mini Me. Each line that begins with `#` and a name shows a default: remove the `#` to
# set it. `mm config check` checks this file, `mm config show --origin` says what holds and why.
"""
GUARDED = " Of a project only once it is trusted."


def template(sections: Mapping[str, Any]) -> str:
    """Return the text of the file.

    sections: the classes of the plugins' settings, by name.
    """
    parts = [HEAD, *_lines(Settings, "")]
    for name, declared in sorted(sections.items()):
        parts += ["", f"#{name}:", *_lines(declared, "  ")]
    return "\n".join(parts) + "\n"


def _lines(declared: Any, indent: str) -> Iterator[str]:
    for field in fields(declared):
        help_text = field.metadata["help"]
        guarded = GUARDED if field.metadata["guarded"] and not indent else ""
        yield f"#{indent} {help_text[0].upper()}{help_text[1:]}.{guarded}"
        shown = json.dumps(default_of(declared, field), ensure_ascii=False)
        yield f"#{indent}{field.name}: {shown}"
