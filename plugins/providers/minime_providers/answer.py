"""The body of one answer: bytes in, cut anywhere; events out, or the error that it is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from minime_core.errors import ProtocolError, ProviderError, StreamCut
from minime_core.events import Heartbeat, ModelEvent, TextDelta, ThinkingDelta
from minime_providers.assemble import Assembler
from minime_providers.causes import Explainer
from minime_providers.sse import Decoder

_BLANK = b" \t\r\n\xef\xbb\xbf"
"""White space, and the byte order mark."""


def together(events: Iterable[ModelEvent]) -> Iterator[ModelEvent]:
    """Join neighbouring pieces of text: what arrived at once is one event for all who see it.

    Raises what `events` raises.
    """
    kind: type[TextDelta] | type[ThinkingDelta] | None = None
    texts: list[str] = []
    try:
        for event in events:
            if kind is not None and type(event) is not kind:
                yield kind("".join(texts))
                texts, kind = [], None
            if isinstance(event, TextDelta | ThinkingDelta):
                kind = type(event)
                texts.append(event.text)
            else:
                yield event
    except ProviderError:
        # What came before the fault is seen all the same.
        if kind is not None:
            yield kind("".join(texts))
        raise
    if kind is not None:
        yield kind("".join(texts))


class AnswerReader:
    """Reads a stream of events, or the one JSON document of a server that does not stream.

    Which of them it is shows in the first byte: content types lie.
    """

    def __init__(self, explain: Explainer, model: str) -> None:
        self._explain = explain
        self._model = model
        self._assembler = Assembler()
        self._decoder = Decoder()
        self._start = b""
        self._document: bytearray | None = None
        self._has_events = False
        self._is_done = False

    @property
    def is_over(self) -> bool:
        """Whether the server has said that the answer is complete; counts may follow."""
        return self._is_done or bool(self._assembler.finish_reason)

    def feed(self, chunk: bytes) -> Iterator[ModelEvent]:
        """Yield the events that `chunk` completes. Raises ProviderError."""
        if not self._start:
            chunk = chunk.lstrip(_BLANK)
            self._start = chunk[:200]
            if chunk[:1] in (b"{", b"[", b"<"):
                self._document = bytearray()
        if self._document is not None:
            self._document += chunk
            yield Heartbeat()
            return
        for data in self._decoder.feed(chunk):
            yield from self._event(data)

    def end(self) -> Iterator[ModelEvent]:
        """Yield the last events; `MessageDone` is the last of them.

        Raises StreamCut when the answer is not complete, and ProviderError as `feed` does.
        """
        if self._document is not None:
            yield from self._assemble(self._document)
            self._is_done = True
        for data in self._decoder.end():
            yield from self._event(data)
        if not self.is_over:
            if self._start and not self._has_events:
                raise self._explain.garbage(self._start)
            raise StreamCut("the server broke off in the middle of its answer")
        if not self._assembler.has_begun:
            raise self._explain.garbage(self._start)
        yield self._assembler.done()

    def _event(self, data: bytes) -> list[ModelEvent]:
        self._has_events = True
        if self._is_done:
            return []
        if not data:
            return [Heartbeat()]
        if data == b"[DONE]":
            self._is_done = True
            return []
        try:
            return self._assemble(data)
        except ProviderError:
            # What follows a complete answer cannot spoil it.
            if not self.is_over:
                raise
            return []

    def _assemble(self, data: bytes | bytearray) -> list[ModelEvent]:
        try:
            chunk = self._json(data)
            if isinstance(chunk, dict) and (chunk.get("error") or chunk.get("object") == "error"):
                raise self._explain.event(chunk, self._model)
            return self._assembler.feed(chunk)
        except RecursionError as error:
            raise ProtocolError("the server sent JSON that is nested too deeply") from error

    def _json(self, data: bytes | bytearray) -> object:
        try:
            value: object = json.loads(data.decode("utf-8", "replace"))
        except ValueError:
            # The cause would carry the body, and with it perhaps the key.
            raise self._explain.garbage(bytes(data[:4096])) from None
        return value
