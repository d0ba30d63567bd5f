"""What an answer, or a refusal, tells of the window and of how much of it is taken."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from minime_context.measures import Measures
from minime_context.usage import Gauge
from minime_core.errors import ContextOverflow
from minime_core.events import ContextUsage, MessageDone, Notice
from minime_core.models import ModelRequest
from minime_core.session import Session

SOURCE = "context"
COUNTED = 0.5
"""Part of the window from which on a session's first prompt is counted by the server."""
MAX_COUNTED = 200_000
"""Characters that are sent to be counted."""
CUT_WINDOW = 2
"""How many times what it leaves of a prompt the window of a server is that cuts. Ollama's runner
keeps half of it; older versions all, which then shows with the next answer."""


class Counting:
    """Learns for one session. What it has to say is said once."""

    def __init__(self, session: Session, measures: Measures) -> None:
        self._session = session
        self._measures = measures
        self._said: set[str] = set()
        self.gauge = Gauge()

    async def count_first(self, request: ModelRequest) -> None:
        """Learn what a token is here, while nothing was counted and where it matters."""
        sizes, meter, window = self._measures.all
        size = sizes.of(request.messages, request.tools)
        if meter.is_exact or window.tokens is None or meter.tokens(size) < COUNTED * window.tokens:
            return
        text = max((message.text for message in request.messages), key=len)[:MAX_COUNTED]
        tokens = await self._session.provider.count_tokens(text)
        if tokens is not None:
            meter.learn_text(len(text.encode()), tokens)

    async def take(
        self, request: ModelRequest, done: MessageDone
    ) -> AsyncGenerator[Notice | ContextUsage, None]:
        """Learn from an answer; yield what is to be said of it, and the figures."""
        sizes, meter, window = self._measures.all
        size = sizes.of(request.messages, request.tools)
        if window.tokens is None and not window.was_asked:
            # A server that loads its model with the first request knows the window only now.
            await window.ask()
        if window.tokens is None:
            for notice in self._once("unknown", _unknown(window.help)):
                yield notice
        prompt = done.usage.prompt_tokens
        if prompt is not None:
            async for notice in self._learn(size, prompt):
                yield notice
        answer = done.usage.completion_tokens
        if answer is None:
            answer = meter.part(sizes.of_message(done.message))
        yield self.gauge.read(done, meter.tokens(size) + answer, window.tokens)

    async def _learn(self, size: int, prompt: int) -> AsyncGenerator[Notice, None]:
        """Learn from what the server counted, unless that cannot be."""
        _, meter, window = self._measures.all
        expected = meter.tokens(size)
        verdict = meter.learn(size, prompt, window.tokens, may_cut=not window.refuses)
        if verdict == "absurd":
            for notice in self._once("absurd", _absurd(prompt, expected, window.tokens)):
                yield notice
        elif verdict == "truncated":
            await window.ask()
            window.see(CUT_WINDOW * prompt, "what the server left of a prompt")
            for notice in self._once("truncated", _truncated(prompt, expected, window.help)):
                yield notice

    def take_refusal(self, overflow: ContextOverflow, request: ModelRequest) -> None:
        """Learn from the two numbers of a refusal, or from there being none."""
        sizes, meter, window = self._measures.all
        size = sizes.of(request.messages, request.tools)
        estimate = meter.tokens(size)
        window.see(overflow.window, "the server's refusal")
        needed, asked = overflow.needed, request.max_tokens or 0
        if needed and abs(needed - asked - estimate) < abs(needed - estimate):
            # Servers differ: some count the answer that was asked for as well.
            needed -= asked
        if not needed:
            window.see(estimate, "the server's refusal")
            needed = max(estimate, window.tokens or 0)
        meter.correct(size, needed)

    def _once(self, what: str, text: str) -> list[Notice]:
        if what in self._said:
            return []
        self._said.add(what)
        return [Notice("warning", text, SOURCE)]


def _unknown(help_text: str) -> str:
    how = f" ({help_text})" if help_text else ""
    return (
        "the size of the model's window is unknown, so room is made by the number of messages: "
        f"set context_window{how}"
    )


def _absurd(tokens: int, expected: int, window: int | None) -> str:
    most = f" in a window of {window:,}" if window is not None else ""
    return (
        f"the server counts {tokens:,} tokens of about {expected:,}{most}: that cannot be, so they "
        "are estimated"
    )


def _truncated(tokens: int, expected: int, help_text: str) -> str:
    how = f": {help_text}" if help_text else ""
    return (
        f"the server read {tokens:,} of about {expected:,} tokens: it cut off the beginning, with "
        f"the instructions, without saying so. Give it a larger window{how}"
    )
