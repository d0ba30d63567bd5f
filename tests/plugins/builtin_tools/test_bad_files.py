"""Files that are none, and disks that refuse: always an answer, never a hang or half a file."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from minime_core.tools import ToolResult
from tool_caller import Caller

CALLS = ("read_file", "write_file", "edit_file")
Call = tuple[str, dict[str, Any]]


def call(tools: Caller, name: str, path: str) -> ToolResult:
    more: dict[str, dict[str, Any]] = {
        "read_file": {},
        "write_file": {"content": "new\n"},
        "edit_file": {"edits": [{"old": "old", "new": "new"}]},
    }
    return tools(name, path=path, **more[name])


@pytest.mark.parametrize("name", CALLS)
def test_a_loop_of_links_is_named(tools: Caller, name: str) -> None:
    (tools.folder / "a").symlink_to("b")
    (tools.folder / "b").symlink_to("a")
    result = call(tools, name, "a")
    assert result.text.startswith(f"[{name}: a: its symbolic links form a loop")
    assert not result.ok


@pytest.mark.parametrize("name", CALLS)
def test_a_pipe_is_not_opened(tools: Caller, name: str) -> None:
    os.mkfifo(tools.folder / "pipe")
    result = call(tools, name, "pipe")
    assert result.text.startswith(f"[{name}: pipe: it is a named pipe, not a regular file")
    assert stat.S_ISFIFO((tools.folder / "pipe").stat().st_mode)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("path", ["/dev/zero", "/dev/tty", "/dev/full"])
def test_a_device_is_not_opened(tools: Caller, name: str, path: str) -> None:
    result = call(tools, name, path)
    assert result.text.startswith(f"[{name}: {path}: it is a device, not a regular file")


@pytest.mark.parametrize("name", CALLS)
def test_a_name_with_a_newline_is_quoted(tools: Caller, name: str) -> None:
    path = tools.put("two\nlines", "old\n")
    result = call(tools, name, "two\nlines")
    assert result.ok
    assert path.read_text() == ("old\n" if name == "read_file" else "new\n")
    os.unlink(path)
    assert "'two\\nlines'" in call(tools, name, "two\nlines").text


@pytest.mark.parametrize("name", CALLS)
def test_a_name_that_is_too_long_is_named(tools: Caller, name: str) -> None:
    result = call(tools, name, "n" * 300)
    assert "its name is too long" in result.text


@pytest.mark.parametrize("name", CALLS)
def test_a_file_that_is_too_large_is_refused(tools: Caller, name: str) -> None:
    path = tools.put("large", "")
    os.truncate(path, 65 << 20)
    result = call(tools, name, "large")
    assert "it is larger than 67,108,864 bytes" in result.text
    assert path.stat().st_size == 65 << 20


def test_a_dangling_link_is_missing_to_readers_and_gets_its_target_from_writers(
    tools: Caller,
) -> None:
    (tools.folder / "link").symlink_to("target")
    assert "does not exist" in call(tools, "read_file", "link").text
    assert call(tools, "write_file", "link").ok
    assert (tools.folder / "target").read_text() == "new\n"


# Under conditions that only a process of its own can have

CHILD = str(Path(__file__).with_name("calls_in_child.py"))
READ: Call = ("read_file", {})
WRITE: Call = ("write_file", {"content": "new"})
EDIT: Call = ("edit_file", {"edits": [{"old": "old", "new": "new"}]})
ON_A_SMALL_DISK = """
set -e
mount -t tmpfs -o size=64k tmpfs "$1"
printf 'old\\n' > "$1/file"
if [ "$2" = ro ]; then mount -o remount,ro "$1"; fi
folder=$1
shift 2
"$@"
cat "$folder/file"
ls -A "$folder"
"""


def in_child(folder: Path, *calls: Call, condition: str = "none", disk: str = "") -> list[str]:
    """Return what the tools say, and after that, on a `disk` of its own, what is there."""
    command = [sys.executable, CHILD, condition, str(folder)]
    if disk:
        command = ["sh", "-c", ON_A_SMALL_DISK, "sh", str(folder), disk, *command]
        command = ["unshare", "--user", "--map-root-user", "--mount", *command]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        command,
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    return [json.loads(line) if line.startswith('"') else line for line in lines]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can reach."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)


def at(path: str, *calls: Call) -> list[Call]:
    return [(name, {"path": path, **arguments}) for name, arguments in calls]


def test_a_file_without_permission_is_refused(open_folder: Path) -> None:
    path = open_folder / "secret"
    path.write_text("old")
    path.chmod(0o000)
    said = in_child(open_folder, *at("secret", READ, WRITE, EDIT), condition="nobody")
    assert said == [
        "[read_file: secret: permission denied]",
        "[write_file: secret: permission denied; nothing was written]",
        "[edit_file: secret: permission denied; nothing was written]",
    ]


def test_a_file_that_may_only_be_read_is_not_written(open_folder: Path) -> None:
    path = open_folder / "public"
    path.write_text("old")
    path.chmod(0o444)
    said = in_child(open_folder, *at("public", READ, WRITE, EDIT), condition="nobody")
    assert said == [
        "old",
        "[write_file: public: permission denied; nothing was written]",
        "[edit_file: public: permission denied; nothing was written]",
    ]
    assert path.read_text() == "old"


def test_a_folder_without_permission_is_not_looked_or_written_into(open_folder: Path) -> None:
    (open_folder / "closed").mkdir(mode=0o000)
    open_folder.chmod(0o555)
    calls = [*at("closed", READ), *at("closed/file", READ, WRITE), *at("new/file", WRITE)]
    said = in_child(open_folder, *calls, condition="nobody")
    open_folder.chmod(0o755)
    assert said == [
        "[read_file: closed: permission denied]",
        "[read_file: closed/file: permission denied]",
        "[write_file: closed/file: permission denied; nothing was written]",
        "[write_file: new/file: permission denied; nothing was written]",
    ]
    assert [path.name for path in open_folder.iterdir()] == ["closed"]


LONG = {"content": "x" * 100_000}
LONG_CALLS: list[Call] = [
    ("write_file", {"path": "file", **LONG}),
    ("write_file", {"path": "file", "append": True, **LONG}),
    ("write_file", {"path": "new", **LONG}),
    ("edit_file", {"path": "file", "edits": [{"old": "old", "new": "x" * 100_000}]}),
]


def refusals(reason: str) -> list[str]:
    return [
        f"[{name}: {arguments['path']}: {reason}; nothing was written]"
        for name, arguments in LONG_CALLS
    ]


def test_a_file_that_grows_too_large_stays_as_it_was(open_folder: Path) -> None:
    (open_folder / "file").write_text("old\n")
    said = in_child(open_folder, *LONG_CALLS, condition="small files")
    assert said == refusals("it would be too large for the file system")
    assert [(path.name, path.read_text()) for path in open_folder.iterdir()] == [("file", "old\n")]


def may_mount() -> bool:
    script = "mount -t tmpfs tmpfs /mnt"
    unshare = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script]
    try:
        return subprocess.run(unshare, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not may_mount(), reason="needs user namespaces")
@pytest.mark.parametrize(
    ("disk", "reason"), [("rw", "the disk is full"), ("ro", "the file system is read-only")]
)
def test_on_a_disk_that_refuses_the_old_file_stands_alone(
    open_folder: Path, disk: str, reason: str
) -> None:
    said = in_child(open_folder, *LONG_CALLS, disk=disk)
    assert said == [*refusals(reason), "old", "file"]
