"""Read a regular file, and replace its content in one step."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from contextlib import suppress
from pathlib import Path

MAX_BYTES = 64 * 1024 * 1024
"""Size up to which a file is read for editing."""

_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)

_REASONS = {
    errno.ENOENT: "it does not exist",
    errno.ENOTDIR: "a part of its path is not a directory",
    errno.EISDIR: "it is a directory",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ELOOP: "its symbolic links form a loop",
    errno.ENAMETOOLONG: "its name is too long",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the file system is read-only",
    errno.EFBIG: "it would be too large for the file system",
}


class FileRefused(Exception):
    """A file cannot be read or written; the message completes "PATH: ..." for the model."""


def read_regular(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the content of `path`, following symbolic links.

    A named pipe or a device is never opened: that alone could block or have an effect.

    :param max_bytes: size from which the file is refused
    :raises FileRefused: if it is no regular file, too large or not readable
    """
    try:
        _require_regular(path.stat())
        with open(path, "rb", opener=_open_nonblocking) as file:
            _require_regular(os.fstat(file.fileno()))
            data = file.read(max_bytes + 1)
    except (OSError, ValueError) as error:
        raise refusal(error) from error
    if len(data) > max_bytes:
        raise FileRefused(f"it is larger than {max_bytes:,} bytes")
    return data


def write_atomic(path: Path, data: bytes) -> None:
    """Give `path` the content `data`, entirely or not at all.

    A symbolic link stays, its target is written. Mode bits, extended attributes and, where
    permitted, the owner stay too. Until the last step, the old file is untouched.

    :raises FileRefused: if that is not possible; then nothing was changed and no file is left
    """
    try:
        target = Path(os.path.realpath(path))
        status = _status(path)
        if status is not None:
            _require_regular(status)
            # What counts is whom the process acts for, where the platform can tell.
            if not os.access(target, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
                is_mounted_so = os.statvfs(target).f_flag & os.ST_RDONLY
                raise OSError(errno.EROFS if is_mounted_so else errno.EACCES, "not writable")
        _replace(target, status, data)
    except (OSError, ValueError) as error:
        raise refusal(error) from error


def refusal(error: OSError | ValueError) -> FileRefused:
    """Return `error` in words for the model; a ValueError is a path that holds NUL."""
    if isinstance(error, OSError):
        return FileRefused(_REASONS.get(error.errno or 0, error.strerror or "it failed"))
    return FileRefused("its name is not possible")


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _require_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = next((name for test, name in _KINDS if test(status.st_mode)), "a special file")
        raise FileRefused(f"it is {kind}, not a regular file")


def _open_nonblocking(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _replace(target: Path, status: os.stat_result | None, data: bytes) -> None:
    temporary = target.parent / f".{secrets.token_hex(8)}.tmp"
    # A new file gets the mode that the umask allows; a copy of a private one is private at once.
    mode = 0o666 if status is None else 0o600
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if status is not None:
                _copy_attributes(target, status, temporary)
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_directory(target.parent)


def _copy_attributes(target: Path, status: os.stat_result, temporary: Path) -> None:
    if hasattr(os, "chown"):
        # The group alone may be permitted, and a shared folder depends on it.
        for owner in (-1, status.st_uid):
            with suppress(PermissionError):
                os.chown(temporary, owner, status.st_gid)
    shutil.copystat(target, temporary)
    os.utime(temporary)


def _sync_directory(directory: Path) -> None:
    """Make the new name durable; the content is written already, so that a failure is no error."""
    with suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
