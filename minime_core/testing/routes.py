"""What a llama-server answers besides chat completions, in the shapes of October 2026."""

from __future__ import annotations

from typing import Any

from .completion import CREATED, count_tokens
from .http1 import Request


def default_routes(model: str, n_ctx: int) -> dict[str, Any]:
    """Describe an idle server with one model whose template renders tools.

    Args:
        model: the model's name.
        n_ctx: the context window, in tokens.
    """
    return {
        "GET /health": {"status": "ok"},
        "GET /props": _props(model, n_ctx),
        "GET /slots": [{"id": 0, "n_ctx": n_ctx, "speculative": False, "is_processing": False}],
        "GET /v1/models": _models(model, n_ctx),
        "POST /tokenize": _tokenize,
        "POST /apply-template": _apply_template,
    }


def _props(model: str, n_ctx: int) -> dict[str, Any]:
    return {
        "default_generation_settings": {
            "params": {"temperature": 0.8, "top_k": 40, "top_p": 0.95, "max_tokens": -1},
            "n_ctx": n_ctx,
        },
        "total_slots": 1,
        "model_alias": model,
        "model_path": f"{model}.gguf",
        "modalities": {"vision": False, "video": False, "audio": False},
        "endpoint_slots": True,
        "endpoint_props": False,
        "endpoint_metrics": False,
        "chat_template": "{% for message in messages %}{{ message['content'] }}{% endfor %}",
        "chat_template_caps": {
            "supports_object_arguments": True,
            "supports_parallel_tool_calls": True,
            "supports_preserve_reasoning": False,
            "supports_reasoning_effort": False,
            "supports_string_content": True,
            "supports_system_role": True,
            "supports_tool_calls": True,
            "supports_tools": True,
            "supports_typed_content": False,
        },
        "bos_token": "<|im_start|>",
        "eos_token": "<|im_end|>",
        "build_info": "b0-unknown",
        "is_sleeping": False,
    }


def _models(model: str, n_ctx: int) -> dict[str, Any]:
    return {
        "object": "list",
        "data": [
            {
                "id": model,
                "aliases": [model],
                "object": "model",
                "created": CREATED,
                "owned_by": "llamacpp",
                "meta": {"n_ctx": n_ctx, "n_ctx_train": n_ctx * 2, "n_params": 134515008},
            }
        ],
    }


def _tokenize(request: Request) -> dict[str, Any]:
    content = str(request.json["content"])
    return {"tokens": list(range(count_tokens(content.encode("utf-8", "surrogatepass"))))}


def _apply_template(request: Request) -> dict[str, Any]:
    turns = [
        f"<|im_start|>{message['role']}\n{message.get('content') or ''}<|im_end|>\n"
        for message in request.json["messages"]
    ]
    return {"prompt": "".join([*turns, "<|im_start|>assistant\n"])}
