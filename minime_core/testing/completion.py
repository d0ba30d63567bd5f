"""One chat completion: its identity and the figures that llama-server gives with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .steps import Call, Finish

CREATED = 1796070278
BYTES_PER_TOKEN = 4


@dataclass(frozen=True)
class Completion:
    """What an answer must know of its request.

    Attributes:
        number: counts the completions of the server, for ids.
        model: the model's name.
        prompt_tokens: tokens of the request.
        stream: whether the request asks for a stream.
        include_usage: whether it asks for the usage at the end of the stream.
    """

    number: int
    model: str
    prompt_tokens: int
    stream: bool
    include_usage: bool

    def envelope(self, kind: str, choices: list[dict[str, Any]], **extra: Any) -> dict[str, Any]:
        """Put choices into a `chat.completion` or a `chat.completion.chunk`."""
        return {
            "choices": choices,
            "created": CREATED,
            "id": f"chatcmpl-{self.number}",
            "model": self.model,
            "system_fingerprint": "b0-unknown",
            "object": kind,
            **extra,
        }

    def call_id(self, call: Call, position: int) -> dict[str, str]:
        """Give the `id` of a call as an entry, or none if the call has no id."""
        if call.id is None:
            return {}
        return {"id": f"call_{self.number}_{position}" if call.id == "auto" else call.id}

    def figures(self, finish: Finish, deltas: int) -> dict[str, Any]:
        """Give `usage` and `timings`, as far as the closing of the answer wants them.

        Args:
            finish: the closing of the answer.
            deltas: how many deltas were sent, each of which counts as a token.
        """
        usage = finish.usage
        if not isinstance(usage, Mapping):
            usage = _usage(self.prompt_tokens, deltas)
        figures: dict[str, Any] = {}
        if finish.usage is not None:
            figures["usage"] = usage
        if finish.timings is not None:
            figures["timings"] = _timings(usage) if finish.timings == "auto" else finish.timings
        return figures


def count_tokens(data: bytes) -> int:
    """Count a token for every four bytes begun."""
    return -(-len(data) // BYTES_PER_TOKEN)


def _usage(prompt_tokens: int, completion_tokens: int) -> dict[str, Any]:
    return {
        "completion_tokens": completion_tokens,
        "prompt_tokens": prompt_tokens,
        "total_tokens": prompt_tokens + completion_tokens,
        "prompt_tokens_details": {"cached_tokens": 0},
    }


def _timings(usage: Mapping[str, Any]) -> dict[str, Any]:
    """Reading takes 1 ms a token, speaking 10 ms."""
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
    read = usage.get("prompt_tokens", 0) - cached
    said = usage.get("completion_tokens", 0)
    return {
        "cache_n": cached,
        "prompt_n": read,
        "prompt_ms": read * 1.0,
        "prompt_per_token_ms": 1.0,
        "prompt_per_second": 1000.0,
        "predicted_n": said,
        "predicted_ms": said * 10.0,
        "predicted_per_token_ms": 10.0,
        "predicted_per_second": 100.0,
    }
