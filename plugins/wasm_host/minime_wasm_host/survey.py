"""Which modules there are, and which of them give tools to the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from minime_core.errors import UserError
from minime_wasm_host.approval import Approval, Stamp, read_module, sidecar_stamp
from minime_wasm_host.places import Module, find, folders
from minime_wasm_host.refusal import Refused
from minime_wasm_host.settings import WasmSettings
from minime_wasm_host.store import Store

State = Literal["trusted", "untrusted", "changed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A module as it is now.

    approval: there when it is trusted.
    hidden_by: the module of the same name that gives its tools instead.
    """

    module: Module
    state: State
    approval: Approval | None = None
    is_enabled: bool = False
    hidden_by: Path | None = None

    @property
    def is_active(self) -> bool:
        """Whether the model has its tools."""
        return self.approval is not None and self.is_enabled and self.hidden_by is None


def survey(settings: WasmSettings, cwd: Path, store: Store) -> list[Found]:
    """Return all modules, those first whose tools win.

    No module is read, unless its time or size is not the one that is known.
    """
    return list(_with_hidden(_found(settings, cwd, store)))


def _found(settings: WasmSettings, cwd: Path, store: Store) -> Iterator[Found]:
    for module in find(folders(settings.folders, cwd)):
        is_enabled = module.name not in settings.disabled and (
            module.name in settings.enabled or store.is_enabled(module)
        )
        approval = store.approval(module)
        if approval is None:
            yield Found(module=module, state="untrusted", is_enabled=is_enabled)
            continue
        approval = _still(module, approval, store)
        state: State = "trusted" if approval else "changed"
        yield Found(module=module, state=state, approval=approval, is_enabled=is_enabled)


def _with_hidden(found: Iterator[Found]) -> Iterator[Found]:
    active: dict[str, Path] = {}
    for one in found:
        name = one.module.name
        if one.is_active:
            one = replace(one, hidden_by=active.get(name))
            active.setdefault(name, one.module.path)
        yield one


def _still(module: Module, approval: Approval, store: Store) -> Approval | None:
    """Return the approval if the files are still those that were trusted."""
    if module.origin == "shipped":
        # Its files are part of the program; their hashes are checked when they are loaded.
        return approval
    if approval.module.fits(module.path) and _sidecar_fits(module, approval.sidecar):
        return approval
    try:
        stamp = read_module(module.path)[1]
        sidecar = sidecar_stamp(module.sidecar)
    except Refused:
        return None
    if stamp.sha256 != approval.module.sha256 or _digest(sidecar) != _digest(approval.sidecar):
        return None
    renewed = replace(approval, module=stamp, sidecar=sidecar)
    try:
        # Copied back or touched, but the same: recognised without reading from now on.
        store.approve(module, renewed)
    except UserError:
        pass  # Then it is read the next time too.
    return renewed


def _sidecar_fits(module: Module, stamp: Stamp | None) -> bool:
    return stamp.fits(module.sidecar) if stamp else not module.sidecar.exists()


def _digest(stamp: Stamp | None) -> str:
    return stamp.sha256 if stamp else ""
