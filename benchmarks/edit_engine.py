"""Measure the edit engine on a large file: `python benchmarks/edit_engine.py [megabytes]`.

Prints the CPU seconds of one call for each kind of edit, decoding and diff included. The aim is
2 s for a file of 20 MB and an `old` of 200 lines that is nearly there.
"""

from __future__ import annotations

import random
import resource
import sys
import sysconfig
import time
from pathlib import Path

from minime_builtin_tools.edit import EditOutcome, apply, decode

BLOCK = 200


def large_file(size: int) -> str:
    """Return source text of about `size` bytes, put together from the standard library."""
    texts = [
        path.read_text(encoding="utf-8")
        for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    ]
    parts: list[str] = []
    total = number = 0
    while total < size:
        for text in texts:
            number += 1
            parts.append(text.replace("def ", f"def n{number}_"))
            total += len(parts[-1])
    return "".join(parts)[:size]


def mistyped(lines: list[str], share: float) -> list[str]:
    """Return `lines` with a letter doubled in some of them."""
    rng = random.Random(1)
    return [
        line[: len(line) // 2] * 2 + line[len(line) // 2 :] if rng.random() < share else line
        for line in lines
    ]


def measure(name: str, data: bytes, old: str, new: str) -> None:
    """Print how long one edit takes and what comes of it."""
    started = time.process_time()
    outcome = apply(decode(data).text, [(old, new)])
    seconds = time.process_time() - started
    print(f"{seconds:7.3f} s  {name}: {_first_line(outcome)}")


def _first_line(outcome: EditOutcome) -> str:
    return outcome.report("FILE").split("\n")[0][:110]


def main(megabytes: int) -> None:
    """Run all measurements."""
    text = large_file(megabytes * 1_000_000)
    data = text.encode()
    windows = text.replace("\n", "\r\n").encode()
    lines = text.split("\n")
    at = len(lines) - 5 * BLOCK
    block = lines[at : at + BLOCK]
    old = "\n".join(block)
    new = old.replace("\n", "\n# new\n", 1)
    spaced = "\n".join("  " + line if line else line for line in block)
    numbered = "\n".join(f"{n:>5}→{line}" for n, line in enumerate(block, at + 1))
    print(f"{len(data):,} bytes, {len(lines):,} lines, `old` of {BLOCK} lines near the end")
    measure("exact", data, old, new)
    measure("exact, CRLF in the file", windows, old, new)
    measure("other indentation", data, spaced, spaced + "\n  # new")
    measure("line numbers", data, numbered, numbered.replace("self", "this"))
    one_line = "\n".join([*block[:-1], block[-1] + "x"])
    measure("one line mistyped", data, one_line, new)
    measure("one line mistyped, CRLF", windows, one_line, new)
    for share in (0.1, 0.4, 1.0):
        wrong = "\n".join(mistyped(block, share))
        measure(f"{share:.0%} of the lines mistyped", data, wrong, new)
    measure("a single mistyped line", data, block[7] + "zz", "new")
    measure("nothing like it", data, "qqq www\n" * BLOCK, "new")
    same = ("x = 1\n" * (megabytes * 1_000_000 // 6)).encode()
    measure("all lines equal", same, "x = 1\n" * (BLOCK - 1) + "y = 1\n", "new")
    measure("all lines equal, ambiguous", same, " x = 1\n" * BLOCK, "new")
    one = ("x = 1;" * (megabytes * 1_000_000 // 6)).encode()
    measure("a single line of the whole size", one, "x = 1;y", "new")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"peak memory {peak / 1024:,.0f} MB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
