"""The section `wasm_host` of the settings."""

from __future__ import annotations

from dataclasses import dataclass

from minime_core.settings import Seconds, setting


@dataclass(frozen=True, kw_only=True)
class WasmSettings:
    """Where modules are looked for, which are used, and how long their workers stay."""

    folders: list[str] = setting(help="more folders with WASM modules", make=list)
    enabled: list[str] = setting(
        help="modules whose tools the model has, shipped ones among them", make=list
    )
    disabled: list[str] = setting(help="modules whose tools the model does not have", make=list)
    idle: Seconds = setting(Seconds(300), help="a worker without a call for so long ends", least=1)
