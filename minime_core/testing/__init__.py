"""What tests and plugin authors need to run against a model that follows a script.

In process: `scripted_session`, `ask_scripted`, `ScriptedModel`. Over sockets: `FaultServer`. Both
take the same answers: `text`, `tool_call`, `stall` and the like. `pytest_plugin` has fixtures.
"""

from __future__ import annotations

from .command import MM, Mm, Outcome
from .fault_server import FaultServer
from .gate import Gate
from .http1 import Request
from .replies import (
    comments,
    crash,
    cut,
    delta,
    end,
    endless,
    error_event,
    event,
    finish,
    hold,
    html,
    parallel,
    progress,
    raw,
    reset,
    stall,
    status,
    text,
    thinking,
    tool_call,
    trace,
)
from .scripted_model import Answer, ScriptedModel, ScriptEnded
from .scripted_session import ScriptedSession, ask_scripted, scripted_session
from .site import Site
from .steps import Reply
from .transcript import Transcript

__all__ = [
    "MM",
    "Answer",
    "FaultServer",
    "Gate",
    "Mm",
    "Outcome",
    "Reply",
    "Request",
    "ScriptEnded",
    "ScriptedModel",
    "ScriptedSession",
    "Site",
    "Transcript",
    "ask_scripted",
    "comments",
    "crash",
    "cut",
    "delta",
    "end",
    "endless",
    "error_event",
    "event",
    "finish",
    "hold",
    "html",
    "parallel",
    "progress",
    "raw",
    "reset",
    "scripted_session",
    "stall",
    "status",
    "text",
    "thinking",
    "tool_call",
    "trace",
]
