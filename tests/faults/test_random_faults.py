"""Any mix of faults: no crash, no hang, no tool twice for one call, no history that is refused."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from fault_scenarios.running import wire
from faulty_session import FaultySession
from minime_core.events import Event, MessageDone, Retracted, TextDelta, ToolStarted, TurnDone
from minime_core.history import History, shape_fault
from minime_core.testing import FaultServer, crash, text
from random_replies import MUST_NOT_RUN, Script, scripts
from template_rules import template_faults

GUARDS = {"retry_wait": 0.001, "first_token_timeout": 0.5, "watchdog_timeout": 0.1}


class FaultyServer(RuleBasedStateMachine):
    """A session, asked again and again, while its server does what it should not."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.server = FaultServer(n_ctx=32_768).start()
        self.server.respond = text("Done.")
        self.chat = FaultySession(Path(self.folder.name), self.server, GUARDS)
        self.scripts = 0
        self.judged = 0

    @rule(script=scripts())
    def ask(self, script: Script) -> None:
        self._enqueue(script)
        events = self.chat.ask()
        assert [type(event) for event in events].count(TurnDone) == 1
        ids = [event.call.id for event in events if isinstance(event, ToolStarted)]
        assert len(set(ids)) == len(ids)
        done = events[-1]
        assert isinstance(done, TurnDone)
        if done.error is None and done.reason not in ("stuck", "stalled"):
            assert _without_blanks(_on_screen(events)) == _without_blanks(done.text)

    @rule(script=scripts(most=3), events=st.integers(1, 30))
    def leave_in_the_middle(self, script: Script, events: int) -> None:
        self._enqueue(script)
        self.chat.ask(leave_after=events)

    @rule(script=scripts(most=2))
    def ask_while_the_server_crashes(self, script: Script) -> None:
        self._enqueue(script)
        self.server.enqueue(text("Some words") + crash())
        self.chat.ask()
        self.server.stop()
        self.server.start()

    @precondition(lambda self: self.scripts)
    @rule()
    def resume(self) -> None:
        before = self.chat.session.history.view()
        self.chat.resume()
        assert self.chat.session.history.view() == before

    def _enqueue(self, script: Script) -> None:
        self.scripts += 1
        self.server.enqueue(*script.replies(self.scripts))

    @invariant()
    def no_call_ran_twice_or_half(self) -> None:
        ran = self.chat.ran
        # Recorded answers may come twice; the scripts' own commands have a number.
        ours = {command: times for command, times in ran.items() if command[:1].isdigit()}
        assert [command for command, times in ours.items() if times > 1] == []
        assert [command for command in ran if MUST_NOT_RUN in command] == []

    @invariant()
    def every_template_takes_the_conversation(self) -> None:
        history = self.chat.session.history
        assert shape_fault(history.view()) is None
        again = History(history.records)
        assert again.view() == history.view()
        again.add_question("And now?")
        assert template_faults(wire(again)) == []
        for request in self.server.chat_requests[self.judged :]:
            assert template_faults(request.json["messages"]) == []
        self.judged = len(self.server.chat_requests)

    @invariant()
    def nothing_of_ours_failed(self) -> None:
        assert self.chat.warnings == []
        assert self.server.problems == []

    def teardown(self) -> None:
        self.chat.close()
        self.server.stop()
        self.folder.cleanup()


def _on_screen(events: Iterable[Event]) -> str:
    """Return what the user sees of the answer at the end: what was said behind the last call."""
    # An answer that is complete stays, although the model was asked to go on behind it.
    whole = said = ""
    for event in events:
        if isinstance(event, TextDelta):
            said += event.text
        elif isinstance(event, MessageDone):
            whole, said = whole + said, ""
        elif isinstance(event, ToolStarted):
            whole = said = ""
        elif isinstance(event, Retracted) and not event.thinking_only:
            said = ""
    return whole + said


def _without_blanks(text: str) -> str:
    return "".join(text.split())


TestFaultyServer = FaultyServer.TestCase
TestFaultyServer.settings = settings(
    deadline=None,
    suppress_health_check=list(HealthCheck),
    max_examples=300 if os.environ.get("MM_FULL_CORPUS") else 12,
    stateful_step_count=5,
)
