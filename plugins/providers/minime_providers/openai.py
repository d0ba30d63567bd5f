"""The provider for every server that speaks OpenAI's chat completions."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing, contextmanager, suppress
from dataclasses import replace
from typing import Any

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
from minime_providers import abilities
from minime_providers.address import checked_url, is_local
from minime_providers.answer import AnswerReader, together
from minime_providers.causes import Explainer, refused_fields
from minime_providers.http import Client, Response
from minime_providers.keys import find_key
from minime_providers.listing import chat_models, file_name
from minime_providers.presets import Preset
from minime_providers.windows import OWN_WAYS, of_listed
from minime_providers.wire import Serialiser

LINGER = 2.0
"""Seconds to wait for what may follow a complete answer: counts come at once or never."""
INFO_TIMEOUT = 10.0
"""Seconds to wait for what a server tells of its model, or for the reason of a refusal."""
MAX_INFO = 8 << 20
"""Most bytes of that; it may hold a chat template."""
MAX_REASON = 64 << 10
"""Most bytes of the reason of a refusal."""

# `/engines/v1` and `/engines/llama.cpp/v1` are Docker Model Runner's.
_ROOT = re.compile(r"(?:/engines(?:/[^/]+)?)?/v1$")


class OpenAIProvider:
    """One server, over one kept-alive client. Its methods are those of `models.Provider`."""

    def __init__(self, preset: Preset, config: Config, ref: ModelRef) -> None:
        url = checked_url(ref.base_url or preset.base_url)
        key = find_key(config, preset, url)
        self.name = preset.name
        self._preset = preset
        self._url = url
        self._root = _ROOT.sub("", url)
        self._model = ref.model
        self._client = Client(url, {"authorization": f"Bearer {key}"} if key else {})
        self._explain = Explainer(preset=preset, url=url, secret=key)
        self._serialiser = Serialiser(preset.extra, keeps_thinking=config.settings.keep_thinking)

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
        """Ask llama.cpp's `/props`, else the list of models, and what tells the window."""
        own_way = OWN_WAYS.get(self.name)
        # Any server may stand behind an address of this machine.
        if self._preset.has_props or (self.name == "openai" and is_local(self._url)):
            info = _info_from_props(await self._props(), self._model)
            if info is not None:
                return replace(info, window_help=self._window_help(info.model))
        listed = await self._listed(tells_window=own_way is None)
        model = self._model or self._first(listed)
        ask = abilities.asking_once(self._ask)
        window = await own_way(ask, model) if own_way else of_listed(listed, model)
        ability = abilities.OWN_WAYS.get(self.name)
        able = await ability(ask, model) if ability else abilities.Abilities()
        return ModelInfo(
            model=model,
            window=window.tokens if window else None,
            window_origin=window.origin if window else "",
            window_help=self._window_help(model),
            renders_tools=able.renders_tools,
            sees_images=able.sees_images,
        )

    async def count_tokens(self, text: str) -> int | None:
        """Count by `/tokenize`, as llama.cpp and vLLM have it."""
        if not self._preset.has_tokenize:
            return None
        body = {"content": text, "model": self._model, "prompt": text}
        try:
            told = await self._ask("/tokenize", body)
        except ProviderError:
            return None
        tokens = told.get("tokens") if isinstance(told, dict) else None
        return len(tokens) if isinstance(tokens, list) else None

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
                        for event in together(reader.feed(chunk)):
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
        try:
            return await self._get(f"{self._root}/props")
        except StatusError as error:
            if error.status in (401, 503):
                raise
        except ProtocolError:
            pass
        return None

    async def _listed(self, *, tells_window: bool) -> object:
        """Return the list of models; None when neither a model nor a window is looked for."""
        if not self._model:
            return await self._get(f"{self._url}/models")
        # OpenAI's own list is long and tells no windows.
        if not tells_window or (self.name == "openai" and self._url == self._preset.base_url):
            return None
        with suppress(StatusError, ProtocolError):
            return await self._get(f"{self._url}/models")
        return None

    def _first(self, listed: object) -> str:
        models = chat_models(listed)
        if not models:
            raise ProtocolError(
                f"{self._url} lists no model: load one, or name it with --model", provider=self.name
            )
        return models[0]

    def _window_help(self, model: str) -> str:
        return self._preset.window_help.format(root=self._root, model=model)

    async def _ask(self, path: str, body: Mapping[str, Any] | None = None) -> object:
        """Return the JSON at `path`, counted from the server's root; None where there is none."""
        try:
            return await self._get(self._root + path, body)
        except StatusError as error:
            if error.status == 401:
                raise
        except ProtocolError:
            pass
        return None

    async def _get(self, url: str, posted: Mapping[str, Any] | None = None) -> object:
        """Return the JSON at `url`, where `posted` may have to be sent. Raises ProviderError."""
        content = None if posted is None else json.dumps(posted).encode()
        method = "GET" if content is None else "POST"
        with self._naming(self._model):
            try:
                async with (
                    asyncio.timeout(INFO_TIMEOUT),
                    self._client.open(method, url, content) as response,
                ):
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
    able = abilities.in_props(props)
    if not isinstance(props, dict) or able.renders_tools is None:
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
        renders_tools=able.renders_tools,
        sees_images=able.sees_images,
    )
