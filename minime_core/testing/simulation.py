"""A model server in this process, with a window and a prefix cache, and a model that reads files.

It costs no sockets and no model, so that long sessions can be run and what they make a server read
can be counted.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from functools import lru_cache
from pathlib import Path

from minime_core.errors import ContextOverflow
from minime_core.events import MessageDone, ModelEvent, TextDelta
from minime_core.messages import Message, Timings, ToolCall, Usage
from minime_core.models import ModelInfo, ModelRequest

_TOKEN = re.compile(r" ?[^\W\d_]{1,6}|\d{1,3}|[^\S\n]+|\n+|.")
"""About what byte-pair encodings make of English and of code: 3 to 4.5 bytes."""

SEARCHES = 0.25
"""How many of a `FileReader`'s calls search with bash; the others read."""

Respond = Callable[[ModelRequest], Message]


@lru_cache(maxsize=1 << 16)
def count_tokens(text: str) -> int:
    """Return the tokens of `text`."""
    return sum(1 for _ in _TOKEN.finditer(text))


class SimulatedServer:
    """A provider. It refuses what is longer than the window, and reads what it has not read before.

    prefilled, cached: tokens of all prompts that were read, and that were in the cache.
    requests: all that were asked.
    overflows: requests that were refused.
    longest: tokens of the longest request that was answered.
    seconds: CPU seconds that the simulation took itself.
    """

    name = "simulated"

    def __init__(self, respond: Respond, *, window: int, tells_window: bool = True) -> None:
        self.prefilled = self.cached = self.overflows = self.longest = 0
        self.requests: list[ModelRequest] = []
        self.seconds = 0.0
        self._respond = respond
        self._window = window
        self._tells_window = tells_window
        self._read: Sequence[str] = ()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Answer in one piece. See `models.Provider`."""
        start = time.process_time()
        self.requests.append(request)
        parts = _parts(request)
        total = sum(map(count_tokens, parts))
        if total >= self._window:
            self.overflows += 1
            raise ContextOverflow("too long", needed=total, window=self._window)
        self.longest = max(self.longest, total)
        cached = min(_common_tokens(self._read, parts), total - 1)
        self.cached += cached
        self.prefilled += total - cached
        answer = self._respond(request)
        written = count_tokens(_rendered(answer))
        self._read = (*parts, _rendered(answer))
        done = MessageDone(
            message=answer,
            usage=Usage(prompt_tokens=total, completion_tokens=written, cached_tokens=cached),
            timings=Timings(
                prompt_tokens=total - cached,
                prompt_ms=float(total - cached),
                generated_tokens=written,
                generation_ms=10.0 * written,
            ),
            finish_reason="tool_calls" if answer.calls else "stop",
        )
        self.seconds += time.process_time() - start
        if answer.text:
            yield TextDelta(answer.text)
        yield done

    async def info(self) -> ModelInfo:
        """Tell the window, unless it is kept secret."""
        return ModelInfo(
            model="simulated",
            window=self._window if self._tells_window else None,
            window_origin="/props" if self._tells_window else "",
            window_help="it cannot be changed",
            renders_tools=True,
        )

    async def count_tokens(self, text: str) -> int | None:
        return count_tokens(text)

    async def is_up(self) -> bool:
        return True

    async def aclose(self) -> None:
        pass


class FileReader:
    """A model that answers each question after it has looked into files, and sums up when asked to.

    folder: where they are; of what lies in it, `*.py` is read.
    calls: fewest and most calls for one question.
    """

    def __init__(self, folder: Path, seed: int, calls: tuple[int, int] = (2, 4)) -> None:
        self._files = sorted(str(p.relative_to(folder)) for p in folder.rglob("*.py"))
        self._random = random.Random(seed)
        # Of its own, so that the same files are read whatever else is asked for.
        self._wording = random.Random(seed)
        self._calls = calls
        self._left = 0
        self._said = 0

    def __call__(self, request: ModelRequest) -> Message:
        """Return the next call or answer."""
        if request.tool_choice == "none":
            return Message(role="assistant", text=self._words(250))
        if request.messages[-1].role == "user":
            self._left = self._random.randint(*self._calls)
        if self._left == 0:
            return Message(role="assistant", text=self._words(60))
        self._left -= 1
        path, start = self._random.choice(self._files), self._random.randint(1, 40)
        call = ToolCall(name="read_file", arguments={"path": path, "start": start})
        if self._random.random() < SEARCHES:
            call = ToolCall(name="bash", arguments={"command": f"grep -n 'def \\|class ' {path}"})
        return Message(role="assistant", calls=(call,))

    def _words(self, count: int) -> str:
        self._said += 1
        words = ("the", "module", "reads", "its", "settings", "before", "tests", "run", "twice")
        return f"{self._said}: " + " ".join(self._wording.choice(words) for _ in range(count))


def _parts(request: ModelRequest) -> Sequence[str]:
    """Return the prompt in pieces, as chat templates put it together: tools first."""
    tools = "".join(
        json.dumps([tool.name, tool.description, tool.schema]) for tool in request.tools
    )
    return [tools, *map(_rendered, request.messages)]


def _rendered(message: Message) -> str:
    calls = "".join(json.dumps([call.name, dict(call.arguments)]) for call in message.calls)
    return f"<|{message.role}|>\n{message.text}{calls}<|end|>\n"


def _common_tokens(before: Sequence[str], now: Sequence[str]) -> int:
    """Return the tokens that two prompts begin with in common."""
    total = 0
    for old, new in zip(before, now, strict=False):
        if old == new:
            total += count_tokens(new)
            continue
        pairs = zip(old, new, strict=False)
        same = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(old), len(new)))
        return total + count_tokens(new[:same])
    return total
