"""Build the shipped WASM tools: `python wasm_tools/src/build.py [NAME...]`.

Each `wasm_tools/NAME/src/main.zig` becomes `wasm_tools/NAME/NAME.wasm`. `lock.json` holds their
hashes and what they describe, so that nothing has to be run to offer them. The same sources and
the same compiler give the same bytes: `--check` builds elsewhere and compares.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from minime_core.codec import to_plain
from minime_wasm_host.commands.projects import TEMPLATES
from minime_wasm_host.places import Module
from minime_wasm_host.trusting import described, look_at

HERE = Path(__file__).parent
ROOT = HERE.parent
LIBRARIES = {"mm": TEMPLATES / "zig" / "mm" / "mm.zig"} | {
    path.stem: path for path in HERE.glob("*.zig")
}
MAX_BYTES = 60 << 10
"""Most bytes of a tool."""


def main() -> None:
    """Build what the command line names, or everything."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--check", action="store_true", help="compare with the files that are here")
    options = parser.parse_args()
    names = options.names or sorted(path.parents[1].name for path in ROOT.glob("*/src/main.zig"))
    if options.check:
        if wrong := [name for name in names if not is_current(name)]:
            raise SystemExit(f"not built from these sources: {', '.join(wrong)}")
        return
    for name in names:
        target = ROOT / name / f"{name}.wasm"
        build(name, target)
        print(f"{name}: {target.stat().st_size} bytes")
    write_lock()


def build(name: str, target: Path) -> None:
    """Compile one tool. The compiler says on stderr what is wrong."""
    sources = {"root": ROOT / name / "src" / "main.zig", **LIBRARIES}
    # Relative paths, since the compiler keeps them in what it builds.
    modules = [f"-M{module}={path.relative_to(ROOT.parent)}" for module, path in sources.items()]
    libraries = [word for module in LIBRARIES for word in ("--dep", module)]
    command = [
        *(sys.executable, "-m", "ziglang", "build-exe"),
        *("-target", "wasm32-freestanding", "-fno-entry", "-rdynamic", "-fstrip"),
        *("-O", "ReleaseSmall", f"-femit-bin={target}", *libraries, *modules),
    ]
    subprocess.run(command, check=True, cwd=ROOT.parent)
    target.chmod(0o644)


def is_current(name: str) -> bool:
    """Return whether the built file is what the sources give."""
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder, "built.wasm")
        build(name, built)
        return built.read_bytes() == (ROOT / name / f"{name}.wasm").read_bytes()


def write_lock() -> None:
    """Write what is to be known of the built tools."""
    lock = {}
    for path in sorted(ROOT.glob("*/*.wasm")):
        module = Module(name=path.stem, path=path, origin="shipped")
        approval, _ = asyncio.run(described(look_at(module), print))
        plain = to_plain(approval)
        for stamp in filter(None, (plain["module"], plain.get("sidecar"))):
            # The time is that of the installation, wherever that is.
            stamp.pop("mtime_ns")
        lock[path.stem] = plain
    (ROOT / "lock.json").write_text(json.dumps(lock, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
