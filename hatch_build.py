"""Put the shipped data folders into real wheels; an editable install reads them in place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDERS = ("profiles", "skills", "wasm_tools")
SKIPPED = {"src", "target", "__pycache__"}


class BundleData(BuildHookInterface):  # type: ignore[type-arg]
    """See `minime_core/bundled.py`, which finds the files again."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        for folder in FOLDERS:
            for path in sorted(Path(self.root, folder).rglob("*")):
                inside = path.relative_to(self.root)
                if path.is_file() and not SKIPPED.intersection(inside.parts):
                    build_data["force_include"][str(path)] = f"minime_core/_bundled/{inside}"
