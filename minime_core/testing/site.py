"""A folder of installed plugins, without installing any."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


class Site:
    """A folder for `PYTHONPATH`, with distributions in it as pip leaves them.

    modules: names of all modules that were installed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.modules: list[str] = []
        folder.mkdir(parents=True, exist_ok=True)

    def install(
        self,
        name: str,
        source: str,
        *,
        distribution: str = "",
        entry: str = "",
        version: str = "1.2",
        requires: Sequence[str] = (),
    ) -> None:
        """Install a plugin that is one module.

        name: of the module, and of the distribution (with `mm-plugin-` before it) and the entry
            point unless they are given.
        requires: requirements of the distribution, such as `mini-me>=0.1`.
        """
        distribution = distribution or f"mm-plugin-{name}"
        (self.folder / f"{name}.py").write_text(source)
        self.modules.append(name)
        info = self.folder / f"{distribution.replace('-', '_')}_{name}-{version}.dist-info"
        info.mkdir()
        needs = "".join(f"Requires-Dist: {requirement}\n" for requirement in requires)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n{needs}"
        )
        (info / "entry_points.txt").write_text(f"[minime]\n{entry or name} = {name}\n")
