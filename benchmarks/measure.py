"""CPU time of processes.

It is user and system time, of a process and of the children that it waited for. Wall time would
measure the other programs of the machine.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import time


class RunFailed(Exception):
    """A program did not do what it was measured for."""


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds that a running process has used, without those of its children."""
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "clock_getcpuclockid"):
        return _told_by_ps(pid)
    clock = ctypes.c_int()
    if libc.clock_getcpuclockid(pid, ctypes.byref(clock)) != 0:
        raise RunFailed(f"process {pid} has ended too early")
    return time.clock_gettime(clock.value)


def settled_cpu_seconds(pid: int, quiet: float = 0.05) -> float:
    """Return the CPU seconds of a process once it has used none for `quiet` seconds."""
    before, now = -1.0, cpu_seconds(pid)
    while now != before:
        time.sleep(quiet)
        before, now = now, cpu_seconds(pid)
    return now


def wait(process: subprocess.Popen[bytes]) -> float:
    """Wait for the end of a process; return its CPU seconds with those of its children."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def _told_by_ps(pid: int) -> float:
    """Ask `ps`, which on macOS tells hundredths of seconds, as `minutes:seconds`."""
    command = ["ps", "-o", "time=", "-p", str(pid)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    minutes, _, seconds = shown.strip().rpartition(":")
    return int(minutes) * 60 + float(seconds)
