"""The library as a distribution of its own."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import minime

SDK = Path(minime.__file__).parents[1]


def test_its_wheel_is_small_typed_and_needs_the_protocol_alone(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=SDK,
        capture_output=True,
        check=True,
    )
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {*archive.namelist()}
        [metadata] = [name for name in names if name.endswith("/METADATA")]
        requires = [
            line
            for line in archive.read(metadata).decode().splitlines()
            if line.startswith("Requires-Dist")
        ]
    modules = {f"minime/{path.name}" for path in (SDK / "minime").iterdir() if path.is_file()}
    assert {name for name in names if not name.startswith("mini_me_sdk-")} == modules
    assert "minime/py.typed" in modules
    assert any(name.endswith("/LICENSE") for name in names)
    assert requires == ["Requires-Dist: agent-client-protocol>=0.12.1"]
    assert wheel.stat().st_size < 100_000


def test_its_version_is_that_of_the_agent() -> None:
    versions = [
        tomllib.loads((folder / "pyproject.toml").read_text())["project"]["version"]
        for folder in (SDK, SDK.parent)
    ]
    assert versions[0] == versions[1]


def test_its_licence_is_that_of_the_agent() -> None:
    assert (SDK / "LICENSE").read_text() == (SDK.parent / "LICENSE").read_text()
