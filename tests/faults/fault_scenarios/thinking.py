"""Thinking that the server leaves in the answer."""

from __future__ import annotations

from fault_scenarios.scenario import Scenario, run
from minime_core.testing import text, thinking

QUOTED = "Qwen opens with `<think>` and closes with `</think>`:\n\n```\n<think>\nHm.\n</think>\n```"

SCENARIOS = (
    Scenario(
        when="thinking stands in the text between tags, whole or in pieces",
        then="shows and keeps it as thinking, never as answer",
        replies=(
            text("<think>a secret</think>", chunks=9) + run("a"),
            text("<thinking>a secret</thinking>", chunks=13) + run("b"),
            text("<|channel>thought\na secret<channel|>", chunks=11) + run("c"),
            text("<|channel|>analysis<|message|>a secret<|end|>", chunks=7) + run("d"),
            text("[THINK]a secret[/THINK]") + run("e"),
            text("<think>\na secret\n</think>\n\nDone.", chunks=20),
        ),
        ran="abcde",
        unseen="secret",
    ),
    Scenario(
        when="the opening tag is missing, as the template wrote it",
        then="withdraws what was shown and takes it for thinking",
        replies=(text("It is a secret.\n</think>\n\nDone."),),
        unseen="secret",
    ),
    Scenario(
        when="the server sends thinking in a field of its own",
        then="keeps it out of answer and history",
        replies=(
            thinking("a secret") + run("a"),
            thinking("a secret", field="reasoning") + text("Done."),
        ),
        ran="a",
        unseen="secret",
    ),
    Scenario(
        when="an answer quotes the tags in code",
        then="leaves it as it is",
        replies=(text(QUOTED),),
        out=QUOTED,
    ),
)
