"""Answers with nothing in them."""

from __future__ import annotations

from fault_scenarios.scenario import Scenario, run
from minime_core.testing import finish, text, thinking

SCENARIOS = (
    Scenario(
        when="an answer is empty",
        then="asks once more",
        replies=(finish(), text("Done.")),
        says="mm: the model said nothing: asking it once more",
        told="Your answer was empty.",
    ),
    Scenario(
        when="an answer is nothing but thinking",
        then="asks once more",
        replies=(thinking("I wonder."), text("Done.")),
        says="mm: the model only thought: asking it once more",
        told="You thought and then said nothing.",
    ),
    Scenario(
        when="`<think>` is never closed",
        then="takes it all for thinking and asks once more",
        replies=(text("<think>I wonder"), text("Done.")),
        says="mm: the model only thought: asking it once more",
        unseen="wonder",
    ),
    Scenario(
        when="the model announces a step and stops",
        then="asks once more",
        replies=(text("Let me run the command:"), run("a"), text("Done.")),
        says="mm: the model announced a step and did not take it: asking it once more",
        ran="a",
    ),
    Scenario(
        when="an answer is empty once more",
        then="ends the turn and says so",
        replies=(finish(), finish()),
        end="empty",
        out="",
    ),
    Scenario(
        when="after a tool ran, the answer is empty, and once more",
        then="ends the turn and says so; the tool ran once",
        replies=(run("a"), finish(), thinking("I wonder.")),
        end="empty",
        out="",
        ran="a",
    ),
)
