"""Ask a model two tiny things, and tell what came of each."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Container, Mapping
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, replace
from typing import Any

from minime_commands.model_survey import tools_of, window_of
from minime_core.assembly import Connection, Options, connect
from minime_core.cli.loading import load_config
from minime_core.cli.say import say
from minime_core.config import Config
from minime_core.errors import ProtocolError, ProviderError
from minime_core.events import MessageDone, Notice, TextDelta, ThinkingDelta, ToolCallDelta
from minime_core.messages import Message
from minime_core.models import ModelRequest, ProviderSpec
from minime_core.plugins import PluginHost
from minime_core.tools import Tool, ToolResult
from minime_core.turn import Turn

MAX_TOKENS = 512
"""Most tokens of an answer; a model that thinks needs some before its first word."""
QUESTION = "Say hello in one word."
CALL_QUESTION = "What is 12 plus 30? Call the tool add, and answer nothing else."


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one request.

    ok: whether it is what was asked for.
    what: that in words.
    first_s, total_s: seconds until the first piece and until the end.
    """

    ok: bool
    what: str
    first_s: float
    total_s: float
    prompt_tokens: int | None
    completion_tokens: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Which model was asked, and what came; `call` is None where tools are not the server's."""

    provider: str
    base_url: str
    model: str
    why: str
    profile: str
    window: int | None
    window_origin: str
    tools: str
    answer: Outcome
    call: Outcome | None

    @property
    def ok(self) -> bool:
        """Whether all that was asked came."""
        return self.answer.ok and (self.call is None or self.call.ok)


def named(
    host: PluginHost, config: Config, options: Options, name: str, profiles: Container[str]
) -> Options:
    """Return `options` with what NAME means: a provider, else a profile, else a model."""
    flags = dict(options.flags)
    if name in host.named("mm_register_providers", ProviderSpec):
        if config.settings.provider != name:
            # An address that is set is that of another server, unless the command line has it.
            flags.setdefault("base_url", "")
        flags["provider"] = name
    else:
        flags["profile" if name in profiles else "model"] = name
    return replace(options, flags=flags)


async def try_model(host: PluginHost, options: Options, limit: float) -> Trial:
    """Ask for a word and, where the server renders tools, for a call.

    limit: seconds that all may take. Raises as `connect` does, ProviderError when they are over.
    """
    try:
        async with asyncio.timeout(limit):
            return await _try(host, options)
    except TimeoutError as error:
        raise ProviderError(
            f"no whole answer within {limit:.0f} s: is the server busy, or the model too large for "
            "this machine? --timeout gives it longer"
        ) from error


async def _try(host: PluginHost, options: Options) -> Trial:
    config = load_config(options, {info.name for info in host.infos}, say)
    async with AsyncExitStack() as undo:
        connection = await connect(undo, options, host, config, say)
        window, window_origin = window_of(connection.config, connection.info)
        answer = await _ask(connection, QUESTION, None)
        tools = tools_of(connection.config, connection.info)
        call = None if tools == "text" else await _ask(connection, CALL_QUESTION, ADD)
        return Trial(
            provider=connection.ref.provider,
            base_url=connection.ref.base_url,
            model=connection.ref.model,
            why=connection.ref.why,
            profile=connection.profile.name,
            window=window,
            window_origin=window_origin,
            tools=tools,
            answer=answer,
            call=call,
        )


async def _nothing(arguments: Mapping[str, Any], context: object) -> ToolResult:
    return ToolResult(text="")  # The call is only looked at.


ADD = Tool(
    name="add",
    description="Add two whole numbers.",
    schema={
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    },
    run=_nothing,
    effects=frozenset(),
)


async def _ask(connection: Connection, question: str, tool: Tool | None) -> Outcome:
    settings = connection.config.settings
    request = ModelRequest(
        model=connection.ref.model,
        messages=(
            Message(role="system", text="You are a helpful assistant. Be brief."),
            Message(role="user", text=question),
        ),
        turn=Turn(question=question, first=0),
        tools=(tool,) if tool else (),
        sampling=settings.sampling,
        max_tokens=min(settings.max_tokens, MAX_TOKENS),
        thinking=settings.thinking,
        extra=settings.extra_body,
    )
    start = time.perf_counter()
    first = 0.0
    done: MessageDone | None = None
    async with aclosing(connection.provider.stream(request)) as events:
        async for event in events:
            if isinstance(event, TextDelta | ThinkingDelta | ToolCallDelta) and not first:
                first = time.perf_counter() - start
            elif isinstance(event, Notice):
                say(event.text)
            elif isinstance(event, MessageDone):
                done = event
    if done is None:
        raise ProtocolError("the server's answer ended without an end")
    total = time.perf_counter() - start
    ok, what = _call(done) if tool else _answer(done)
    return Outcome(
        ok=ok,
        what=what,
        first_s=round(first or total, 3),
        total_s=round(total, 3),
        prompt_tokens=done.usage.prompt_tokens,
        completion_tokens=done.usage.completion_tokens,
    )


def _answer(done: MessageDone) -> tuple[bool, str]:
    if text := " ".join(done.message.text.split()):
        return True, _short(text)
    if done.message.thinking.strip():
        return True, f"thoughts, and no answer within {MAX_TOKENS} tokens"
    return False, "nothing: the answer is empty"


def _call(done: MessageDone) -> tuple[bool, str]:
    for call in done.message.calls:
        arguments = ", ".join(f"{key}={value}" for key, value in call.arguments.items())
        if call.name != ADD.name or call.raw is not None or ADD.faults(call.arguments):
            return False, _short(f"a call that cannot run: {call.name}({call.raw or arguments})")
        return True, _short(f"{call.name}({arguments})")
    said = done.message.text or done.message.thinking
    cure = "if that stays so, `tool_mode: text` puts tools into the prompt"
    return False, f"no call, but {_short(' '.join(said.split())) or 'nothing'!r}; {cure}"


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"
