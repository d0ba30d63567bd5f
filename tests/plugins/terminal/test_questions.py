"""The question whether a call may run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from minime_core.events import FileDiff
from minime_core.messages import ToolCall
from minime_core.models import ModelRef
from minime_core.permission import Answer, Question
from minime_core.tools import Arguments, Tool, ToolContext, ToolResult
from minime_terminal.choosing import choose_model
from minime_terminal.painter import Painter
from minime_terminal.questions import put_question
from minime_terminal.reader import Interrupted
from minime_terminal.screen import Screen
from terminal_screen import Tube


async def _run(arguments: Arguments, context: ToolContext) -> ToolResult:
    return ToolResult(text="")


TOOL = Tool(
    name="bash",
    description="",
    schema={
        "type": "object",
        "properties": {"command": {"type": "string"}, "timeout": {"type": "number"}},
        "required": ["command"],
        "additionalProperties": False,
    },
    run=_run,
    effects=frozenset({"execute"}),
)


class Typist:
    """Types answers; None is the end of the input, Interrupted is Ctrl-C."""

    def __init__(self, *answers: str | type[Interrupted] | None) -> None:
        self._answers = list(answers)
        self.offered: list[str] = []

    async def question(self) -> str:
        raise AssertionError("nobody asks for a question")

    async def answer(self, prompt: str, text: str = "") -> str:
        self.offered.append(text)
        answer = self._answers.pop(0)
        if answer is None:
            raise EOFError
        if not isinstance(answer, str):
            raise answer
        return answer


class Asked:
    def __init__(self, painter: Painter) -> None:
        self.painter = painter
        self.tube = Tube(columns=60, lines=40)
        self.screen = Screen(self.tube, is_live=True, size=lambda: self.tube.size, environ={})
        painter.resize(60)

    def put(self, typist: Typist, diff: FileDiff | None = None, **arguments: object) -> Answer:
        call = ToolCall(name="bash", arguments=arguments or {"command": "ls"})
        subject = str(call.arguments.get("command", ""))
        question = Question(call=call, tool=TOOL, title="bash", subject=subject, diff=diff)
        return asyncio.run(
            put_question(question, screen=self.screen, painter=self.painter, reader=typist)
        )

    def rows(self) -> list[str]:
        return [row for row in self.tube.rows() if row]


@pytest.fixture
def asked(make_painter: Callable[..., Painter]) -> Asked:
    return Asked(make_painter())


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("y", Answer(choice="once")),
        (" YES ", Answer(choice="once")),
        ("a", Answer(choice="always")),
        ("n", Answer(choice="no")),
        ("no", Answer(choice="no")),
        ("n use rg instead", Answer(choice="no", why="the user said no: use rg instead")),
        ("never", Answer(choice="never")),
        (None, Answer(choice="no", why="the user left")),
    ],
)
def test_each_key_is_an_answer(asked: Asked, said: str | None, answer: Answer) -> None:
    assert asked.put(Typist(said)) == answer


@pytest.mark.parametrize("said", ["", "yy", "y please", "always do that", "never mind", "ok", "1"])
def test_what_is_no_answer_is_asked_again(asked: Asked, said: str) -> None:
    assert asked.put(Typist(said, "n")) == Answer(choice="no")
    assert "y: run it once." in " ".join(asked.rows())


def test_the_whole_command_is_shown(asked: Asked) -> None:
    command = "\n".join(f"echo {number} {'x' * 100}" for number in range(500))
    asked.put(Typist("n"), command=command)
    shown = "".join(row.removeprefix("│ ") for row in asked.rows())
    assert "echo 0x" in shown
    assert "echo 499x" in shown
    assert shown.count("x" * 50) >= 500


def test_the_whole_diff_is_shown(asked: Asked) -> None:
    diff = FileDiff(path="a", old=None, new="".join(f"{number}\n" for number in range(200)))
    asked.put(Typist("n"), diff=diff)
    assert [f"+{number}" for number in range(200)] == asked.rows()[2:]


def test_a_command_cannot_hide_itself(asked: Asked) -> None:
    asked.put(Typist("n"), command="rm -rf ~\r\x1b[2Kls\u202e")
    assert "rm -rf ~" in asked.rows()[1]
    assert "\x1b[2K" not in "".join(asked.tube.written)


def test_the_command_can_be_changed_before_it_runs(asked: Asked) -> None:
    typist = Typist("e", "ls -l")
    answer = asked.put(typist, command="ls", timeout=5)
    assert answer == Answer(choice="once", arguments={"command": "ls -l", "timeout": 5})
    assert typist.offered == ["", "ls"]


def test_other_arguments_are_changed_as_json_until_they_fit(asked: Asked) -> None:
    diff = FileDiff(path="a", old=None, new="x")
    typist = Typist("e", "{", '{"command": 5}', "[]", '{"command": "ls"}')
    answer = asked.put(typist, diff=diff, command="rm")
    assert answer == Answer(choice="once", arguments={"command": "ls"})
    # What was typed is offered again.
    assert typist.offered[2:] == ["{", '{"command": 5}', "[]"]
    assert "not JSON" in " ".join(asked.rows())


@pytest.mark.parametrize("given_up", [None, Interrupted])
def test_giving_up_a_change_is_no_answer(asked: Asked, given_up: type[Interrupted] | None) -> None:
    assert asked.put(Typist("e", given_up, "y")) == Answer(choice="once")


def test_ctrl_c_is_not_an_answer_but_the_end_of_the_turn(asked: Asked) -> None:
    with pytest.raises(Interrupted):
        asked.put(Typist(Interrupted))


REFS = [ModelRef(provider="ollama", model=name) for name in ("qwen3:4b", "qwen3:8b", "gemma3")]


@pytest.mark.parametrize(
    ("answers", "model"),
    [
        (["2"], "qwen3:8b"),
        (["gemma3"], "gemma3"),
        (["gem"], "gemma3"),
        (["qwen", "0", "4", "qwen3:4b"], "qwen3:4b"),
        ([""], None),
        ([None], None),
        ([Interrupted], None),
    ],
)
def test_a_model_is_chosen_by_number_or_name(
    asked: Asked, answers: list[str | type[Interrupted] | None], model: str | None
) -> None:
    typist = Typist(*answers)
    chosen = asyncio.run(
        choose_model(REFS, screen=asked.screen, painter=asked.painter, reader=typist)
    )
    assert (chosen.model if chosen else None) == model
