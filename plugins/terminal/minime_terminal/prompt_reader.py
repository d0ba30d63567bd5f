"""The input line: history, completion, several lines, an editor. prompt_toolkit does the work."""

from __future__ import annotations

import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.completion import Completer
from prompt_toolkit.data_structures import Size
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.input import create_input
from prompt_toolkit.input.typeahead import clear_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout.processors import Processor, Transformation, TransformationInput
from prompt_toolkit.output.color_depth import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import Style

from minime_terminal.history_file import HistoryFile
from minime_terminal.painter import size_of
from minime_terminal.reader import Interrupted
from minime_terminal.safe_text import seen_text
from minime_terminal.settings import TerminalSettings

MENU_ROWS = 6
"""Rows that are kept free below the line for completions."""
EDITING = "(Enter takes it, Ctrl-C leaves it as it was, Ctrl-X Ctrl-E opens your editor)"

STYLE = Style.from_dict(
    {
        "sign": "ansicyan bold",
        "question": "bold",
        "completion-menu": "noinherit",
        "completion-menu.completion.current": "reverse",
        "completion-menu.meta.completion": "ansibrightblack",
        "completion-menu.meta.completion.current": "reverse",
        "scrollbar.background": "noinherit",
        "scrollbar.button": "reverse",
    }
)


class PromptReader:
    """Reads from a terminal that can move its cursor."""

    def __init__(self, completer: Completer, history: Path, settings: TerminalSettings) -> None:
        self._input = create_input(sys.stdin)
        # The terminal is not asked where its cursor is: an answer that comes late over a slow line
        # would be taken for something typed.
        output = Vt100_Output(
            sys.stdout,
            _size,
            # Only what prompt_toolkit makes itself heeds NO_COLOR unasked.
            default_color_depth=ColorDepth.from_env(),
            enable_cpr=False,
        )
        mode = EditingMode.VI if settings.vi else EditingMode.EMACS
        self._questions: PromptSession[str] = PromptSession(
            input=self._input,
            output=output,
            style=STYLE,
            editing_mode=mode,
            history=HistoryFile(history),
            completer=completer,
            complete_while_typing=True,
            complete_in_thread=True,
            reserve_space_for_menu=MENU_ROWS,
            multiline=True,
            input_processors=[_Honest()],
            key_bindings=_keys(),
            prompt_continuation=lambda width, line, soft: " " * width,
            enable_open_in_editor=True,
            tempfile_suffix=".md",
            interrupt_exception=_interrupt(lambda: self._questions),
        )
        self._answers: PromptSession[str] = PromptSession(
            input=self._input,
            output=output,
            style=STYLE,
            editing_mode=mode,
            multiline=True,
            input_processors=[_Honest()],
            key_bindings=_keys(),
            prompt_continuation=lambda width, line, soft: " " * width,
            enable_open_in_editor=True,
            tempfile_suffix=".txt",
            interrupt_exception=_interrupt(lambda: self._answers),
        )

    async def question(self) -> str:
        return await self._questions.prompt_async(FormattedText([("class:sign", "> ")]))

    async def answer(self, prompt: str, text: str = "") -> str:
        clear_typeahead(self._input)
        with suppress(termios.error):  # It is no terminal.
            termios.tcflush(self._input.fileno(), termios.TCIFLUSH)
        if text:
            # What is changed has the whole width.
            prompt = f"{prompt}{EDITING}\n"
        # While a turn runs, Ctrl-C as a signal is the turn's to handle.
        return await self._answers.prompt_async(
            FormattedText([("class:question", prompt)]), default=text, handle_sigint=False
        )


class _Honest(Processor):
    """Shows what was pasted, or what a model wrote, in the order in which it will be read."""

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        fragments = transformation_input.fragments
        return Transformation([(style, seen_text(text)) for style, text, *_ in fragments])


def _interrupt(session: Callable[[], PromptSession[str]]) -> type[Interrupted]:
    """Return an Interrupted that knows what stands in the line of `session`."""

    class AtPrompt(Interrupted):
        def __init__(self) -> None:
            super().__init__(session().default_buffer.text)

    return AtPrompt


def _size() -> Size:
    size = size_of(sys.stdout)
    return Size(rows=size.lines, columns=size.columns)


@Condition
def _is_completing() -> bool:
    state = get_app().current_buffer.complete_state
    return state is not None and state.current_completion is not None


@Condition
def _is_searching() -> bool:
    return get_app().layout.is_searching


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter", filter=~_is_completing & ~_is_searching)
    def submit(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        before = buffer.document.text_before_cursor
        if before.endswith("\\") and not buffer.document.text_after_cursor:
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    @keys.add("enter", filter=_is_completing)
    def accept_completion(event: KeyPressEvent) -> None:
        event.current_buffer.complete_state = None

    @keys.add("escape", "enter")
    def newline(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    return keys
