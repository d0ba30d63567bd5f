"""Connections that break, and servers that refuse or fail."""

from __future__ import annotations

from pathlib import Path

from fault_scenarios.scenario import Scenario, run
from minime_core.testing import (
    comments,
    crash,
    cut,
    error_event,
    finish,
    html,
    reset,
    status,
    text,
    thinking,
    tool_call,
    trace,
)

TRACES = Path(__file__).parents[2] / "traces"
HALF = "The first half of the answer and "
CUT = '{"command": "printf a >> ran'

SCENARIOS = (
    Scenario(
        when="the server is busy: 429, 502, 503, 504, or the connection breaks at once",
        then="asks again, three times, with growing waits; after a tool too",
        replies=(
            status(429, headers={"Retry-After": "0"}), status(502), status(503), run("a"),
            status(504), reset(), text("Done."),
        ),
        says="asking again in 0.0 s (1 of 3)",
        ran="a",
    ),
    Scenario(
        when="it stays busy",
        then="gives up after three retries, with what the server said",
        replies=(status(503, "overloaded"),) * 4,
        end="failed",
        out="",
        says="answered 503: overloaded",
    ),
    Scenario(
        when="the server is loading the model",
        then="waits until it is there, and says so once",
        replies=(*(status(503, "Loading model"),) * 6, text("Done.")),
        says="mm: the server is loading the model, waiting",
    ),
    Scenario(
        when="nothing listens where the server should be",
        then="says so at once, with the command that starts it",
        end="failed",
        out="",
        says="does not answer: nothing listens there; start it: llama-server",
        is_down=True,
    ),
    Scenario(
        when="the key is not taken",
        then="says so at once",
        replies=(status(401, "Invalid API Key"),),
        end="failed",
        out="",
        says="wants a key: put it into an environment variable and name that in `api_key_env`",
    ),
    Scenario(
        when="a portal answers with a web page",
        then="says so at once",
        replies=(html(),),
        end="failed",
        out="",
        says="is the base URL right?",
    ),
    Scenario(
        when="the server fails over what the model wrote (500), after a tool ran",
        then="makes this one request again, with a note; no tool runs again",
        replies=(run("a"), status(500, "Failed to parse input"), text("Done.")),
        says="asking once more",
        told="The server could not read your last answer.",
        ran="a",
    ),
    Scenario(
        when="such a failure comes in mid-stream (recorded)",
        then="withdraws what was shown and makes this one request again, with a note",
        replies=(run("a"), trace(TRACES / "error_midstream_gpt_oss.sse"), text("Done.")),
        says="asking once more",
        told="The server could not read your last answer.",
        ran="a",
    ),
    Scenario(
        when="it fails over the answer once more",
        then="ends the turn with what the server said",
        replies=(error_event("cannot parse"),) * 2,
        end="failed",
        out="",
        says="cannot parse",
    ),
    Scenario(
        when="the template refuses the conversation (recorded)",
        then="explains it at once; the same request would fail for ever",
        replies=(trace(TRACES / "error_400_roles_must_alternate.sse"),),
        end="failed",
        out="",
        says="mm: the model's chat template refuses this conversation",
    ),
    Scenario(
        when="an answer is cut in its middle, twice, and its end says some of it again",
        then="goes on where it stopped; the answer is one text",
        replies=(
            text(HALF) + cut(),
            text("the answer and the second half, ") + reset(),
            text("which is the last."),
        ),
        out=f"{HALF}the second half, which is the last.",
        says="mm: the connection broke in mid-answer: trying to go on",
        told="Continue your answer exactly where you stopped",
    ),
    Scenario(
        when="an answer is cut before anything or only thinking was shown",
        then="asks again",
        replies=(comments() + cut(), thinking("a secret") + cut(), text("Done.")),
        says="mm: the connection broke in mid-answer: trying to go on",
        unseen="secret",
    ),
    Scenario(
        when="a half-written call is cut",
        then="does not run it; asks for it again",
        replies=(tool_call("bash", CUT) + cut(), run("b"), text("Done.")),
        says="mm: the connection broke in mid-answer: trying to go on",
        ran="b",
    ),
    Scenario(
        when="text and a half-written call are cut",
        then="keeps the text, does not run the call, and asks for it again",
        replies=(text("I look. ") + tool_call("bash", CUT) + cut(), run("b"), text("Done.")),
        says="mm: the connection broke in mid-answer: trying to go on",
        ran="b",
    ),
    Scenario(
        when="the connection breaks after `finish_reason`",
        then="takes the answer for whole",
        replies=(text("Done.") + finish(done=False) + cut(),),
    ),
    Scenario(
        when="an answer is cut more often than `resumes`",
        then="ends the turn as failed; what was shown is kept for the next question",
        replies=tuple(text(f"{part} ") + cut() for part in ("One", "Two", "Three")),
        end="failed",
        out="",
        says="mm: the connection broke in mid-answer: trying to go on",
        guards={"resumes": 2},
    ),
    Scenario(
        when="the server crashes in mid-answer",
        then="says so at once, with the command that starts it",
        replies=(text("Hel") + crash(),),
        end="failed",
        out="",
        says="it has crashed. ",
    ),
)  # fmt: skip
