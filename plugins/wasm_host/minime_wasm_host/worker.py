"""The process around one module: `python -m minime_wasm_host.worker DESCRIPTOR`.

The descriptor is that of a socket on which `mm` sends frames.
"""

from __future__ import annotations

import socket
import sys

from minime_wasm_host.channel import Channel
from minime_wasm_host.confinement import calm_threads, confine, end_with_parent
from minime_wasm_host.frames import Kind
from minime_wasm_host.job import Job


def main() -> None:
    """Load the module, then call what is asked for, until `mm` closes the line."""
    end_with_parent()
    channel = Channel(socket.socket(fileno=int(sys.argv[1])))
    _, head, _ = channel.receive()
    job = Job.decode(head)
    confine(memory=job.worker_bytes, file_size=job.file_bytes)
    try:
        from minime_wasm_host.guest import Guest

        guest = Guest(job, channel)
    except Exception as error:  # whatever it is, `mm` says it to the user
        channel.send(Kind.FAILED, body=(str(error) or type(error).__name__).encode())
        return
    calm_threads()
    channel.send(Kind.READY)
    while True:
        _, head, body = channel.receive()
        channel.send(*guest.call(head.decode(), body))


if __name__ == "__main__":
    main()
