"""Run as a script: call tools under conditions that would spoil the process of the tests.

`calls_in_child.py CONDITION FOLDER` reads a JSON list of `[name, arguments]` and prints what each
call says as a line of JSON. The condition is `nobody`, `small files` or `none`.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
from pathlib import Path

from tool_caller import Caller


def main() -> None:
    """Run."""
    condition, folder = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        # All that is imported late is imported now: another user may not be able to.
        rehearsal = Caller(Path(scratch))
        rehearsal("write_file", path="a", content="a\n")
        rehearsal("edit_file", path="a", edits=[{"old": "b", "new": "c"}])
        rehearsal("read_file", path="b")
    if condition == "nobody" and os.geteuid() == 0:
        os.setgroups([])
        os.setegid(65534)
        os.seteuid(65534)
    elif condition == "small files":
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
    tools = Caller(Path(folder))
    for name, arguments in json.load(sys.stdin):
        print(json.dumps(tools(name, **arguments).text))


if __name__ == "__main__":
    main()
