"""A conversation: questions and commands in, answers streamed out, one session after the other."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace

from minime_core.assembly import Options
from minime_core.cli.mentions import expand_mentions
from minime_core.cli.opening import Opener
from minime_core.errors import MinimeError
from minime_core.models import ModelRef
from minime_core.permission import Answer, Question
from minime_core.session import Session
from minime_core.tools import StepStatus
from minime_terminal.choosing import choose_model
from minime_terminal.commands import Commands, Leave
from minime_terminal.greeting import greeting, recap
from minime_terminal.plan import plan_line
from minime_terminal.questions import put_question
from minime_terminal.reader import Interrupted
from minime_terminal.settings import TerminalSettings
from minime_terminal.terminal import Terminal, open_terminal
from minime_terminal.turn import Frames, Stopper, show_turn
from minime_terminal.view import TurnView

INTERRUPTED, TERMINATED = 130, 143
"""Exit codes after two Ctrl-C and after SIGTERM, as shells have them."""
STOPPED = "(stopped: the model will not hear of this question again; Ctrl-C ends)"
AGAIN = "(Ctrl-C once more ends, Ctrl-D too)"


async def converse(opener: Opener) -> int:
    """Hold a conversation until the user ends it, and return the exit code."""
    task = asyncio.current_task()
    assert task is not None
    # The terminal is left as it was found.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    with ExitStack() as stack:
        try:
            await _sessions(opener, stack)
        except Interrupted:
            return INTERRUPTED
        except asyncio.CancelledError:
            return TERMINATED
    return 0


async def _sessions(opener: Opener, stack: ExitStack) -> None:
    """Open one session after the other, as the user asks for them."""
    terminal: Terminal | None = None
    before: Options | None = None
    options: Options | None = opener.options
    while options is not None:
        try:
            async with opener.open(options) as session:
                if terminal is None:
                    settings = session.config.section("terminal", TerminalSettings)
                    terminal = stack.enter_context(open_terminal(settings, session.cwd))
                conversation = Conversation(terminal, session, options)
                following = await conversation.hold()
                before, options = conversation.going_on(), following
        except MinimeError as error:
            if terminal is None or before is None:
                raise
            # What was asked for cannot be opened: the conversation goes on where it was.
            terminal.say(f"mm: {error}", "red")
            before, options = None, before


class Conversation:
    """One session and the user.

    options: those that the session was opened with.
    """

    def __init__(self, terminal: Terminal, session: Session, options: Options) -> None:
        self.session = session
        self.options = options
        self.thoughts = ""
        self._plan: Sequence[tuple[str, StepStatus]] = ()
        self._terminal = terminal
        self._commands = Commands(self)
        self._settings = session.config.section("terminal", TerminalSettings)
        self._interrupts = 0
        self._frames: Frames | None = None
        self._stopper: Stopper | None = None
        session.ask = self._ask_permission
        terminal.complete(self._commands.words)

    async def hold(self) -> Options | None:
        """Converse; return the options of the session to go on with, None to end.

        Raises Interrupted when the user ends with Ctrl-C.
        """
        try:
            await self._greet()
            while True:
                line = await self._next_line()
                if self._commands.is_command(line):
                    await self._command(line)
                elif line.strip():
                    await self._turn(line)
        except Leave as leave:
            return leave.options
        except EOFError:
            return None

    def going_on(self, **flags: object) -> Options:
        """Return options for this conversation with other settings, as flags would set them."""
        has_begun = any(message.role == "user" for message in self.session.history.view())
        # What is not on disk cannot be taken along.
        resume = self.session.file.id if has_begun and self.options.is_stored else None
        merged = {name: value for name, value in {**self.options.flags, **flags}.items() if value}
        return replace(self.options, flags=merged, resume=resume)

    @property
    def width(self) -> int:
        """Columns of a row."""
        self._terminal.fit()
        return self._terminal.painter.width

    async def choose(self, refs: Sequence[ModelRef]) -> ModelRef | None:
        """Let the user choose a model."""
        terminal = self._terminal
        return await choose_model(
            refs, screen=terminal.screen, painter=terminal.painter, reader=terminal.reader
        )

    def plan(self) -> str:
        """Return the plan that the model showed last, "" when it showed none."""
        return "\n".join(plan_line(step, status) for step, status in self._plan)

    async def _greet(self) -> None:
        ref, terminal = self.session.ref, self._terminal
        terminal.fit()
        terminal.screen.draw(greeting(self.session, terminal.painter))
        if ref.others:
            terminal.say("Several models can be had. Choose once; /model changes it later.")
            chosen = await self.choose([replace(ref, others=(), notice=""), *ref.others])
            if chosen is not None:
                self.session.host.notify("mm_model_chosen", ref=chosen)
                if (chosen.base_url, chosen.model) != (ref.base_url, ref.model):
                    raise Leave(self.options)
        elif ref.notice:
            terminal.say(f"mm: {ref.notice}", "yellow")
        terminal.screen.draw(recap(self.session, terminal.painter))

    async def _next_line(self) -> str:
        """Return what the user types. Ctrl-C clears the line; in an empty one, twice, it ends."""
        while True:
            try:
                line = await self._terminal.reader.question()
            except Interrupted as interrupt:
                if self._interrupts and not interrupt.text.strip():
                    raise
                self._interrupts += 1
                self._terminal.say(AGAIN, "dim")
            else:
                self._interrupts = 0
                return line

    async def _command(self, line: str) -> None:
        try:
            shown, is_markdown = await self._commands.run(line)
        except MinimeError as error:
            self._terminal.say(f"mm: {error}", "red")
        else:
            self._terminal.say(shown, is_markdown=is_markdown)

    async def _turn(self, line: str) -> None:
        terminal = self._terminal
        terminal.fit()
        view = TurnView(
            terminal.screen,
            terminal.painter,
            self.session.tools,
            lines=self.session.settings.preview_lines,
            thoughts=self._settings.thoughts,
        )
        self._frames = None
        question = expand_mentions(line, self.session.cwd)
        task = asyncio.create_task(show_turn(self.session, question, terminal, view, self._started))

        def stopping() -> None:
            view.stopping()
            if self._frames is not None:
                self._frames.draw()

        stopper = self._stopper = Stopper(task, stopping)
        await stopper.wait()
        self.thoughts, self._plan = view.thoughts or self.thoughts, view.plan or self._plan
        if task.cancelled():
            view.stop(STOPPED)
            self._interrupts = 1
            if stopper.presses > 1:
                raise Interrupted
        elif isinstance(error := task.exception(), MinimeError):
            view.stop(f"mm: {error}")
        elif error is not None:
            raise error

    def _started(self, frames: Frames) -> None:
        self._frames = frames

    async def _ask_permission(self, question: Question) -> Answer:
        frames, stopper = self._frames, self._stopper
        assert frames is not None
        assert stopper is not None
        terminal = self._terminal
        with frames.paused():
            try:
                return await put_question(
                    question,
                    screen=terminal.screen,
                    painter=terminal.painter,
                    reader=terminal.reader,
                )
            except Interrupted:
                stopper.press()
                # The turn is being cancelled, and this question with it.
                answer: Answer = await asyncio.get_running_loop().create_future()
                return answer
