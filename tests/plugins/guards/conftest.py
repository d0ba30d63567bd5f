"""What the tests of guards share: a scripted model call, a real session, and `mm` as a process."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from instant_loop import InstantLoop
from minime_core import hookimpl
from minime_core.assembly import Options, open_session
from minime_core.config import Config, Layer
from minime_core.errors import MinimeError
from minime_core.events import Event, MessageDone, ModelEvent, Notice, TurnDone
from minime_core.history import shape_fault
from minime_core.messages import Message, ToolCall
from minime_core.middleware import ModelCall
from minime_core.models import ModelRequest
from minime_core.plugins import PluginHost, PluginInfo
from minime_core.session import Session
from minime_core.testing.fault_server import FaultServer
from minime_core.tools import Arguments, Tool, ToolContext, ToolResult
from minime_core.turn import Turn

MM = [sys.executable, "-c", "from minime_core.cli.main import main; main()"]
TIMEOUT = 60
T = TypeVar("T")


@dataclass(frozen=True)
class Pause:
    """Seconds in which a script says nothing."""

    seconds: float


class Script:
    """A model call that follows a script: for each request events and pauses, or an error."""

    def __init__(self, *answers: Sequence[Any]) -> None:
        self._answers = list(answers)
        self.requests: list[ModelRequest] = []
        self.closed = 0

    async def __call__(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        self.requests.append(request)
        try:
            for step in self._answers.pop(0):
                if isinstance(step, MinimeError):
                    raise step
                if isinstance(step, Pause):
                    await asyncio.sleep(step.seconds)
                else:
                    yield step
        finally:
            self.closed += 1


class Model:
    """Runs one layer around a script."""

    Script, Pause = Script, Pause

    def __init__(self) -> None:
        self.turn = Turn(question="hi", first=1, rounds=1)
        self.messages: list[Message] = [
            Message(role="system", text="Be brief."),
            Message(role="user", text="hi"),
        ]
        self.error: MinimeError | None = None

    def request(self, **fields: Any) -> ModelRequest:
        return ModelRequest(
            **{"model": "m", "messages": tuple(self.messages), "turn": self.turn, **fields}
        )

    def run(
        self,
        wrap: Callable[[ModelRequest, ModelCall], AsyncGenerator[ModelEvent, None]],
        script: ModelCall,
        **fields: Any,
    ) -> list[ModelEvent]:
        """Return what the layer yields; what it raises is left in `error`."""
        seen: list[ModelEvent] = []

        async def consume() -> None:
            async with aclosing(wrap(self.request(**fields), script)) as events:
                async for event in events:
                    seen.append(event)

        self.error = None
        try:
            self.play(consume())
        except MinimeError as error:
            self.error = error
        return seen

    @staticmethod
    def play(coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in a time of its own."""
        with asyncio.Runner(loop_factory=InstantLoop) as runner:
            return runner.run(coroutine)

    @staticmethod
    def done(text: str = "", *calls: ToolCall, finish: str = "stop", thinking: str = "") -> Any:
        message = Message(role="assistant", text=text, calls=calls, thinking=thinking)
        return MessageDone(message=message, finish_reason=finish)


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def traces() -> Path:
    """The folder of recorded answers of a real server."""
    return Path(__file__).parents[2] / "traces"


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(n_ctx=32_768) as server:
        yield server
        assert server.problems == []


class Tools:
    """The tools of a session. What they do is recorded; `bash` answers from `outputs`."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, dict[str, Any]]] = []
        self.outputs: list[str] = []

    @hookimpl
    def mm_register_tools(self) -> list[Tool]:
        text, edit = {"type": "string"}, {"old": {"type": "string"}, "new": {"type": "string"}}
        item = _schema(edit, ["old", "new"])
        return [
            self._tool("bash", {"command": text}, ["command"], self._bash, "execute"),
            self._tool(
                "edit_file",
                {"path": text, "edits": {"type": "array", "items": item}},
                ["path", "edits"],
                self._edit,
                "edit",
            ),
            self._tool(
                "read_file",
                {"path": text, "start": {"type": "integer"}},
                ["path"],
                lambda a: ToolResult(text="a line"),
                "read",
            ),
            self._tool(
                "write_file",
                {"path": text, "content": text, "append": {"type": "boolean"}},
                ["path", "content"],
                lambda a: ToolResult(text="[write_file: wrote it]"),
                "edit",
            ),
        ]

    def _tool(
        self,
        name: str,
        properties: dict[str, Any],
        required: list[str],
        answer: Callable[[Arguments], ToolResult],
        kind: Any,
    ) -> Tool:
        async def run(arguments: Arguments, context: ToolContext) -> ToolResult:
            self.ran.append((name, dict(arguments)))
            return answer(arguments)

        return Tool(
            name=name,
            description=name,
            schema=_schema(properties, required),
            run=run,
            effects=frozenset(),
            kind=kind,
            locations=lambda arguments: (str(arguments.get("path", "")),),
        )

    def _bash(self, arguments: Arguments) -> ToolResult:
        return ToolResult(text=self.outputs.pop(0) if self.outputs else "done")

    def _edit(self, arguments: Arguments) -> ToolResult:
        old = arguments["edits"][0]["old"]
        return ToolResult(text=f"[edit_file: {old!r} is not in the file]\nnear: ...", ok=False)


def _schema(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


class Chat:
    """A real session with the plugins `providers` and `guards`, talking to the fault server."""

    def __init__(self, cwd: Path, server: FaultServer) -> None:
        self.server = server
        self.tools = Tools()
        self.events: list[Event] = []
        self._cwd = cwd
        self._runner = asyncio.Runner()
        self._session: Session | None = None
        self._settings: dict[str, Any] = {}

    def set(self, guards: dict[str, Any] | None = None, **settings: Any) -> None:
        """Set what the session is opened with."""
        self._settings = {**settings, "guards": {"retry_wait": 0.001, **(guards or {})}}

    @property
    def session(self) -> Session:
        if self._session is None:
            self._session = self._runner.run(self._open())
        return self._session

    async def _open(self) -> Session:
        infos = [PluginInfo(name=n, module=f"minime_{n}") for n in ("providers", "guards")]
        host = PluginHost(infos, warn=lambda text: pytest.fail(text))
        host.load()
        host.register(self.tools, "tools")
        values = {
            "provider": "llamacpp",
            "base_url": self.server.base_url,
            "model": "m",
            "policy": "yolo",
            **(self._settings or {"guards": {"retry_wait": 0.001}}),
        }
        config = Config([Layer("test", values)], {info.name for info in infos})
        options = Options(cwd=self._cwd, flags={}, is_stored=False)
        return await open_session(options, host, config)

    def ask(self, question: str = "hi") -> TurnDone:
        """Ask, and return how the turn ended; the history has a shape that every template takes."""
        session = self.session
        self.events = []
        self._runner.run(self._consume(session, question))
        assert shape_fault(session.history.view()) is None
        done = self.events[-1]
        assert isinstance(done, TurnDone)
        return done

    async def _consume(self, session: Session, question: str) -> None:
        async with session.run(question) as events:
            async for event in events:
                self.events.append(event)

    @property
    def notices(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Notice)]

    def of(self, kind: type[Event]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def results(self) -> list[str]:
        """The results of calls that the model sees."""
        return [m.text for m in self.session.history.view() if m.role == "tool"]

    def close(self) -> None:
        if self._session is not None:
            self._runner.run(self._session.aclose())
        self._runner.close()


@pytest.fixture
def chat(home: Path, tmp_path: Path, server: FaultServer) -> Iterator[Chat]:
    chat = Chat(tmp_path, server)
    yield chat
    chat.close()


class Mm:
    """Runs `mm -p` with the fault server as its model."""

    def __init__(self, cwd: Path, server: FaultServer) -> None:
        self.cwd = cwd
        self.server = server

    def ask(self, prompt: str = "hi", **guards: Any) -> tuple[int, str, str]:
        """Return exit code, answer, and what is said besides."""
        config = self.cwd.parent / "config.json"
        config.write_text(json.dumps({"guards": {"retry_wait": 0.001, **guards}}))
        process = subprocess.run(
            [*MM, "--base-url", self.server.base_url, "--provider", "llamacpp", "--model", "m",
             "--yolo", "--no-session", "--config", str(config), "-p", prompt],
            cwd=self.cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT,
            check=False,
        )  # fmt: skip
        return process.returncode, process.stdout.decode(), process.stderr.decode()

    def messages(self, number: int = -1) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.server.chat_requests[number].json["messages"]
        return found


@pytest.fixture
def mm(home: Path, tmp_path: Path, server: FaultServer) -> Mm:
    (tmp_path / "project").mkdir()
    return Mm(tmp_path / "project", server)
