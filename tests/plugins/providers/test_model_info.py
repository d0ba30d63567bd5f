"""What a server tells of its model."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from minime_core.config import Config
from minime_core.errors import ConnectionFailed, ProtocolError, ProviderError, StatusError
from minime_core.models import ModelInfo, ModelRef
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import cut, html, raw, stall, status
from minime_core.testing.steps import Reply
from minime_providers import openai
from minime_providers.openai import OpenAIProvider
from minime_providers.presets import PRESETS


def info(server: FaultServer, preset: str = "llamacpp", model: str = "") -> ModelInfo:
    async def run() -> ModelInfo:
        ref = ModelRef(provider=preset, model=model, base_url=server.base_url)
        provider = OpenAIProvider(PRESETS[preset], Config([]), ref)
        try:
            return await provider.info()
        finally:
            await provider.aclose()

    return asyncio.run(run())


def test_llamacpp_tells_all_at_once(server: FaultServer) -> None:
    assert info(server) == ModelInfo(
        model="local-model",
        window=4096,
        window_origin="/props",
        window_help=f"`curl {server.url}/props` shows it as n_ctx, `llama-server -c 16384` sets it",
        renders_tools=True,
        sees_images=False,
    )
    assert [request.path for request in server.requests] == ["/props"]


def test_a_template_without_tools_is_told(server: FaultServer) -> None:
    server.routes["GET /props"]["chat_template_caps"]["supports_tools"] = False
    assert info(server).renders_tools is False


@pytest.mark.parametrize(
    ("alias", "path", "name"),
    [
        ("/models/qwen3-27b/file.gguf", "/models/qwen3-27b/file.gguf", "file.gguf"),
        (None, "C:\\models\\file.GGUF", "file.GGUF"),
        ("small", "/models/file.gguf", "small"),
        ("org/model:Q4", "", "org/model:Q4"),
        (5, ["x"], "local-model"),
        ("", "", "local-model"),
    ],
)
def test_a_model_is_named_without_its_folder(
    server: FaultServer, alias: Any, path: Any, name: str
) -> None:
    server.routes["GET /props"] |= {"model_alias": alias, "model_path": path}
    assert info(server).model == name


def test_a_model_that_was_named_keeps_its_name(server: FaultServer) -> None:
    assert info(server, model="mine").model == "mine"


NO_PROPS: list[Any] = [
    status(404),
    status(405),
    status(403, "forbidden"),
    status(500),
    html(),
    status(200, b"Ollama is running"),
    {"error": "Unexpected endpoint or method. (GET /props)"},
    {"chat_template_caps": "all"},
    [],
    None,
    raw(b"["),
    status(200, b"[" * 100_000),
]


@pytest.mark.parametrize("props", NO_PROPS)
@pytest.mark.parametrize("preset", ["llamacpp", "openai"])
def test_a_server_without_props_lists_its_models(
    server: FaultServer, props: Any, preset: str
) -> None:
    server.routes["GET /props"] = props
    found = info(server, preset)
    assert (found.model, found.renders_tools) == ("local-model", None)
    assert (found.window, found.window_origin) == (4096, "/models")


@pytest.mark.parametrize("window", [None, "4096", 0, -5, True, [4096]])
def test_a_window_that_is_none_is_unknown(server: FaultServer, window: Any) -> None:
    server.routes["GET /props"]["default_generation_settings"]["n_ctx"] = window
    found = info(server).window
    assert found is None


def test_models_that_only_embed_are_passed_over(server: FaultServer) -> None:
    server.routes["GET /props"] = status(404)
    names = ["text-embedding-nomic-embed-text-v1.5", "qwen3-8b", "gemma"]
    server.routes["GET /v1/models"] = {"data": [{"id": name} for name in names]}
    assert info(server).model == "qwen3-8b"


@pytest.mark.parametrize(
    "listed",
    [
        {"data": []},
        {"data": None},
        {"data": {}},
        {"data": [5, None, {"id": 5}, {"id": ""}, {}]},
        [],
        5,
        None,
        {"error": "no"},
    ],
)
def test_a_server_without_a_model_is_told(server: FaultServer, listed: Any) -> None:
    server.routes["GET /props"] = status(404)
    server.routes["GET /v1/models"] = listed
    with pytest.raises(ProtocolError, match="lists no model: load one, or name it with --model"):
        info(server)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (html(), ProtocolError),
        (status(200, b"\xff"), ProtocolError),
        (raw(b'{"data":') + cut(), ProviderError),
        (status(401), StatusError),
        (status(503, "Loading model"), StatusError),
    ],
)
def test_a_list_of_models_that_fails_is_told(
    server: FaultServer, answer: Reply, kind: type[ProviderError]
) -> None:
    server.routes["GET /props"] = status(404)
    server.routes["GET /v1/models"] = answer
    with pytest.raises(kind) as caught:
        info(server)
    assert caught.value.provider == "llamacpp"


@pytest.mark.parametrize("code", [401, 503])
def test_a_server_that_wants_a_key_or_still_loads_says_so_at_once(
    server: FaultServer, code: int
) -> None:
    server.routes["GET /props"] = status(code, "Loading model")
    with pytest.raises(StatusError):
        info(server)
    assert len(server.requests) == 1


def test_a_server_that_hangs_is_given_up(
    server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai, "INFO_TIMEOUT", 0.05)
    server.routes["GET /props"] = raw(b"{") + stall()
    with pytest.raises(ConnectionFailed, match="no answer within 0 s"):
        info(server)


def test_remote_servers_are_not_asked_for_props(
    server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai, "is_local", lambda url: False)
    assert info(server, "openai", model="mine").model == "mine"
    assert [request.path for request in server.requests] == ["/v1/models"]
