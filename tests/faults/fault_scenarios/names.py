"""Names that no tool has, and answers with several calls."""

from __future__ import annotations

from fault_scenarios.scenario import Scenario, run
from minime_core.testing import parallel, text, tool_call

SCENARIOS = (
    Scenario(
        when="a name has other capitals, spaces, a prefix or leftovers of gpt-oss, or is that of "
        "another agent's tool",
        then="takes it for the one tool that fits",
        replies=(
            run("a", "Bash"),
            run("b", " bash "),
            run("c", "functions.bash"),
            run("d", "bash<|channel|>commentary"),
            run("e", "run_shell_command"),
            text("Done."),
        ),
        ran="abcde",
    ),
    Scenario(
        when="there is no such tool",
        then="runs nothing; the model gets the list, the nearest first",
        replies=(tool_call("edit_line", {"path": "a.txt"}), text("Done.")),
        told="[edit_line: there is no such tool, nothing ran. Your tools: edit_file,",
    ),
    Scenario(
        when="an answer has several calls, side by side or with the same index",
        then="runs them one after the other, each with its result right behind it",
        replies=(
            parallel(run("a"), run("b")),
            run("c", index=0) + run("d", index=0),
            run("e", index=None, id=None) + run("f", index=None, id=None),
            text("Done."),
        ),
        ran="abcdef",
    ),
    Scenario(
        when="one of several calls cannot run",
        then="runs the others",
        replies=(run("a") + tool_call("nope", {}) + run("b"), text("Done.")),
        ran="ab",
        told="there is no such tool",
    ),
)
