"""Servers that are known by name: one protocol, different addresses and habits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A kind of server.

    base_url: where it listens when nothing else is said.
    start: the command that starts it, for the message when it does not answer.
    fetch: the command that gets a model, for the message when it has none of that name.
    key_env: environment variable of its key; read for `base_url` alone.
    is_service: whether it has one address and many models, so that naming it means that address,
        and a model has to be named too.
    extra: fields for each request.
    has_props: whether `GET /props` tells of the model (llama.cpp).
    has_tokenize: whether `POST /tokenize` counts the tokens of a text (llama.cpp, vLLM).
    window_help: how the user sees and sets the window, as a clause; `{root}` stands for the
        server's address, `{model}` for the model.
    """

    name: str
    summary: str
    base_url: str
    start: str = ""
    fetch: str = ""
    key_env: str = ""
    is_service: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)
    has_props: bool = False
    has_tokenize: bool = False
    window_help: str = ""


# Default ports: llama.cpp tools/server/README; the `docker run` lines of llama-swap's README (it
# shares 8080 with llama-server when it runs outside of a container); Docker Model Runner docs;
# Ollama FAQ; LM Studio docs "Local server"; vLLM "OpenAI-compatible server". Services: "Quickstart"
# of OpenRouter's docs, "OpenAI Compatibility" of Groq's.
PRESETS: Mapping[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            name="llamacpp",
            summary="llama-server of llama.cpp",
            base_url="http://127.0.0.1:8080/v1",
            start="llama-server --jinja -m MODEL.gguf",
            # llama.cpp then tells how far it has read a long prompt.
            extra={"return_progress": True},
            has_props=True,
            has_tokenize=True,
            window_help="`curl {root}/props` shows it as n_ctx, `llama-server -c 16384` sets it",
        ),
        Preset(
            name="llamaswap",
            summary="llama-swap",
            base_url="http://127.0.0.1:9292/v1",
            extra={"return_progress": True},
            window_help="`-c 16384` in the command of the model sets it",
        ),
        Preset(
            name="dmr",
            summary="Docker Model Runner",
            base_url="http://127.0.0.1:12434/engines/v1",
            start="docker desktop enable model-runner --tcp 12434",
            fetch="docker model pull",
            extra={"return_progress": True},
            window_help=(
                "`curl {root}/engines/_configure` shows it, "
                "`docker model configure --context-size 16384 {model}` sets it"
            ),
        ),
        Preset(
            name="ollama",
            summary="Ollama",
            base_url="http://127.0.0.1:11434/v1",
            start="ollama serve",
            fetch="ollama pull",
            window_help=(
                "`ollama ps` shows it, `OLLAMA_CONTEXT_LENGTH=16384 ollama serve` sets it"
            ),
        ),
        Preset(
            name="lmstudio",
            summary="LM Studio",
            base_url="http://127.0.0.1:1234/v1",
            start="lms server start",
            fetch="lms get",
            window_help="`lms ps` shows it, `lms load {model} --context-length 16384` sets it",
        ),
        Preset(
            name="vllm",
            summary="vLLM",
            base_url="http://127.0.0.1:8000/v1",
            start="vllm serve MODEL",
            has_tokenize=True,
            window_help=(
                "`curl {root}/v1/models` shows it as max_model_len, "
                "`vllm serve {model} --max-model-len 16384` sets it"
            ),
        ),
        Preset(
            name="openai",
            summary="any OpenAI-compatible API",
            base_url="https://api.openai.com/v1",
            key_env="OPENAI_API_KEY",
            window_help="the setting context_window tells it",
        ),
        Preset(
            name="openrouter",
            summary="OpenRouter",
            base_url="https://openrouter.ai/api/v1",
            key_env="OPENROUTER_API_KEY",
            is_service=True,
            window_help="the setting context_window tells it",
        ),
        Preset(
            name="groq",
            summary="Groq",
            base_url="https://api.groq.com/openai/v1",
            key_env="GROQ_API_KEY",
            is_service=True,
            window_help="the setting context_window tells it",
        ),
    )
}
