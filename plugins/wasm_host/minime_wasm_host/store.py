"""What the user trusts and switched on or off, in a file of their own state folder.

Nothing that lies in a project, or beside a module, can say that it is trusted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from minime_core.bundled import bundled
from minime_core.codec import from_plain, to_plain
from minime_core.paths import state_folder
from minime_shared.state_file import mapping, read_state, write_state
from minime_wasm_host.approval import Approval
from minime_wasm_host.places import Module


class Store:
    """Approvals and switches by the key of a module. Changes are written at once."""

    def __init__(self) -> None:
        self._file = state_folder() / "wasm.json"
        values = read_state(self._file)
        self._approvals = mapping(values.get("trusted"))
        self._switches = mapping(values.get("enabled"))
        self._shipped: Mapping[str, Any] | None = None

    def approval(self, module: Module) -> Approval | None:
        """Return what was trusted of a module, which may have changed since then."""
        known = self._lock() if module.origin == "shipped" else self._approvals
        plain = known.get(module.name if module.origin == "shipped" else module.key)
        try:
            return None if plain is None else from_plain(Approval, plain)
        except (ValueError, TypeError):
            # Of another version, or edited: it is trusted no more.
            return None

    def is_enabled(self, module: Module) -> bool:
        """Return whether its tools are offered; shipped ones are when the user wants them."""
        return self._switches.get(module.key, module.origin != "shipped") is True

    def approve(self, module: Module, approval: Approval) -> None:
        """Trust a module. Raises UserError."""
        self._approvals[module.key] = to_plain(approval)
        self._write()

    def forget(self, module: Module) -> bool:
        """Trust a module no longer; return whether it was trusted. Raises UserError."""
        was_trusted = self._approvals.pop(module.key, None) is not None
        self._write()
        return was_trusted

    def switch(self, module: Module, *, on: bool) -> None:
        """Offer the tools of a module, or no longer. Raises UserError."""
        self._switches[module.key] = on
        self._write()

    def _lock(self) -> Mapping[str, Any]:
        """Return the approvals of the shipped modules, which are built with them."""
        if self._shipped is None:
            self._shipped = read_state(bundled("wasm_tools") / "lock.json")
        return self._shipped

    def _write(self) -> None:
        write_state(self._file, {"trusted": self._approvals, "enabled": self._switches})
