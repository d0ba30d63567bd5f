"""The environment of commands."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterable
from functools import cache

# An editor or a pager would wait for a key that never comes, a colour is noise to a model.
QUIET = {
    "GIT_EDITOR": "true",
    "GIT_SEQUENCE_EDITOR": "true",
    "EDITOR": "true",
    "VISUAL": "true",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "DEBIAN_FRONTEND": "noninteractive",
    "TERM": "dumb",
    "NO_COLOR": "1",
}


def command_environment(hidden: Iterable[str]) -> dict[str, str]:
    """Return our environment without the variables that match `hidden`, with nothing that waits.

    hidden: names, in which `*` stands for anything.
    """
    is_hidden = _any_of(tuple(hidden)).match
    return {name: value for name, value in os.environ.items() if not is_hidden(name)} | QUIET


@cache
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(fnmatch.translate, patterns)) or r"(?!)")
