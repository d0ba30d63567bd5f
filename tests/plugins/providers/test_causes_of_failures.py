"""What servers say when they refuse, and the line with the cure that comes of it."""

from __future__ import annotations

from typing import Any

import pytest

from minime_core.errors import (
    ConnectionFailed,
    ContextOverflow,
    ProviderError,
    RequestRefused,
    StatusError,
)
from minime_core.testing.replies import status
from minime_providers.causes import CAUSES, Explainer, message_in
from minime_providers.presets import PRESETS

MODEL = "qwen3:8b"


def explain(preset: str, status: int, body: str) -> ProviderError:
    kind = PRESETS[preset]
    error = Explainer(preset=kind, url=kind.base_url).status(status, body, MODEL)
    line = str(error)
    assert line.isprintable()
    assert len(line) < 600
    return error


OLLAMA, VLLM = "http://127.0.0.1:11434/v1", "http://127.0.0.1:8000/v1"
LLAMACPP, LMSTUDIO = "http://127.0.0.1:8080/v1", "http://127.0.0.1:1234/v1"
DMR = "http://127.0.0.1:12434/engines/v1"
NO_CHAT = "has no chat completions: is the base URL right? It usually ends in /v1"

# Preset, status, body as the server writes it, and the line.
REFUSED = [
    (
        "llamacpp",
        500,
        '{"error":{"code":500,"message":"tools param requires --jinja flag",'
        '"type":"server_error"}}',
        "the server was started without tool support: start llama-server with --jinja",
    ),
    (
        "llamacpp",
        401,
        '{"error":{"message":"Invalid API Key","type":"authentication_error","code":401}}',
        f"{LLAMACPP} wants a key: put it into an environment variable and name that in "
        "`api_key_env` beside base_url (Invalid API Key)",
    ),
    (
        "vllm",
        401,
        '{"error":"Unauthorized"}',
        f"{VLLM} wants a key: put it into an environment variable and name that in "
        "`api_key_env` beside base_url (Unauthorized)",
    ),
    (
        "openai",
        401,
        '{"error":{"message":"You didn\'t provide an API key.","type":"invalid_request_error",'
        '"param":null,"code":null}}',
        "https://api.openai.com/v1 wants a key: set OPENAI_API_KEY (You didn't provide an API "
        "key.)",
    ),
    (
        "vllm",
        400,
        '{"object":"error","message":"\\"auto\\" tool choice requires --enable-auto-tool-choice '
        'and --tool-call-parser to be set","type":"BadRequestError","param":null,"code":400}',
        "the server was started without tool support: start vLLM with --enable-auto-tool-choice "
        "--tool-call-parser NAME, or set `tool_mode: text`",
    ),
    (
        "ollama",
        400,
        '{"error":{"message":"registry.ollama.ai/library/gemma3:4b does not support tools",'
        '"type":"api_error","param":null,"code":null}}',
        f"{OLLAMA} has no tools for the model 'qwen3:8b': set `tool_mode: text`",
    ),
    (
        "llamacpp",
        400,
        '{"error":{"code":400,"message":"Unable to generate parser for this template. Automatic '
        "parser generation failed: JSON schema error at #/properties/a: enum must be a non-empty "
        'array","type":"invalid_request_error"}}',
        "the server cannot use the schema of a tool or of the answer: JSON schema error at "
        "#/properties/a: enum must be a non-empty array",
    ),
    (
        "llamacpp",
        400,
        '{"error":{"code":400,"message":"Failed to initialize samplers: failed to parse grammar",'
        '"type":"invalid_request_error"}}',
        "the server cannot use the schema of a tool or of the answer: Failed to initialize "
        "samplers: failed to parse grammar",
    ),
    (
        "ollama",
        404,
        '{"error":{"message":"model \\"qwen3:8b\\" not found, try pulling it first",'
        '"type":"api_error","param":null,"code":null}}',
        f"{OLLAMA} has no model 'qwen3:8b': `ollama pull qwen3:8b` gets it, `mm --model NAME` "
        'chooses another (model "qwen3:8b" not found, try pulling it first)',
    ),
    (
        "vllm",
        404,
        '{"object":"error","message":"The model `qwen3:8b` does not exist.",'
        '"type":"NotFoundError","param":null,"code":404}',
        f"{VLLM} has no model 'qwen3:8b': `mm --model NAME` chooses another (The model `qwen3:8b` "
        "does not exist.)",
    ),
    (
        "openai",
        404,
        '{"error":{"message":"The model `qwen3:8b` does not exist or you do not have access to '
        'it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}',
        "https://api.openai.com/v1 has no model 'qwen3:8b': `mm --model NAME` chooses another (The "
        "model `qwen3:8b` does not exist or you do not have access to it.)",
    ),
    (
        "lmstudio",
        400,
        '{"error":{"message":"No models loaded. Please load a model in the developer page or use '
        'the \'lms load\' command.","type":"invalid_request_error","param":"model",'
        '"code":"model_not_found"}}',
        f"{LMSTUDIO} has no model 'qwen3:8b': `lms get qwen3:8b` gets it, `mm --model NAME` "
        "chooses another (No models loaded. Please load a model in the developer page or use the "
        "'lms load' command.)",
    ),
    (
        "dmr",
        404,
        "model not found\n",
        f"{DMR} has no model 'qwen3:8b': `docker model pull qwen3:8b` gets it, `mm --model NAME` "
        "chooses another (model not found)",
    ),
    (
        "llamacpp",
        404,
        '{"error":{"message":"File Not Found","type":"not_found_error","code":404}}',
        f"{LLAMACPP} {NO_CHAT} (File Not Found)",
    ),
    ("ollama", 404, "404 page not found", f"{OLLAMA} {NO_CHAT} (404 page not found)"),
    ("vllm", 405, '{"detail":"Method Not Allowed"}', f"{VLLM} {NO_CHAT} (Method Not Allowed)"),
    (
        "openai",
        301,
        "",
        "https://api.openai.com/v1 redirects elsewhere: set `base_url` to the final address",
    ),
    (
        "llamacpp",
        400,
        '{"error":{"code":400,"message":"Field \'n\': Value must be between 1 <= value <= 1, but '
        'got 2","type":"invalid_request_error"}}',
        f"{LLAMACPP} refuses the request: Field 'n': Value must be between 1 <= value <= 1, but "
        "got 2",
    ),
    (
        "vllm",
        422,
        '{"detail":[{"type":"missing","loc":["body","messages"],"msg":"Field required"}]}',
        f"{VLLM} refuses the request: Field required",
    ),
    ("openai", 400, "", "https://api.openai.com/v1 refuses the request: no reason"),
]

# The rest of the table is met by the recorded bodies, whose lines are tested with them, and by LM
# Studio, which refuses with status 200.
RECORDED = [
    (400, "Error: Jinja Exception: conversation roles must alternate"),
    (500, "Failed to parse tool call arguments as JSON: parse error"),
    (200, "Unexpected endpoint or method. (POST /chat/completions)"),
]

NOT_NOW = [
    (
        "llamacpp",
        503,
        '{"error":{"message":"Loading model","type":"unavailable_error","code":503}}',
        f"{LLAMACPP} is still loading the model: try again in a moment",
    ),
    (
        "openai",
        429,
        '{"error":{"message":"Rate limit reached for requests","type":"requests","code":null}}',
        "https://api.openai.com/v1 asks to slow down: Rate limit reached for requests",
    ),
    (
        "ollama",
        500,
        '{"error":{"message":"model requires more system memory (8.0 GiB) than is available '
        '(4.0 GiB)","type":"api_error","param":null,"code":null}}',
        f"{OLLAMA} answered 500: model requires more system memory (8.0 GiB) than is available "
        "(4.0 GiB)",
    ),
    (
        "dmr",
        500,
        "unable to load runner: error waiting for runner to be ready: llama.cpp terminated",
        f"{DMR} answered 500: unable to load runner: error waiting for runner to be ready: "
        "llama.cpp terminated",
    ),
    (
        "vllm",
        502,
        "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>",
        f"{VLLM} answered 502: 502 Bad Gateway",
    ),
    ("vllm", 503, "", f"{VLLM} answered 503: no reason"),
]


@pytest.mark.parametrize(("preset", "status", "body", "line"), REFUSED)
def test_what_is_refused_for_ever(preset: str, status: int, body: str, line: str) -> None:
    error = explain(preset, status, body)
    assert str(error) == line
    assert type(error) is RequestRefused
    assert error.status == status


@pytest.mark.parametrize(("preset", "status", "body", "line"), NOT_NOW)
def test_what_may_be_asked_again(preset: str, status: int, body: str, line: str) -> None:
    error = explain(preset, status, body)
    assert str(error) == line
    assert type(error) is StatusError
    assert error.status == status


def test_each_row_of_the_table_is_met_by_a_body() -> None:
    bodies = [(status, message_in(body)) for _, status, body, _ in [*REFUSED, *NOT_NOW]]
    bodies += [(status, message) for status, message in RECORDED]
    met = [next((c for c in CAUSES if c.fits(status, text)), None) for status, text in bodies]
    assert set(met) - {None} == set(CAUSES)


# Status, body, tokens that were needed, window.
OVERFLOWS: list[tuple[str, int, str, int, int]] = [
    (
        "llama.cpp",
        400,
        '{"error":{"code":400,"message":"request (6031 tokens) exceeds the available context size '
        '(4096 tokens), try increasing it","type":"exceed_context_size_error",'
        '"n_prompt_tokens":6031,"n_ctx":4096}}',
        6031,
        4096,
    ),
    (
        "llama.cpp without fields",
        400,
        '{"error":{"message":"the request exceeds the available context size. try increasing the '
        'context size or enable context shift"}}',
        0,
        0,
    ),
    (
        "llama.cpp, text",
        400,
        "request (6031 tokens) exceeds the available context size (4096 tokens), try increasing it",
        6031,
        4096,
    ),
    (
        "vLLM, completion",
        400,
        '{"object":"error","message":"This model\'s maximum context length is 16384 tokens. '
        "However, you requested 122946 tokens (112946 in the messages, 10000 in the completion). "
        'Please reduce the length of the messages or completion.","type":"BadRequestError"}',
        122946,
        16384,
    ),
    (
        "vLLM, input",
        400,
        '{"error":{"message":"This model\'s maximum context length is 4096 tokens. However, your '
        'request has 5000 input tokens. Please reduce the length of the input messages."}}',
        5000,
        4096,
    ),
    (
        "vLLM, max_tokens",
        400,
        '{"error":{"message":"\'max_tokens\' or \'max_completion_tokens\' is too large: 4096. This '
        "model's maximum context length is 4096 tokens and your request has 50 input tokens "
        '(4096 > 4096 - 50)."}}',
        0,
        4096,
    ),
    (
        "vLLM, prompt",
        400,
        '{"error":{"message":"The decoder prompt (length 5000) is longer than the maximum model '
        'length of 4096."}}',
        5000,
        4096,
    ),
    (
        "OpenAI",
        400,
        '{"error":{"message":"This model\'s maximum context length is 8192 tokens. However, your '
        'messages resulted in 9001 tokens. Please reduce the length of the messages.",'
        '"type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}',
        9001,
        8192,
    ),
    (
        "OpenAI, newer",
        400,
        '{"error":{"message":"Your input exceeds the context window of this model. Please adjust '
        'your input and try again.","code":"context_length_exceeded"}}',
        0,
        0,
    ),
    (
        "LM Studio",
        400,
        '{"error":"Trying to keep the first 10136 tokens when context the overflows. However, the '
        "model is loaded with context length of only 7866 tokens, which is not enough. Try to load "
        'the model with a larger context length, or provide a shorter input"}',
        10136,
        7866,
    ),
    (
        "LM Studio, MLX",
        400,
        '{"error":"The number of tokens to keep from the initial prompt is greater than the '
        'context length (n_keep: 9000>= n_ctx: 8192)."}',
        9000,
        8192,
    ),
    (
        "Ollama",
        400,
        '{"error":"the input length exceeds the context length"}',
        0,
        0,
    ),
    (
        "SGLang",
        400,
        '{"object":"error","message":"The input (5000 tokens) is longer than the model\'s context '
        'length (4096 tokens)."}',
        5000,
        4096,
    ),
]


@pytest.mark.parametrize(
    ("status", "body", "needed", "window"),
    [row[1:] for row in OVERFLOWS],
    ids=[row[0] for row in OVERFLOWS],
)
def test_an_overflow_is_told_with_both_numbers(
    status: int, body: str, needed: int, window: int
) -> None:
    error = explain("openai", status, body)
    assert isinstance(error, ContextOverflow)
    assert (error.needed, error.window) == (needed, window)
    assert str(error) == (
        f"the request ({needed or 'unknown'} tokens) is longer than the model's window "
        f"({window or 'unknown'} tokens): start the server with a larger one, or begin anew"
    )


@pytest.mark.parametrize(
    "body",
    [
        '{"error":"failed to allocate the KV cache: try a smaller context size"}',
        '{"error":{"n_prompt_tokens":"many","n_ctx":null,"message":"odd"}}',
        '{"error":{"n_prompt_tokens":1e999,"n_ctx":1e999,"message":"odd"}}',
        '{"error":"rate limit exceeded"}',
    ],
)
def test_what_is_no_overflow_is_not_called_one(body: str) -> None:
    assert not isinstance(explain("openai", 400, body), ContextOverflow)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_server_that_does_not_run_is_told_with_the_command_that_starts_it(preset: str) -> None:
    kind = PRESETS[preset]
    error = ConnectionFailed("Connection refused")
    error.refused = True
    told = Explainer(preset=kind, url=kind.base_url).connection(error)
    start = f"; start it: {kind.start}" if kind.start else ""
    assert str(told) == f"{kind.base_url} does not answer: nothing listens there{start}"
    assert told.refused


def test_another_failure_to_connect_is_told_as_it_is() -> None:
    kind = PRESETS["llamacpp"]
    error = ConnectionFailed("Name or service not known\x1b[31m")
    told = Explainer(preset=kind, url="http://nowhere:1/v1").connection(error)
    assert str(told) == "http://nowhere:1/v1 does not answer: Name or service not known [31m"
    assert not told.refused


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        ("1.5", 1.5),
        ("Wed, 21 Oct 2026 07:28:00 GMT", None),
        ("-1", None),
        ("9" * 50, None),
    ],
)
def test_how_long_to_wait_is_read(ask: Any, value: str, seconds: float | None) -> None:
    with pytest.raises(StatusError) as caught:
        ask(status(429, "slow down", {"Retry-After": value}))
    assert caught.value.retry_after == seconds


def test_the_words_of_a_server_are_bounded() -> None:
    error = explain("openai", 500, "x" * 100_000)
    assert len(str(error)) < 400
    assert isinstance(error, StatusError)
    assert len(error.body) == 2000
