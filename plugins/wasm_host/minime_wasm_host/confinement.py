"""What holds a worker: limits of the system, and its end when `mm` has gone.

Extism and its runtime limit the memory and the time of a module's functions only: neither its
tables nor what runs while it is loaded.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import threading

OPEN_FILES = 64
_PR_SET_PDEATHSIG = 1
"""prctl(2), Linux."""


def confine(*, memory: int, file_size: int) -> None:
    """Limit this process for good.

    memory: bytes of data, the Python interpreter's included. macOS does not enforce it.
    file_size: bytes of a file that is written.
    """
    limits = {
        resource.RLIMIT_DATA: memory,
        resource.RLIMIT_FSIZE: file_size,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_CORE: 0,
    }
    for kind, wanted in limits.items():
        _, most = resource.getrlimit(kind)
        value = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        resource.setrlimit(kind, (value, value))


def end_with_parent() -> None:
    """End this process when the parent has gone, however it went.

    Its standard input is a pipe whose other end only the parent has. Linux also kills it, which
    works even when the module keeps the interpreter from running.
    """
    threading.Thread(target=_wait_for_end, daemon=True).start()
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def calm_threads() -> None:
    """Let all threads but this one run only when no other wants to, where the system can do that.

    Extism wakes a thread of its own in each call, for a timer that is not set here. Switching to
    it and back takes longer than a small call.
    """
    if sys.platform != "linux":
        return
    for thread in os.listdir("/proc/self/task"):
        try:
            if int(thread) != threading.get_native_id():
                os.sched_setscheduler(int(thread), os.SCHED_IDLE, os.sched_param(0))
        except OSError:
            pass  # It ended, or the system forbids it.


def _wait_for_end() -> None:
    while os.read(0, 1):
        pass
    os._exit(0)
