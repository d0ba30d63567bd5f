"""Start an agent."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from minime.agent import Agent
from minime.answering import Answers
from minime.decisions import OnPermission
from minime.errors import StartError
from minime.process import Process, find_mm
from minime.tools import Tool, as_tools

StrPath = str | os.PathLike[str]


class Starting:
    """What `start` returns: await it, or enter it with `async with`, to have the agent."""

    def __init__(self, begin: Callable[[], Awaitable[Agent]]) -> None:
        self._begin = begin
        self._agent: Agent | None = None

    def __await__(self) -> Generator[Any, None, Agent]:
        return self._begin().__await__()

    async def __aenter__(self) -> Agent:
        self._agent = await self._begin()
        return self._agent

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        assert self._agent is not None
        await self._agent.close()


def start(
    *,
    config: StrPath | None = None,
    profile: str | None = None,
    cwd: StrPath | None = None,
    mm: StrPath | Sequence[str] | None = None,
    on_permission: OnPermission | None = None,
    tools: Iterable[Tool | Callable[..., Any]] = (),
    tool_discovery: Literal["meta", "request"] = "meta",
    on_stderr: Callable[[str], object] | None = None,
    env: Mapping[str, str] | None = None,
    start_timeout: float = 60.0,
    cancel_timeout: float = 30.0,
    close_timeout: float = 5.0,
) -> Starting:
    """Start `mm acp` and open a session: `async with minime.start(...) as agent`.

    config: a settings file for mm.
    profile: a model profile, by name.
    cwd: the folder that the agent works in; by default the current one.
    mm: the program, or the command with its first arguments; by default `$MM_BIN`, then `mm` on
        PATH, then the one that belongs to this Python.
    on_permission: asked when a call needs permission, in a thread unless it is async. Without it,
        or when it raises or returns anything else, the call is rejected.
    tools: functions with type hints, or `Tool`s, that the model can call as `client_<name>`.
    tool_discovery: whether the agent is told of the tools at once or asks for them.
    on_stderr: called with each line that mm writes for people; else they are read and dropped.
    env: variables for mm besides those of this process.
    start_timeout: seconds until the agent has to be ready.
    cancel_timeout: seconds that a cancelled turn may take to end.
    close_timeout: seconds that mm may take to end before it is killed.

    Raises ValueError at once for arguments that cannot be used, and StartError when there is no mm.
    Awaiting or entering raises StartError and AgentExited, with mm's own words.
    """
    folder = Path(cwd if cwd is not None else ".").resolve()
    if not folder.is_dir():
        raise ValueError(f"cwd is not a folder: {folder}")
    if tool_discovery not in ("meta", "request"):
        raise ValueError(f"tool_discovery is {tool_discovery!r}; it can be meta or request")
    if on_permission is not None and not callable(on_permission):
        raise ValueError("on_permission cannot be called")
    answers = Answers(on_permission, as_tools(tools))
    options: list[str] = []
    if config is not None:
        options += ["--config", str(Path(config).resolve())]
    if profile is not None:
        options += ["--profile", profile]
    command = [*find_mm(mm), *options, "acp"]

    async def begin() -> Agent:
        from minime.link import Link

        process = await Process.start(command, cwd=folder, env=env or {}, on_stderr=on_stderr)
        agent = Agent(
            Link(process, answers),
            folder,
            cancel_timeout=cancel_timeout,
            close_timeout=close_timeout,
        )
        try:
            async with asyncio.timeout(start_timeout):
                offers = answers.offers
                await agent.initialize(True if offers and tool_discovery == "request" else offers)
                await agent.open_session()
        except BaseException as error:
            await agent.close()
            if isinstance(error, TimeoutError):
                raise StartError(f"mm did not answer within {start_timeout:g} s") from error
            raise
        return agent

    return Starting(begin)
