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
    extra: fields for each request.
    has_props: whether `GET /props` tells of the model (llama.cpp).
    """

    name: str
    summary: str
    base_url: str
    start: str = ""
    fetch: str = ""
    key_env: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    has_props: bool = False


# Default ports: llama.cpp tools/server/README; Docker Model Runner docs; Ollama FAQ; LM Studio docs
# "Local server"; vLLM "OpenAI-compatible server".
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
        ),
        Preset(
            name="dmr",
            summary="Docker Model Runner",
            base_url="http://127.0.0.1:12434/engines/v1",
            start="docker desktop enable model-runner --tcp 12434",
            fetch="docker model pull",
            extra={"return_progress": True},
        ),
        Preset(
            name="ollama",
            summary="Ollama",
            base_url="http://127.0.0.1:11434/v1",
            start="ollama serve",
            fetch="ollama pull",
        ),
        Preset(
            name="lmstudio",
            summary="LM Studio",
            base_url="http://127.0.0.1:1234/v1",
            start="lms server start",
            fetch="lms get",
        ),
        Preset(
            name="vllm",
            summary="vLLM",
            base_url="http://127.0.0.1:8000/v1",
            start="vllm serve MODEL",
        ),
        Preset(
            name="openai",
            summary="any OpenAI-compatible API",
            base_url="https://api.openai.com/v1",
            key_env="OPENAI_API_KEY",
        ),
    )
}
