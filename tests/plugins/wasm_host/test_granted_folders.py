"""Folders that a module may see: nothing leads out of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from module_folder import Home
from module_text import Text, export

IMPORTS = """
(import "extism:host/env" "input_load_u8" (func $input_u8 (param i64) (result i32)))
(import "wasi_snapshot_preview1" "path_open" (func $open
  (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "path_symlink" (func $link
  (param i32 i32 i32 i32 i32) (result i32)))
"""
# The path that the model gives, at 4096; the file, if it can be opened, at 8192.
FUNCTIONS = """
(global $fd (mut i32) (i32.const 0))
(func $path (result i32)
  (local $i i32)
  (block $end (loop $more
    (br_if $end (i64.ge_u (i64.extend_i32_u (local.get $i)) (call $input_length)))
    (i32.store8 (i32.add (i32.const 4096) (local.get $i))
      (call $input_u8 (i64.extend_i32_u (local.get $i))))
    (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (br $more)))
  (local.get $i))
(func $opened (param $flags i32) (param $rights i64) (result i32)
  (call $open (i32.const 3) (i32.const 1) (i32.const 4096) (call $path)
    (local.get $flags) (local.get $rights) (local.get $rights) (i32.const 0) (i32.const 8192)))
(func $piece (param $at i32) (param $size i32)
  (i32.store (i32.const 8200) (local.get $at))
  (i32.store (i32.const 8204) (local.get $size)))
"""
READ = """
(if (call $opened (i32.const 0) (i64.const 2)) (then (return (call $fail {refused}))))
(call $piece (i32.const 12288) (i32.const 100))
(drop (call $read (i32.load (i32.const 8192)) (i32.const 8200) (i32.const 1) (i32.const 8208)))
(call $say (call $text (i32.const 12288) (i32.load (i32.const 8208))))
"""
WRITE = """
(if (call $opened (i32.const 1) (i64.const 64)) (then (return (call $fail {refused}))))
(call $piece (i32.const 16) (i32.const SIZE))
(loop $more
  (if (call $write (i32.load (i32.const 8192)) (i32.const 8200) (i32.const 1) (i32.const 8208))
    (then (return (call $fail {full}))))
  (br_if $more (i32.const MORE)))
(call $say {written})
"""
LINK = """
(if (call $link (i32.const 4096) (call $path) (i32.const 3) (i32.const 16) (i32.const 7))
  (then (return (call $fail {refused}))))
(call $say {written})
"""


def files(home: Home, mode: str = "", **limits: int) -> Path:
    """Add a module that reads, writes and links; return the folder that it is granted."""
    text = Text(written="written", refused="refused", full="full")
    data = text.build(
        FUNCTIONS,
        export("read", READ),
        export("write", WRITE.replace("SIZE", "7").replace("MORE", "0")),
        export("flood", WRITE.replace("SIZE", "4000").replace("MORE", "1")),
        export("link", LINK),
        imports=IMPORTS,
    )
    folder = home.folder / "granted"
    folder.mkdir()
    (folder / "inside.txt").write_text("inside")
    (home.folder / "outside.txt").write_text("outside")
    sidecar: dict[str, Any] = {
        "limits": {"timeout_ms": 20_000, **limits},
        "tools": [
            {"name": name, "input": "arg:path"} for name in ("read", "write", "flood", "link")
        ],
    }
    if mode:
        grant = {"host": "../../../granted", "guest": "/data", "mode": mode}
        sidecar["permissions"] = {"paths": [grant]}
    home.add("files", data, sidecar)
    return folder


def test_a_file_in_a_granted_folder_is_read(home: Home) -> None:
    files(home, "ro")
    assert home.call("files__read", path="inside.txt").text.endswith("\ninside")
    assert home.offered()["files__read"].effects == {"read"}


def test_without_a_grant_there_is_no_folder(home: Home) -> None:
    files(home)
    assert home.call("files__read", path="inside.txt").text == "[files__read: failed: refused]"
    assert home.offered()["files__read"].effects == frozenset()


OUTSIDE = [
    "../outside.txt",
    "/outside.txt",
    "/etc/passwd",
    "deeper/../../outside.txt",
    "file-link",
    "absolute-link",
    "folder-link/outside.txt",
    "/data/../outside.txt",
    "/proc/self/environ",
]


@pytest.mark.parametrize("mode", ["ro", "rw"])
def test_nothing_leads_out_of_the_folder(home: Home, mode: str) -> None:
    folder = files(home, mode)
    (folder / "deeper").mkdir()
    (folder / "file-link").symlink_to("../outside.txt")
    (folder / "absolute-link").symlink_to(home.folder / "outside.txt")
    (folder / "folder-link").symlink_to(home.folder)
    for path in OUTSIDE:
        assert home.call("files__read", path=path).text == "[files__read: failed: refused]", path
        assert home.call("files__write", path=path).text == "[files__write: failed: refused]", path
    assert (home.folder / "outside.txt").read_text() == "outside"
    assert home.call("files__read", path="inside.txt").ok


def test_a_folder_that_is_granted_for_reading_is_not_written(home: Home) -> None:
    folder = files(home, "ro")
    assert not home.call("files__write", path="new.txt").ok
    assert not home.call("files__write", path="inside.txt").ok
    assert not home.call("files__link", path="inside.txt").ok
    assert os.listdir(folder) == ["inside.txt"]
    assert (folder / "inside.txt").read_text() == "inside"


def test_a_folder_that_is_granted_for_writing_is_written(home: Home) -> None:
    folder = files(home, "rw")
    assert home.call("files__write", path="new.txt").ok
    assert (folder / "new.txt").read_text() == "written"
    assert home.offered()["files__write"].effects == {"read", "write"}


def test_a_link_that_the_module_makes_leads_it_nowhere(home: Home) -> None:
    files(home, "rw")
    home.call("files__link", path="../outside.txt")
    assert home.call("files__read", path="written").text == "[files__read: failed: refused]"


def test_a_file_cannot_fill_the_disk(home: Home) -> None:
    folder = files(home, "rw", file_mb=1)
    assert home.call("files__flood", path="new.txt").text == "[files__flood: failed: full]"
    assert (folder / "new.txt").stat().st_size <= 1 << 20
    assert home.call("files__read", path="inside.txt").ok
