"""`mm`, `mm PROMPT` and `mm -p PROMPT`: open a session and hand it to a frontend."""

from __future__ import annotations

import asyncio
import gc
import os
import select
import stat
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from minime_core.cli.mentions import expand_mentions
from minime_core.cli.opening import Opener
from minime_core.cli.say import say
from minime_core.errors import UserError
from minime_core.frontends import FrontendSpec

if TYPE_CHECKING:
    from minime_core.cli.group import Invocation

MAX_PIPED = 64 << 20
"""Most bytes that are read from a pipe; no window holds them."""


def ask(invocation: Invocation, words: Sequence[str]) -> int:
    """Ask the prompt of the command line, or open a conversation; return the exit code."""
    prompt = _prompt(invocation, words)
    gc.enable()
    gc.freeze()
    return asyncio.run(_run(invocation, prompt))


async def _run(invocation: Invocation, prompt: str | None) -> int:
    host, config = invocation.load()
    specs: dict[str, FrontendSpec] = host.named("mm_register_frontends", FrontendSpec)
    wanted = (invocation.params["output"] or "text") if prompt is not None else "terminal"
    if wanted not in specs:
        raise UserError(f"no plugin offers the frontend {wanted!r}; `mm plugins list` shows them")
    return await specs[wanted].run(Opener(invocation.options, host, config, say), prompt)


def _prompt(invocation: Invocation, words: Sequence[str]) -> str | None:
    """Return what to ask: the prompt or the words, then what is piped in; None to converse."""
    said = invocation.params["prompt"]
    if said is not None and words:
        raise click.UsageError("give the prompt once: as words or with -p")
    if said is None and words:
        said = " ".join(words)
    piped = _piped()
    if said is None and piped is None:
        return None
    parts = [expand_mentions(said, invocation.options.cwd)] if said else []
    prompt = "\n\n".join([*parts, *([piped] if piped else [])])
    if not prompt.strip():
        raise click.UsageError("the prompt is empty")
    return prompt


def _piped() -> str | None:
    """Return what is piped into stdin, None when it is a terminal or nothing."""
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        return None
    mode = os.fstat(sys.stdin.fileno()).st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)):
        return None
    if not stat.S_ISREG(mode) and not select.select([sys.stdin], [], [], 1.0)[0]:
        say("waiting for the text piped in (end it with Ctrl-D)")
    data = sys.stdin.buffer.read(MAX_PIPED + 1)
    if len(data) > MAX_PIPED:
        raise click.UsageError(f"more than {MAX_PIPED >> 20} MB are piped in")
    return data.decode("utf-8", "replace")
