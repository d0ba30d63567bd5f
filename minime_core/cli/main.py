"""The entry point: argument spelling, exit codes, and no tracebacks for what the user can mend."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

from minime_core.errors import MinimeError

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it: 128 + SIGINT."""


def main() -> None:
    """Run `mm` and end the process."""
    # Collecting garbage while modules load costs a tenth of the start; what they leave behind lives
    # as long as the process.
    gc.disable()
    code = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            code = code or 1
    # Tearing down all modules is work for nothing: files are closed, sessions are on disk.
    os._exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    import click

    from minime_core.cli.group import cli

    debug = "--debug" in arguments or bool(os.environ.get("MM_DEBUG"))
    try:
        result = cli.main(go_spelling(arguments), prog_name="mm", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except MinimeError as error:
        if debug:
            raise
        print(f"mm: {error}", file=sys.stderr)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output left, as `head` does; nothing is left to say to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return result if isinstance(result, int) else 0


def go_spelling(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with `-config FILE` and `-acp`, as the Go program spells them, as ours.

    click would read them as bundles of one-letter options.
    """
    rewritten: list[str] = []
    for index, argument in enumerate(arguments):
        if argument == "--":
            return [*rewritten, *arguments[index:]]
        name, equals, value = argument.partition("=")
        rewritten.append(f"--{name[1:]}{equals}{value}" if name in ("-config", "-acp") else argument)
    if "--acp" in rewritten:
        rewritten.remove("--acp")
        rewritten.append("acp")
    return rewritten
