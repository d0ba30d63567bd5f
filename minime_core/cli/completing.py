"""What a shell offers behind options and commands: names that lie on disk. Nothing is asked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minime_core import paths

if TYPE_CHECKING:
    from minime_core.cli.group import Invocation

VARIABLE = "_MM_COMPLETE"
"""Set by the scripts of `mm completion`; click reads it."""
MOST = 200
"""Most names that are offered."""
SESSIONS_READ = 20
"""Most sessions whose model is looked up, the newest first."""
MAX_HEADER = 1 << 20
"""Most bytes of the first line of a session, which holds the system prompt."""

_PLAIN = re.compile(r"\w[\w.+:/@-]*")
"""Names that mean nothing to a shell: they end up on the command line as they are."""

Names = Callable[["Invocation"], Iterable[str]]
Complete = Callable[[click.Context, click.Parameter, str], list[str]]


def offering(*sources: Names) -> Complete:
    """Return a `shell_complete` that offers the names of `sources`, nothing when one fails."""

    def complete(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        with suppress(Exception):  # Whatever it is, a shell that asks for names wants no report.
            invocation = _invocation(ctx)
            found = dict.fromkeys(name for source in sources for name in source(invocation))
            fitting = (n for n in found if n.startswith(incomplete) and _PLAIN.fullmatch(n))
            return [*islice(fitting, MOST)]
        return []

    return complete


def _invocation(ctx: click.Context) -> Invocation:
    from minime_core.cli.group import Invocation

    root = ctx.find_root()
    if root.obj is None:
        root.obj = Invocation(root.params)
    invocation: Invocation = root.obj
    return invocation


def sessions(invocation: Invocation) -> Iterator[str]:
    """Yield the ids of the folder's sessions, the newest first."""
    return (path.stem for path in _session_files(invocation))


def models(invocation: Invocation) -> Iterator[str]:
    """Yield the model that is set, and those of the folder's newest sessions."""
    _, config = invocation.load()
    yield config.settings.model
    for path in islice(_session_files(invocation), SESSIONS_READ):
        with path.open("rb") as file, suppress(ValueError, AttributeError):
            header = json.loads(file.readline(MAX_HEADER))
            yield str(header.get("values", {}).get("model"))


def profiles(invocation: Invocation) -> Iterable[str]:
    """Return the names of all profiles."""
    from minime_core.assembly import load_profiles

    host, _ = invocation.load()
    return load_profiles(host, invocation.options.cwd).names()


def providers(invocation: Invocation) -> Iterable[str]:
    """Return the kinds of servers that plugins offer."""
    from minime_core.models import ProviderSpec

    host, _ = invocation.load()
    return host.named("mm_register_providers", ProviderSpec)


def plugins(invocation: Invocation) -> Iterator[str]:
    """Yield the names of all installed plugins, importing none."""
    from minime_core.discovery import discover

    return (info.name for info in discover())


def _session_files(invocation: Invocation) -> Iterator[Path]:
    folder = paths.sessions_folder(invocation.options.cwd)
    # Their names begin with the time.
    return (path for path in sorted(folder.glob("*.jsonl"), reverse=True) if path.is_file())


SESSION_ID = offering(sessions)
MODEL = offering(models)
MODEL_NAME = offering(models, providers, profiles)
PROFILE = offering(profiles)
PROVIDER = offering(providers)
PLUGIN = offering(plugins)
