"""Answers that are too long, turns that are too long, servers that say nothing."""

from __future__ import annotations

from fault_scenarios.scenario import Scenario, run
from minime_core.testing import comments, finish, progress, stall, text, thinking

SCENARIOS = (
    Scenario(
        when="the model calls tools in `max_turns` requests",
        then="asks a last time for a summary, with tools forbidden",
        replies=(run("a"), run("b"), text("A summary.")),
        end="limit",
        out="A summary.",
        told="Summarise what you did and what remains.",
        ran="ab",
        settings={"max_turns": 2},
        sent={1: {"tool_choice": None}, 2: {"tool_choice": "none"}},
    ),
    Scenario(
        when="the last answer of such a turn is a call all the same",
        then="does not run it",
        replies=(run("a"), text("A summary.") + run("b")),
        end="limit",
        out="A summary.",
        ran="a",
        settings={"max_turns": 1},
    ),
    Scenario(
        when="an answer is cut off at `max_tokens`",
        then="says so, with the number and the setting",
        replies=(text("The first half") + finish("length"),),
        out="The first half",
        says="mm: the answer was cut off at max_tokens (4096): raise max_tokens, or ask to go on",
    ),
    Scenario(
        when="an answer is cut off at the end of the window",
        then="says so, and what helps",
        replies=(text("The first half") + finish("length"),),
        out="The first half",
        says="give the server a larger window, or ask to go on",
        settings={"context_window": 2048},
    ),
    Scenario(
        when="thinking is cut off at `max_tokens`",
        then="says so, and asks once more",
        replies=(thinking("I wonder") + finish("length"), text("Done.")),
        says="cut off at max_tokens (4096) before it answered: raise max_tokens",
    ),
    Scenario(
        when="a model that thinks has a low `max_tokens`",
        then="says so at the start",
        replies=(text("Done."),),
        says="its thoughts may use them up. Set max_tokens to 16384, or thinking to off",
        model="Qwen3-8B",
        settings={"max_tokens": 2048, "context_window": 40_960},
    ),
    Scenario(
        when="nothing comes of an answer for `first_token_timeout`",
        then="closes the stream and asks for the answer in one piece",
        replies=(comments() + stall(), text("Done.")),
        says="mm: nothing came for 1 s: asking for the answer in one piece",
        guards={"first_token_timeout": 1},
        sent={0: {"stream": True}, 1: {"stream": False}},
        hung_up=(0,),
    ),
    Scenario(
        when="there are signs of life before the first token",
        then="waits",
        replies=(progress(10, 20, total=30) + comments(3) + text("Done."),),
        guards={"first_token_timeout": 1},
    ),
    Scenario(
        when="nothing comes of an answer after a tool ran",
        then="closes the stream and ends the turn",
        replies=(run("a") + finish(timings=None), progress(50, total=100) + stall()),
        end="stalled",
        out="",
        says="it had read 50 of 100 tokens of the prompt. If it is only slow, raise "
        "guards.first_token_timeout",
        ran="a",
        guards={"first_token_timeout": 1},
        hung_up=(1,),
    ),
    Scenario(
        when="an answer stops in its middle for `watchdog_timeout`",
        then="closes the stream and ends the turn with what came last",
        replies=(text("The answer is") + stall(),),
        end="stalled",
        out="",
        says="nothing for 0.5 s; its last words were 'The answer is'. If it is only slow, raise "
        "guards.watchdog_timeout",
        guards={"watchdog_timeout": 0.5},
        hung_up=(0,),
    ),
)
