"""The loop of a turn: ask the model, run what it calls, hand back the results, until it answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from minime_core.errors import MinimeError, ProtocolError, ProviderError, TurnStopped
from minime_core.events import (
    Continue,
    Event,
    MessageDone,
    Notice,
    Retracted,
    TextDelta,
    ToolDone,
    TurnDone,
    to_json,
)
from minime_core.history import NO_ANSWER
from minime_core.messages import Message, Timings, ToolCall, Usage
from minime_core.models import with_note
from minime_core.plugins import is_failure
from minime_core.records import CANCELLED, Display, ErrorRecord
from minime_core.turn import Turn

if TYPE_CHECKING:
    from minime_core.session import Session

LIMIT_NOTE = (
    "No more tools can be called for this question. Summarise what you did and what remains."
)


async def run_turn(
    session: Session, question: str, images: tuple[str, ...] = ()
) -> AsyncGenerator[Event, None]:
    """Yield what happens from `question` to `TurnDone`.

    When the consumer leaves or is cancelled, the question is withdrawn from the view; a turn that
    fails stays in it.
    """
    turn = Turn(question=question, first=session.history.add_question(question, images))
    session.turn = turn
    try:
        async with aclosing(_rounds(session, turn)) as events:
            async for event in events:
                try:
                    yield event
                except GeneratorExit:
                    with session.host.reporting():
                        await events.aclose()
                    raise
    except TurnStopped as stop:
        _keep_partial_answer(session, turn)
        session.history.append(ErrorRecord(text=str(stop), model=session.ref.model))
        yield Notice("error", str(stop))
        yield TurnDone(reason=stop.reason)
    except MinimeError as error:
        _keep_partial_answer(session, turn)
        yield _failed(session, error)
    except BaseException as error:
        failure = session.host.failure(error) if is_failure(error) else None
        if failure is None:
            if not isinstance(error, Exception):
                session.history.withdraw(turn.first, CANCELLED)
            raise
        _keep_partial_answer(session, turn)
        yield _failed(session, failure)
    finally:
        session.turn = None
        session.file.sync()


def _keep_partial_answer(session: Session, turn: Turn) -> None:
    """Let the model see what the user saw of an answer that broke off."""
    text = _joined(turn.beginning, "".join(turn.shown))
    if text.strip():
        session.history.add_answer(Message(role="assistant", text=text))


def _joined(beginning: str, text: str) -> str:
    """Return two answers to one question as one text."""
    gap = "\n\n" if beginning.strip() and beginning[-1] not in " \n" and text else ""
    return beginning + gap + text


def _failed(session: Session, error: MinimeError) -> TurnDone:
    provider = error.provider if isinstance(error, ProviderError) else ""
    session.history.append(
        ErrorRecord(
            text=str(error), provider=provider or session.ref.provider, model=session.ref.model
        )
    )
    return TurnDone(reason="failed", error=error)


async def _rounds(session: Session, turn: Turn) -> AsyncGenerator[Event, None]:
    note = ""
    while True:
        is_last = turn.rounds >= session.settings.max_turns
        turn.rounds += 1
        request = session.request(turn, tool_choice="none" if is_last else "auto")
        if is_last:
            note = LIMIT_NOTE
        if note:
            request = with_note(request, note, turn.beginning)
        done: MessageDone | None = None
        again: Continue | None = None
        async with aclosing(session.call_model(request)) as events:
            async for event in events:
                for pending in session.take_pending():
                    yield pending
                if isinstance(event, TextDelta):
                    turn.shown.append(event.text)
                elif isinstance(event, MessageDone):
                    done = event
                elif isinstance(event, Retracted):
                    if not event.thinking_only:
                        turn.shown.clear()
                elif isinstance(event, Continue):
                    again = event
                    continue
                yield event
        for pending in session.take_pending():
            yield pending
        if done is None:
            raise ProtocolError("the server's answer ended without an end")
        text = _joined(turn.beginning, done.message.text)
        turn.shown.clear()
        # With tool_choice none a call may come all the same; it is not one.
        calls = () if is_last else done.message.calls
        if again is not None and not calls and not is_last:
            turn.beginning, note = text, again.note
            continue
        turn.beginning, note = "", ""
        message = replace(done.message, text=text, calls=())
        usage, timings = done.usage, done.timings
        if not calls:
            # Some servers take no empty message.
            answer = message if text.strip() else replace(message, text=NO_ANSWER)
            session.history.add_answer(answer, usage, timings)
            reason = turn.reason or (
                "limit" if is_last else "answered" if text.strip() else "empty"
            )
            yield TurnDone(reason=reason, text=text)
            return
        for call in calls:
            call = replace(call, id=session.history.new_call_id())
            session.history.add_answer(replace(message, calls=(call,)), usage, timings)
            message, usage, timings = Message(role="assistant"), Usage(), Timings()
            async with aclosing(_run_call(session, turn, call)) as happenings:
                async for happening in happenings:
                    yield happening


async def _run_call(session: Session, turn: Turn, call: ToolCall) -> AsyncGenerator[Event, None]:
    yield session.started(call)
    start = time.perf_counter()
    task = asyncio.ensure_future(session.call_tool(call))
    task.add_done_callback(lambda _: turn.outputs.put_nowait(None))
    try:
        while (output := await turn.outputs.get()) is not None:
            yield output
        result = task.result()
    except TurnStopped as stop:
        session.history.add_result(call, f"[{call.name}: {stop}]")
        raise
    finally:
        if not task.done():
            # The tool ends what it started before the turn is over.
            task.cancel()
            await asyncio.wait([task])
    session.history.add_result(call, result.text)
    for pending in session.take_pending():
        yield pending
    done = ToolDone(
        call_id=call.id,
        name=call.name,
        text=result.text,
        ok=result.ok,
        ran=result.ran,
        seconds=time.perf_counter() - start,
        diffs=result.diffs,
    )
    if done.diffs or not done.ok:
        # What the result's message does not tell whoever shows this session again.
        session.history.append(Display(event=to_json(replace(done, text=""))))
    yield done
