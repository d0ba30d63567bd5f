"""Reading and atomic writing of real files."""

from __future__ import annotations

import os
import resource
import stat
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from minime_builtin_tools.edit import FileRefused, read_regular, write_atomic

as_root = os.geteuid() == 0
NOBODY = 65_534
"""A user without rights, on Linux."""


def only_file(folder: Path) -> Path:
    """Return the one file of `folder`: no temporary file is left."""
    (path,) = folder.iterdir()
    return path


def test_content_is_replaced_and_no_other_file_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    write_atomic(path, b"new")
    assert only_file(tmp_path).read_bytes() == b"new"


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o664])
def test_mode_bits_are_kept(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    path.chmod(mode)
    write_atomic(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(not as_root, reason="only root may give files away")
def test_the_owner_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    os.chown(path, 1234, 2345)
    write_atomic(path, b"new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)


def test_the_time_of_change_is_new(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    os.utime(path, (1, 1))
    write_atomic(path, b"new")
    assert path.stat().st_mtime > 1


def test_a_new_file_gets_the_mode_that_the_umask_allows(tmp_path: Path) -> None:
    reference, path = tmp_path / "reference", tmp_path / "new"
    reference.write_bytes(b"")
    write_atomic(path, b"new")
    assert path.stat().st_mode == reference.stat().st_mode


def test_a_chain_of_symbolic_links_stays_and_its_target_is_written(tmp_path: Path) -> None:
    target, link, second = tmp_path / "real" / "a.txt", tmp_path / "link", tmp_path / "second"
    target.parent.mkdir()
    target.write_bytes(b"old")
    link.symlink_to("real/a.txt")
    second.symlink_to("link")
    write_atomic(second, b"new")
    assert second.is_symlink()
    assert link.is_symlink()
    assert only_file(target.parent).read_bytes() == b"new"


def test_a_loop_of_links_is_answered(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    for action in (read_regular, lambda path: write_atomic(path, b"")):
        with pytest.raises(FileRefused, match="its symbolic links form a loop"):
            action(tmp_path / "a")


def test_a_pipe_is_refused_without_being_opened(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    for action in (read_regular, lambda path: write_atomic(path, b"")):
        with pytest.raises(FileRefused, match="it is a named pipe, not a regular file"):
            action(path)
    assert stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/dev/null", "it is a device"),
        ("/", "it is a directory"),
        ("/no/such/file", "it does not exist"),
        ("/dev/null/file", "a part of its path is not a directory"),
        ("/" + "n" * 300, "its name is too long"),
        ("/a\0b", "its name is not possible"),
    ],
)
def test_what_is_no_file_is_refused_with_the_reason(path: str, reason: str) -> None:
    with pytest.raises(FileRefused, match=reason):
        read_regular(Path(path))


def test_a_name_with_a_newline_and_one_of_full_length_are_no_problem(tmp_path: Path) -> None:
    for name in ("two\nlines", "n" * 255):
        write_atomic(tmp_path / name, b"content")
        assert read_regular(tmp_path / name) == b"content"


def test_a_file_over_the_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"12345")
    assert read_regular(path, max_bytes=5) == b"12345"
    with pytest.raises(FileRefused, match="it is larger than 4 bytes"):
        read_regular(path, max_bytes=4)


def test_when_the_disk_refuses_the_old_file_stands_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
    try:
        with pytest.raises(FileRefused, match="too large"):
            write_atomic(path, b"x" * 100)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert only_file(tmp_path).read_bytes() == b"old"


def test_a_full_disk_is_named() -> None:
    with (
        open("/dev/full", "wb", buffering=0) as full,
        pytest.raises(OSError, match="No space") as caught,
    ):
        full.write(b"x")
    from minime_builtin_tools.edit.files import refusal

    assert str(refusal(caught.value)) == "the disk is full"


@pytest.fixture
def folder_of_a_user(tmp_path: Path) -> Iterator[Path]:
    """A folder of somebody who may not write everything, as which the test runs."""
    if os.geteuid() != 0:
        yield tmp_path
        return
    with TemporaryDirectory() as name:
        os.chown(name, NOBODY, NOBODY)
        os.seteuid(NOBODY)
        try:
            yield Path(name)
        finally:
            os.seteuid(0)


def test_a_file_or_folder_without_permission_is_refused(folder_of_a_user: Path) -> None:
    path = folder_of_a_user / "a.txt"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(FileRefused, match="permission denied"):
        write_atomic(path, b"new")
    folder_of_a_user.chmod(0o555)
    path.chmod(0o644)
    try:
        with pytest.raises(FileRefused, match="permission denied"):
            write_atomic(path, b"new")
    finally:
        folder_of_a_user.chmod(0o755)
    assert path.read_bytes() == b"old"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileRefused, match="it does not exist"):
        write_atomic(tmp_path / "none" / "a.txt", b"new")


def test_a_dangling_link_gets_its_target(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("target")
    write_atomic(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"
