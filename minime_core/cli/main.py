"""The entry point: argument spelling, exit codes, and no tracebacks for what the user can mend."""

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Sequence

from minime_core.cli.completing import VARIABLE
from minime_core.cli.say import say
from minime_core.errors import MinimeError, UserError

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it: 128 + SIGINT."""


def main() -> None:
    """Run `mm` and end the process."""
    # Collecting garbage while modules load costs a tenth of the start; what they leave behind lives
    # as long as the process.
    gc.disable()
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # It was closed; nothing else may get its number, and what is printed goes nowhere.
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        # An answer may hold characters that an old terminal does not have.
        sys.stdout.reconfigure(errors="backslashreplace")
    if VARIABLE in os.environ:
        # A shell asks for completions: nothing else may appear on its command line.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
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

    try:
        result = cli.main(go_spelling(arguments), prog_name="mm", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return UserError.exit_code
    except click.ClickException as error:
        say(error.format_message())
        return UserError.exit_code
    except MinimeError as error:
        if "--debug" in arguments or os.environ.get("MM_DEBUG"):
            import traceback

            traceback.print_exc()
        say(str(error))
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except SystemExit as end:
        # A command ended itself, or click did since the reader of our output left, as `head` does.
        result = end.code
    return result if isinstance(result, int) else 0


def go_spelling(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with `-config FILE` and `-acp`, as the Go program spells them, as ours.

    click would read them as bundles of one-letter options.
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    rewritten = [
        f"-{argument}" if argument.partition("=")[0] == "-config" else argument
        for argument in arguments[:end]
        if argument != "-acp"
    ]
    command = ["acp"] if "-acp" in arguments[:end] else []
    return [*rewritten, *command, *arguments[end:]]
