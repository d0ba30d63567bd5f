"""Arguments that are no JSON, are cut, or do not fit the schema."""

from __future__ import annotations

import json

from fault_scenarios.scenario import Scenario, command, run
from minime_core.testing import finish, text, tool_call

WHOLE = '{"command": "printf a >> ran"}'
CUT = '{"command": "printf a >> ran'

SCENARIOS = (
    Scenario(
        when="arguments have a comma too many, single quotes, are encoded twice, stand in a list "
        "or in a fence, or end in tags",
        then="reads them as what they mean",
        replies=(
            tool_call("bash", WHOLE.replace("}", ",}")),
            tool_call("bash", WHOLE.replace('"', "'").replace(" a ", " b ")),
            tool_call("bash", json.dumps(WHOLE.replace(" a ", " c "))),
            tool_call("bash", f"[{WHOLE.replace(' a ', ' d ')}]"),
            tool_call("bash", f"```json\n{WHOLE.replace(' a ', ' e ')}\n```"),
            tool_call("bash", f"{WHOLE.replace(' a ', ' f ')}</arguments></tool_call>"),
            text("Done."),
        ),
        ran="abcdef",
    ),
    Scenario(
        when="arguments are no JSON at all",
        then="runs nothing, quotes them to the model, with the shape that it expected",
        replies=(tool_call("bash", "list the files!"), text("Done.")),
        told="list the files!",
    ),
    Scenario(
        when="a call ends in mid-JSON, and the server says that it is whole",
        then="runs nothing; the model is told how much fits into one answer",
        replies=(tool_call("bash", CUT), run("b"), text("Done.")),
        told="Write only the first part, at most 6000 characters, then append",
        ran="b",
        sent={1: {"stream": True}},
    ),
    Scenario(
        when="a call is cut off at `max_tokens`",
        then="runs nothing; the model is told how much fits into one answer",
        replies=(tool_call("bash", CUT) + finish("length"), text("Done.")),
        told="the call was cut off before its end and did NOT run",
    ),
    Scenario(
        when="a third call of a turn is cut off",
        then="ends the turn and names the setting to raise",
        replies=(tool_call("bash", CUT) + finish("length"),) * 3,
        end="stuck",
        out="",
        says="calls of bash that were cut off at max_tokens (4096): raise max_tokens",
    ),
    Scenario(
        when="a member is missing",
        then="runs nothing; the model is told which, and the shape in one line",
        replies=(
            tool_call("edit_file", {"path": "a.txt", "edits": [{"old": "one"}]}),
            text("Done."),
        ),
        told='no text `new`. Expected {"path": ..., "edits": [{"old": ..., "new": ...}]}',
    ),
    Scenario(
        when="a number or a list is written as text, or an argument has another tool's name",
        then="makes it fit where only one meaning is left",
        replies=(
            tool_call("bash", {"cmd": command("a")}),
            tool_call("bash", {"command": command("b"), "timeout": "5"}),
            tool_call("read_file", {"file": "a.txt"}),
            tool_call("edit_file", {"path": "a.txt", "edits": {"old": "one", "new": "1"}}),
            run("c"),
            text("Done."),
        ),
        ran="abc",
        told="one line",
    ),
)
