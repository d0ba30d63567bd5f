"""Settings files of the Go program of the same name: where their flat keys belong here."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

PLACES: Mapping[str, str] = {
    "bash_tool": "builtin_tools.bash",
    "edit_tools": "builtin_tools.edit",
    "plan_tool": "builtin_tools.plan",
    "fetch_content_tool": "builtin_tools.fetch_content",
    "skills_dir": "skills.folders",
    "watchdog_timeout": "guards.watchdog_timeout",
    "first_token_timeout": "guards.first_token_timeout",
}
"""Flat keys, and the section and name that they have here."""

FOREIGN = {"acp", "context", "display_commands", "fallback", "lsp", "sessions", "show_thinking"}
"""Keys that mean something only where a plugin has a section of that name."""


def unfold(
    values: Mapping[str, Any], sections: Collection[str]
) -> tuple[dict[str, Any], list[str]]:
    """Return `values` with all keys where they belong, and the keys that mean nothing here.

    sections: names of the plugins that there are.
    """
    found: dict[str, Any] = {}
    unused: list[str] = []
    for key, value in values.items():
        section, _, name = PLACES.get(key, key).rpartition(".")
        if (section or (key if key in FOREIGN else "")) not in {"", *sections}:
            unused.append(key)
        elif key == "yolo":
            found |= {"policy": "yolo"} if value is True else {}
        elif key == "sampling" and isinstance(value, dict):
            moved = {"max_tokens", "parallel_tool_calls"} & {*value}
            found |= {name: value[name] for name in moved}
            found[key] = {name: value[name] for name in value if name not in moved}
        elif section:
            inner = found.get(section, values.get(section))
            found[section] = {**(inner if isinstance(inner, dict) else {}), name: value}
        else:
            # A section that a flat key began has this file's own values already.
            found.setdefault(key, value)
    return found, unused
