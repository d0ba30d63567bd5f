"""The provider for every server that speaks OpenAI's chat completions."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from minime_core.config import Config
from minime_core.errors import (
    ConfigError,
    ConnectionFailed,
    ProtocolError,
    ProviderError,
    StatusError,
    StreamCut,
)
from minime_core.events import Heartbeat, ModelEvent
from minime_core.messages import clean_text
from minime_core.models import ModelInfo, ModelRef, ModelRequest

from minime_providers.assemble import Assembler
from minime_providers.causes import Explainer
from minime_providers.http import Client, Response, is_local
from minime_providers.keys import find_key
from minime_providers.presets import Preset
from minime_providers.sse import Decoder, ServerEvent
from minime_providers.wire import Serialiser

LINGER = 2.0
"""Seconds to wait for what may follow a complete answer."""
INFO_TIMEOUT = 10.0
"""Seconds to wait for what a server tells of its model."""


class OpenAIProvider:
    """One server, over one kept-alive client."""

    def __init__(self, preset: Preset, config: Config, ref: ModelRef) -> None:
        url = (ref.base_url or preset.base_url).rstrip("/")
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
            raise ConfigError(f"base_url is {url!r}; it has to be like http://127.0.0.1:8080/v1")
        key = find_key(config.settings, preset, url)
        self.name = preset.name
        self._preset = preset
        self._url = url
        self._model = ref.model
        self._client = Client(url, {"authorization": f"Bearer {key}"} if key else {})
        self._explain = Explainer(preset, url, ref.model)
        self._serialiser = Serialiser(preset.extra)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Ask the model. See `models.Provider`."""
        try:
            refused = False
            async with aclosing(self._attempt(request)) as events:
                async for event in events:
                    yield event
        except StatusError as error:
            refused = self._drop_refused_fields(request, error)
            if not refused:
                raise
        if refused:
            async with aclosing(self._attempt(request)) as events:
                async for event in events:
                    yield event

    async def _attempt(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        body = self._serialiser.body(request)
        try:
            async with self._client.open("POST", f"{self._url}/chat/completions", body) as response:
                if response.status != 200:
                    raise await self._error(response)
                async with aclosing(self._events(response)) as events:
                    async for event in events:
                        yield event
        except ConnectionFailed as error:
            raise self._explain.connection(error) from error

    async def _events(self, response: Response) -> AsyncGenerator[ModelEvent, None]:
        assembler = Assembler()
        if "event-stream" not in response.headers.get("content-type", ""):
            for event in assembler.feed(_json(await response.text(), "an answer")):
                yield event
            yield assembler.done()
            return
        decoder, is_over = Decoder(), False
        try:
            async with aclosing(response.chunks()) as chunks:
                while (chunk := await _next(chunks, is_over or assembler.finish_reason)) is not None:
                    for sent in decoder.feed(chunk):
                        is_over = is_over or sent.data == b"[DONE]"
                        for event in () if is_over else self._read(sent, assembler):
                            yield event
            for sent in decoder.end():
                for event in self._read(sent, assembler):
                    yield event
        except StreamCut:
            # A connection that breaks after the server said that it is done has lost nothing.
            if not (is_over or assembler.finish_reason):
                raise
        if not (is_over or assembler.finish_reason):
            raise StreamCut(
                f"{self._url} broke off in the middle of its answer",
                provider=self.name,
                model=self._model,
            )
        yield assembler.done()

    def _read(self, sent: ServerEvent, assembler: Assembler) -> list[ModelEvent]:
        if sent.field == "comment":
            return [Heartbeat()]
        if sent.field == "error":
            raise self._explain.event(sent.data.decode("utf-8", "replace"))
        if not sent.data or sent.data == b"[DONE]":
            return []
        chunk = _json(sent.data.decode("utf-8", "replace"), "a chunk of an answer")
        if isinstance(chunk, dict) and chunk.get("error"):
            raise self._explain.event(chunk)
        return list(assembler.feed(chunk))

    async def _error(self, response: Response) -> ProviderError:
        wait = response.headers.get("retry-after", "")
        retry_after = float(wait) if re.fullmatch(r"\d+(\.\d+)?", wait) else None
        body = await response.text(limit=1 << 16)
        return self._explain.status(response.status, clean_text(body), retry_after)

    def _drop_refused_fields(self, request: ModelRequest, error: StatusError) -> bool:
        """Drop the fields that the server names in its refusal; tell whether there were any."""
        if error.status not in (400, 422):
            return False
        words = set(re.findall(r"[a-z_]+", error.body.lower()))
        named = words & self._serialiser.optional_fields(request)
        self._serialiser.drop(named)
        return bool(named)

    async def info(self) -> ModelInfo:
        """Ask llama.cpp's `/props`, else the list of models."""
        if self._preset.has_props or is_local(self._url):
            props = await self._get(f"{self._root()}/props")
            if isinstance(props, dict) and isinstance(props.get("chat_template_caps"), dict):
                return _info_from_props(props, self._model)
        if self._model:
            return ModelInfo(model=self._model)
        models = await self._get(f"{self._url}/models")
        listed = models.get("data") if isinstance(models, dict) else None
        for entry in listed if isinstance(listed, list) else ():
            if isinstance(entry, dict) and isinstance(entry.get("id"), str):
                return ModelInfo(model=entry["id"])
        raise ProtocolError(
            f"{self._url} lists no model: load one, or name it with --model", provider=self.name
        )

    async def _get(self, url: str) -> object:
        """Return the JSON at `url`, None when the server has no such page."""
        try:
            async with self._client.open("GET", url, timeout=INFO_TIMEOUT) as response:
                if response.status in (404, 405, 501):
                    return None
                if response.status != 200:
                    raise await self._error(response)
                return _json(await response.text(), "JSON")
        except ConnectionFailed as error:
            raise self._explain.connection(error) from error

    def _root(self) -> str:
        parts = urlsplit(self._url)
        return urlunsplit((parts.scheme, parts.netloc, parts.path.removesuffix("/v1"), "", ""))

    async def aclose(self) -> None:
        await self._client.aclose()


async def _next(chunks: AsyncGenerator[bytes, None], is_over: object) -> bytes | None:
    """Return the next chunk, None at the end.

    The rest of a body is read so that the connection is kept, but not waited for when the answer
    is over: counts follow it at once or never.
    """
    if not is_over:
        return await anext(chunks, None)
    try:
        async with asyncio.timeout(LINGER):
            return await anext(chunks, None)
    except TimeoutError:
        return None


def _json(text: str, expected: str) -> object:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        start = " ".join(clean_text(text[:60]).split())
        raise ProtocolError(f"the server sent {start!r} where {expected} was expected") from error
    return value


def _info_from_props(props: dict[str, Any], model: str) -> ModelInfo:
    settings = props.get("default_generation_settings")
    window = settings.get("n_ctx") if isinstance(settings, dict) else None
    path = props.get("model_alias") or props.get("model_path") or ""
    return ModelInfo(
        model=model or str(path).replace("\\", "/").rpartition("/")[2],
        window=window if isinstance(window, int) and window > 0 else None,
        window_origin="/props",
        renders_tools=bool(props["chat_template_caps"].get("supports_tools")),
    )
