"""The provider for every server that speaks OpenAI's chat completions."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager, suppress
from urllib.parse import urlsplit, urlunsplit

from minime_core.config import Config
from minime_core.errors import (
    ConnectionFailed,
    ProtocolError,
    ProviderError,
    StatusError,
)
from minime_core.events import ModelEvent, Notice
from minime_core.messages import clean_text
from minime_core.models import ModelInfo, ModelRef, ModelRequest
from minime_providers.address import checked_url, is_local
from minime_providers.answer import AnswerReader
from minime_providers.causes import Explainer, refused_fields
from minime_providers.http import Client, Response
from minime_providers.keys import find_key
from minime_providers.listing import chat_models, file_name
from minime_providers.presets import Preset
from minime_providers.wire import Serialiser

LINGER = 2.0
"""Seconds to wait for what may follow a complete answer: counts come at once or never."""
INFO_TIMEOUT = 10.0
"""Seconds to wait for what a server tells of its model, or for the reason of a refusal."""
MAX_INFO = 8 << 20
"""Most bytes of that; it may hold a chat template."""
MAX_REASON = 64 << 10
"""Most bytes of the reason of a refusal."""


class OpenAIProvider:
    """One server, over one kept-alive client. Its methods are those of `models.Provider`."""

    def __init__(self, preset: Preset, config: Config, ref: ModelRef) -> None:
        url = checked_url(ref.base_url or preset.base_url)
        key = find_key(config.settings, preset, url)
        self.name = preset.name
        self._preset = preset
        self._url = url
        self._model = ref.model
        self._client = Client(url, {"authorization": f"Bearer {key}"} if key else {})
        self._explain = Explainer(preset=preset, url=url, secret=key)
        self._serialiser = Serialiser(preset.extra)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Ask; and again without them when the server refuses optional fields by name."""
        left_out: set[str] = set()
        while True:
            try:
                async with aclosing(self._attempt(request)) as events:
                    async for event in events:
                        yield event
                return
            except StatusError as error:
                refused = self._refused_fields(request, error)
                if not refused:
                    # What did not help is not remembered.
                    self._serialiser.restore(left_out)
                    raise
            self._serialiser.drop(refused)
            left_out |= refused
            if set_by_user := sorted(refused & {*request.sampling, *request.extra}):
                text = f"{self._url} refuses {', '.join(set_by_user)}: asking without"
                yield Notice("warning", text, self.name)

    async def info(self) -> ModelInfo:
        """Ask llama.cpp's `/props`, else the list of models."""
        if self._preset.has_props or is_local(self._url):
            info = _info_from_props(await self._props(), self._model)
            if info is not None:
                return info
        if self._model:
            return ModelInfo(model=self._model)
        models = chat_models(await self._get(f"{self._url}/models"))
        if not models:
            raise ProtocolError(
                f"{self._url} lists no model: load one, or name it with --model", provider=self.name
            )
        return ModelInfo(model=models[0])

    async def is_up(self) -> bool:
        """Return whether anything answers, be it a refusal."""
        try:
            async with (
                asyncio.timeout(INFO_TIMEOUT),
                self._client.open("GET", f"{self._url}/models"),
            ):
                return True
        except (ConnectionFailed, TimeoutError):
            return False

    async def aclose(self) -> None:
        await self._client.aclose()

    async def _attempt(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        body = self._serialiser.body(request)
        reader = AnswerReader(self._explain, request.model)
        with self._naming(request.model):
            async with self._client.open("POST", f"{self._url}/chat/completions", body) as response:
                if response.status != 200:
                    raise await self._refusal(response, request.model)
                async with aclosing(response.chunks()) as chunks:
                    async for chunk in chunks:
                        for event in reader.feed(chunk):
                            yield event
                        if reader.is_over:
                            break
                    for event in await _rest(chunks, reader):
                        yield event
            for event in reader.end():
                yield event

    async def _refusal(self, response: Response, model: str) -> ProviderError:
        body = b""
        # The status says enough when the reason does not come.
        with suppress(TimeoutError, ProviderError):
            async with asyncio.timeout(INFO_TIMEOUT):
                body = await response.body(MAX_REASON)
        wait = response.headers.get("retry-after", "")
        retry_after = float(wait) if re.fullmatch(r"\d{1,9}(\.\d+)?", wait) else None
        text = clean_text(body.decode("utf-8", "replace"))
        return self._explain.status(response.status, text, model, retry_after)

    def _refused_fields(self, request: ModelRequest, error: StatusError) -> set[str]:
        if error.status not in (400, 422):
            return set()
        return refused_fields(error.body) & self._serialiser.optional_fields(request)

    async def _props(self) -> object:
        """Return llama.cpp's `/props`, None where there is no such page."""
        parts = urlsplit(self._url)
        path = f"{parts.path.removesuffix('/v1')}/props"
        try:
            return await self._get(urlunsplit((parts.scheme, parts.netloc, path, "", "")))
        except StatusError as error:
            if error.status in (401, 503):
                raise
        except ProtocolError:
            pass
        return None

    async def _get(self, url: str) -> object:
        """Return the JSON at `url`. Raises ProviderError."""
        with self._naming(self._model):
            try:
                async with asyncio.timeout(INFO_TIMEOUT), self._client.open("GET", url) as response:
                    if response.status != 200:
                        raise await self._refusal(response, self._model)
                    body = await response.body(MAX_INFO)
            except TimeoutError as error:
                raise ConnectionFailed(f"no answer within {INFO_TIMEOUT:.0f} s") from error
            try:
                value: object = json.loads(body)
            except (ValueError, RecursionError):
                # The cause would carry the body, and with it perhaps the key.
                raise self._explain.garbage(body) from None
            return value

    @contextmanager
    def _naming(self, model: str) -> Iterator[None]:
        """Complete the errors that leave here: which provider, which model, which cure."""
        try:
            yield
        except ProviderError as error:
            failure = error
            if isinstance(error, ConnectionFailed):
                failure = self._explain.connection(error)
            failure.provider, failure.model = self.name, model
            if failure is error:
                raise
            raise failure from error


async def _rest(chunks: AsyncGenerator[bytes, None], reader: AnswerReader) -> list[ModelEvent]:
    """Read what follows a complete answer, so that the connection is kept."""
    events: list[ModelEvent] = []
    # The answer is complete: however this goes, nothing is lost.
    with suppress(TimeoutError, ProviderError):
        async with asyncio.timeout(LINGER):
            async for chunk in chunks:
                events.extend(reader.feed(chunk))
    return events


def _info_from_props(props: object, model: str) -> ModelInfo | None:
    caps = props.get("chat_template_caps") if isinstance(props, dict) else None
    if not isinstance(props, dict) or not isinstance(caps, dict):
        return None
    names = (model, props.get("model_alias"), props.get("model_path"))
    name = next((name for name in names if name and isinstance(name, str)), "")
    if not name:
        return None
    settings = props.get("default_generation_settings")
    window = settings.get("n_ctx") if isinstance(settings, dict) else None
    return ModelInfo(
        model=model or file_name(name),
        window=window if type(window) is int and window > 0 else None,
        window_origin="/props",
        renders_tools=bool(caps.get("supports_tools")),
    )
