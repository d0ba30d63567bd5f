"""How large the window is, as each kind of server tells it, with no more requests than it takes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_core.config import Config
from minime_core.models import ModelInfo, ModelRef
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import status
from minime_providers.openai import OpenAIProvider
from minime_providers.presets import PRESETS
from minime_providers.windows import OWN_WAYS, Window, of_listed

MODEL = "ai/qwen3:latest"


def provider(server: FaultServer, preset: str, path: str = "/v1") -> OpenAIProvider:
    ref = ModelRef(provider=preset, model=MODEL, base_url=server.url + path)
    return OpenAIProvider(PRESETS[preset], Config([]), ref)


def info(server: FaultServer, preset: str, path: str = "/v1") -> ModelInfo:
    async def run() -> ModelInfo:
        asked = provider(server, preset, path)
        try:
            return await asked.info()
        finally:
            await asked.aclose()

    return asyncio.run(run())


def window(server: FaultServer, preset: str, path: str = "/v1") -> tuple[int | None, str]:
    found = info(server, preset, path)
    return found.window, found.window_origin


def asked(server: FaultServer) -> list[str]:
    return [request.path for request in server.requests]


def test_ollama_tells_what_a_loaded_model_has(server: FaultServer) -> None:
    server.routes["GET /api/ps"] = {
        "models": [
            {"name": "other", "model": "other", "context_length": 2048},
            {"name": "ai/qwen3", "model": "ai/qwen3:latest", "context_length": 8192},
        ]
    }
    assert window(server, "ollama") == (8192, "/api/ps")
    assert asked(server) == ["/api/ps", "/api/show"]


def test_ollama_tells_what_a_model_is_set_up_with(server: FaultServer) -> None:
    server.routes["GET /api/ps"] = {"models": []}
    parameters = 'stop    "<|im_end|>"\nnum_ctx                        16384\ntemperature 0.6'
    server.routes["POST /api/show"] = {
        "parameters": parameters,
        "model_info": {"qwen3.context_length": 40960},
    }
    assert window(server, "ollama") == (16384, "num_ctx of /api/show")
    assert server.requests[-1].json == {"model": MODEL}


def test_the_length_that_a_model_was_trained_with_is_not_its_window(server: FaultServer) -> None:
    server.routes["GET /api/ps"] = {"models": []}
    server.routes["POST /api/show"] = {"model_info": {"qwen3.context_length": 40960}}
    assert window(server, "ollama") == (None, "")
    entry = {"id": MODEL, "state": "not-loaded", "max_context_length": 131072}
    server.routes["GET /api/v0/models"] = {"data": [entry]}
    assert window(server, "lmstudio") == (None, "")


def test_lm_studio_tells_the_length_that_was_loaded(server: FaultServer) -> None:
    entry = {"id": MODEL, "max_context_length": 131072, "loaded_context_length": 4096}
    server.routes["GET /api/v0/models"] = {"data": [{"id": "other"}, entry]}
    assert window(server, "lmstudio") == (4096, "/api/v0/models")
    assert asked(server) == ["/api/v0/models"]


def test_vllm_tells_it_in_its_list_of_models(server: FaultServer) -> None:
    entries = [{"id": "other", "max_model_len": 1}, {"id": MODEL, "max_model_len": 32768}]
    server.routes["GET /v1/models"] = {"data": entries}
    assert window(server, "vllm") == (32768, "/models")
    assert asked(server) == ["/v1/models"]


@pytest.mark.parametrize("path", ["/engines/v1", "/engines/llama.cpp/v1"])
def test_docker_model_runner_tells_how_a_model_was_configured(
    server: FaultServer, path: str
) -> None:
    entry = {"Backend": "llama.cpp", "Model": MODEL, "Config": {"context-size": 8192}}
    server.routes["GET /engines/_configure"] = [entry]
    assert window(server, "dmr", path) == (8192, "/engines/_configure")
    assert asked(server) == ["/engines/_configure?model=ai%2Fqwen3%3Alatest"]


def test_docker_model_runner_tells_how_a_model_was_packaged(server: FaultServer) -> None:
    server.routes["GET /engines/_configure"] = []
    server.routes["GET /models/ai/qwen3%3Alatest"] = {"config": {"context_size": 2096}}
    assert window(server, "dmr", "/engines/v1") == (2096, "/models/ai/qwen3:latest")


def test_docker_model_runner_may_tell_it_in_its_list(server: FaultServer) -> None:
    server.routes["GET /engines/_configure"] = [{"Config": {"context-size": None}}]
    listed = {"data": [{"id": "other"}, {"id": MODEL, "meta": {"n_ctx": 6144}}]}
    server.routes["GET /engines/v1/models"] = listed
    assert window(server, "dmr", "/engines/llama.cpp/v1") == (6144, "/models")


def test_llama_swap_is_not_made_to_load_a_model(server: FaultServer) -> None:
    server.routes["GET /running"] = {"running": []}
    assert window(server, "llamaswap") == (None, "")
    server.routes["GET /running"] = {"running": [{"model": MODEL, "state": "ready"}]}
    props = {"default_generation_settings": {"n_ctx": 12288}}
    server.routes["GET /upstream/ai/qwen3%3Alatest/props"] = props
    assert window(server, "llamaswap") == (12288, "/props")
    assert asked(server)[0] == "/running"
    assert len(server.requests) == 3


def test_a_server_of_llama_cpp_behind_any_address_tells_it_in_its_list(
    server: FaultServer,
) -> None:
    server.routes["GET /props"] = status(404)
    assert window(server, "openai") == (4096, "/models")


@pytest.mark.parametrize("preset", OWN_WAYS)
def test_a_server_without_such_pages_leaves_it_unknown(server: FaultServer, preset: str) -> None:
    found = info(server, preset)
    assert (found.model, found.window) == (MODEL, None)
    assert found.window_help


@pytest.mark.parametrize("preset", OWN_WAYS)
def test_a_server_that_is_busy_or_broken_leaves_it_unknown(
    server: FaultServer, preset: str
) -> None:
    for page in ("GET /api/ps", "GET /api/v0/models", "GET /engines/_configure", "GET /running"):
        server.routes[page] = status(503)
    assert info(server, preset).window is None


@pytest.mark.parametrize("preset", ["ollama", "dmr", "lmstudio", "vllm", "llamacpp"])
def test_the_user_is_told_how_to_see_and_set_it(server: FaultServer, preset: str) -> None:
    text = info(server, preset).window_help
    assert text.endswith(" sets it")
    assert "{" not in text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["models", "data", "running", "id", "name", "model", "meta", "aliases", "Config",
             "config", "context_length", "loaded_context_length", "context-size", "context_size",
             "parameters", "default_generation_settings", "n_ctx", "max_model_len"]
        ),
        inner, max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@given(JSON, st.sampled_from(sorted(OWN_WAYS)))
def test_whatever_a_server_answers_the_window_is_a_number_or_unknown(
    answer: Any, name: str
) -> None:
    async def ask(path: str, body: object = None) -> object:
        return answer

    async def told() -> Window | None:
        return await OWN_WAYS[name](ask, "")

    for found in (asyncio.run(told()), of_listed(answer, "")):
        assert found is None or 0 < found.tokens < 1 << 40


def count(server: FaultServer, preset: str, text: str) -> int | None:
    async def run() -> int | None:
        asked = provider(server, preset)
        try:
            return await asked.count_tokens(text)
        finally:
            await asked.aclose()

    return asyncio.run(run())


def test_a_text_is_counted_by_the_server(server: FaultServer) -> None:
    assert count(server, "llamacpp", "x" * 10) == 3
    assert server.requests[0].json["content"] == "x" * 10
    server.routes["POST /tokenize"] = {"count": 2, "tokens": [5, 7]}
    assert count(server, "vllm", "Hello world") == 2
    assert server.requests[1].json["prompt"] == "Hello world"


@pytest.mark.parametrize("answer", [status(404), status(500), {"tokens": 5}, [], None])
def test_a_text_that_cannot_be_counted_is_no_failure(server: FaultServer, answer: Any) -> None:
    server.routes["POST /tokenize"] = answer
    assert count(server, "llamacpp", "x") is None


def test_servers_that_cannot_count_are_not_asked(server: FaultServer) -> None:
    assert count(server, "ollama", "x") is None
    assert server.requests == []
