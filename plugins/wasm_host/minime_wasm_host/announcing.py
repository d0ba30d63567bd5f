"""Tell the user of modules that wait for their trust."""

from __future__ import annotations

from minime_core.session import Session
from minime_wasm_host.module_tools import found_modules

MAX_NAMES = 5


def announce(session: Session) -> None:
    """Name the modules that would give tools if they were trusted."""
    waiting = {"untrusted": [], "changed": []}  # type: dict[str, list[str]]
    for found in found_modules(session.config, session.cwd):
        if found.state != "trusted" and found.is_enabled and found.module.has_usable_name:
            waiting[found.state].append(found.module.name)
    if names := waiting["untrusted"]:
        session.notice(
            f"WASM tools that you do not trust yet are not used: {_listed(names)} "
            "(`mm tools trust NAME` shows what they want; `mm tools disable NAME` ends this)"
        )
    if names := waiting["changed"]:
        session.notice(
            f"WASM tools changed since you trusted them and are not used: {_listed(names)} "
            "(`mm tools trust NAME`)"
        )


def _listed(names: list[str]) -> str:
    more = len(names) - MAX_NAMES
    return ", ".join(names[:MAX_NAMES]) + (f" and {more} more" if more > 0 else "")
