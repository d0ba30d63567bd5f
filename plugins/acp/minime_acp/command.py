"""`mm acp`."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import threading

import click

from minime_acp.descriptors import take_stdio
from minime_acp.leftovers import end_marked, mark_children
from minime_core.cli.group import Invocation

LAST_CALL = 1.4
"""Seconds to end everything when the client has left; what is not done then is ended by force."""


@click.command()
@click.pass_obj
def acp(invocation: Invocation) -> None:
    """Serve an editor or a program over stdin and stdout (Agent Client Protocol)."""
    source, sink = take_stdio()
    mark = mark_children()
    gc.enable()
    gc.freeze()

    def leave() -> None:
        end_marked(mark)
        os._exit(0)

    def last_call() -> None:
        timer = threading.Timer(LAST_CALL, leave)
        timer.daemon = True
        timer.start()

    # Not asyncio.run, which waits for threads that may never end.
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    def end() -> None:
        last_call()
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end)

    from minime_acp.serving import serve

    loop.run_until_complete(serve(invocation.options, source, sink, at_end=last_call, stop=stop))
    end_marked(mark)
