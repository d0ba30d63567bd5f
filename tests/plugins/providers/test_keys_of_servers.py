"""Keys: where they are from, where they go, and that nobody sees them."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Callable
from typing import Any

import pytest

from minime_core.config import Config, Layer
from minime_core.errors import ConfigError, MinimeError, ProviderError, StatusError
from minime_core.models import ModelRef, ModelRequest
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import end, error_event, raw, status, text
from minime_core.testing.steps import Reply
from minime_providers import keys
from minime_providers.keys import find_key
from minime_providers.openai import OpenAIProvider
from minime_providers.presets import PRESETS, Preset

SECRET = "sk-Very5ecret-0123456789"
OPENAI, LLAMACPP = PRESETS["openai"], PRESETS["llamacpp"]


def key(preset: str = "openai", base_url: str = "", **settings: Any) -> str:
    kind = PRESETS[preset]
    return find_key(Config([Layer("test", settings)]), kind, base_url or kind.base_url)


def test_a_local_server_needs_no_key(ask: Callable[..., Any], server: FaultServer) -> None:
    ask(text("Hello"))
    assert "authorization" not in server.chat_requests[0].headers


def test_a_key_from_the_environment_is_sent(
    ask: Callable[..., Any],
    server: FaultServer,
    make_provider: Callable[..., OpenAIProvider],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MY_KEY", f" {SECRET}\n")
    ask(text("Hello"), provider=make_provider(api_key_env="MY_KEY"))
    assert server.chat_requests[0].headers["authorization"] == f"Bearer {SECRET}"


def test_a_key_from_a_command_is_sent(
    ask: Callable[..., Any],
    server: FaultServer,
    make_provider: Callable[..., OpenAIProvider],
) -> None:
    ask(text("Hello"), provider=make_provider(api_key_command=f"echo {SECRET}"))
    assert server.chat_requests[0].headers["authorization"] == f"Bearer {SECRET}"


def test_a_command_comes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "other")
    assert key(api_key_env="MY_KEY", api_key_command=f"echo {SECRET}") == SECRET


@pytest.mark.parametrize("value", [None, "", " \n"])
def test_a_key_that_is_missing_is_named_by_its_variable(
    value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("MY_KEY", value)
    with pytest.raises(ConfigError, match="api_key_env names MY_KEY, which is not set"):
        key(api_key_env="MY_KEY")


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (f"echo {SECRET}; exit 3", "api_key_command printed no key (exit code 3)"),
        ("true", "api_key_command printed no key (exit code 0)"),
        (f"printf '{SECRET}\\n{SECRET}'", "the key of api_key_command holds characters"),
        (f"printf '{SECRET}\\377'", "the key of api_key_command holds characters"),
    ],
)
def test_a_command_that_fails_is_told_without_what_it_printed(command: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        key(api_key_command=command)
    assert str(caught.value).startswith(told)
    assert_hidden(caught.value)


def test_a_command_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "COMMAND_TIMEOUT", 0.2)
    with pytest.raises(ConfigError, match="took over 0 s") as caught:
        key(api_key_command=f"echo {SECRET}; exec sleep 60")
    assert_hidden(caught.value)


@pytest.mark.parametrize("value", [f"{SECRET}\nX-Header: 1", f"\u2028{SECRET}é", f"{SECRET}\x7f"])
def test_a_key_that_cannot_be_a_header_is_refused(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", value)
    with pytest.raises(ConfigError, match="the key of MY_KEY holds characters") as caught:
        key(api_key_env="MY_KEY")
    assert_hidden(caught.value)


def test_the_key_of_a_preset_goes_to_its_own_address_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    assert key() == SECRET
    for url in (
        "http://api.openai.com/v1",
        "https://api.openai.com:8443/v1",
        "https://api.openai.com.example.org/v1",
        "https://example.org/https://api.openai.com/v1",
        "http://127.0.0.1:8080/v1",
    ):
        assert key(base_url=url) == ""


def test_the_key_of_a_preset_is_not_sent_to_another_server(
    ask: Callable[..., Any],
    server: FaultServer,
    make_provider: Callable[..., OpenAIProvider],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    ask(text("Hello"), provider=make_provider("openai"))
    assert "authorization" not in server.chat_requests[0].headers


SERVICES = [preset for preset in PRESETS.values() if preset.key_env]


def test_each_service_has_a_key_and_an_address_of_its_own() -> None:
    assert [preset.name for preset in SERVICES] == ["openai", "openrouter", "groq"]
    assert len({preset.key_env for preset in SERVICES}) == len(SERVICES)
    for preset in SERVICES:
        assert preset.base_url.startswith("https://")
        # Commands of the model do not get variables of this form: see the setting `hidden_env`.
        assert preset.key_env.endswith("_API_KEY")


@pytest.mark.parametrize("preset", SERVICES, ids=lambda preset: preset.name)
def test_the_key_of_a_service_is_read_for_no_other(
    preset: Preset, monkeypatch: pytest.MonkeyPatch
) -> None:
    for other in SERVICES:
        monkeypatch.setenv(other.key_env, f"key-of-{other.name}")
    assert {name: find_key(Config([]), PRESETS[name], preset.base_url) for name in PRESETS} == {
        name: f"key-of-{name}" if name == preset.name else "" for name in PRESETS
    }


HERE = "http://10.0.0.5:8000/v1"
AWAY = "https://example.org/v1"
KEYS = {"api_key_env": "MY_KEY", "api_key_command": f"echo {SECRET}"}


@pytest.mark.parametrize("how", KEYS)
@pytest.mark.parametrize(
    ("above", "base_url", "is_sent"),
    [
        ({}, HERE, True),
        ({"base_url": HERE}, HERE, True),
        ({"provider": "vllm"}, HERE, True),
        # Another server is named above, or was chosen of those that run here.
        ({"base_url": AWAY}, AWAY, False),
        ({"provider": "groq"}, PRESETS["groq"].base_url, False),
        ({}, "http://127.0.0.1:11434/v1", False),
    ],
)
def test_a_key_beside_a_server_is_sent_to_no_other(
    how: str,
    above: dict[str, str],
    base_url: str,
    is_sent: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    file = Layer("config.yaml", {"base_url": HERE, how: KEYS[how]})
    found = find_key(Config([file, Layer("--flags", above)]), OPENAI, base_url)
    assert found == (SECRET if is_sent else "")


def test_variables_and_flags_are_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    layers = [
        Layer("config.yaml", {"base_url": HERE, "api_key_env": "OTHER"}),
        Layer("MM_API_KEY_ENV", {"api_key_env": "MY_KEY"}),
        Layer("--base-url", {"base_url": AWAY}),
    ]
    assert find_key(Config(layers), OPENAI, AWAY) == SECRET


ECHO = f"you sent Authorization: Bearer {SECRET}"
ECHOES = [
    status(200, ECHO.encode()),
    status(401, ECHO),
    status(400, ECHO),
    status(400, {"error": {"message": "no", "headers": ECHO}}),
    status(500, ECHO.encode()),
    status(503, f"Loading model, {ECHO}"),
    status(500, f"<title>{ECHO}</title>".encode()),
    text("Hel") + error_event(ECHO),
    text("Hel") + error_event(f"jinja: {ECHO}"),
    text("Hel") + raw(f"error: {ECHO}\n\n".encode()) + end(),
    raw(f"data: {SECRET}\n\n".encode()) + end(),
    raw(f'data: "{SECRET}"\n\n'.encode()) + end(),
    raw(f'data: {{"choices":["{SECRET}"]}}\n\n'.encode()) + end(),
]


@pytest.mark.parametrize("reply", ECHOES)
def test_a_key_that_the_server_repeats_is_in_no_error(
    ask: Callable[..., Any],
    make_provider: Callable[..., OpenAIProvider],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    reply: Reply,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("MY_KEY", SECRET)
    provider = make_provider(api_key_env="MY_KEY")
    with pytest.raises(ProviderError) as caught:
        ask(reply, provider=provider)
    assert_hidden(caught.value)
    assert SECRET not in caplog.text
    assert SECRET not in repr(provider)


@pytest.mark.parametrize("route", ["GET /props", "GET /v1/models"])
@pytest.mark.parametrize("reply", ECHOES[:7])
def test_a_key_that_the_server_repeats_is_in_no_error_of_info(
    server: FaultServer,
    monkeypatch: pytest.MonkeyPatch,
    route: str,
    reply: Reply,
) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    server.routes["GET /props"] = status(404)
    server.routes[route] = reply
    config = Config([Layer("test", {"api_key_env": "MY_KEY"})])

    async def run() -> None:
        provider = OpenAIProvider(
            LLAMACPP, config, ModelRef(provider="llamacpp", base_url=server.base_url)
        )
        try:
            await provider.info()
        finally:
            await provider.aclose()

    try:
        asyncio.run(run())
    except ProviderError as error:
        assert_hidden(error)


def test_a_failed_connection_does_not_tell_the_key(
    ask: Callable[..., Any],
    server: FaultServer,
    make_provider: Callable[..., OpenAIProvider],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    provider = make_provider(api_key_env="MY_KEY")
    server.stop()
    with pytest.raises(ProviderError) as caught:
        ask(text("Hello"), provider=provider)
    assert_hidden(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        f"http://user:{SECRET}@127.0.0.1:8080/v1",
        f"http://{SECRET}@127.0.0.1:8080/v1",
        f"http://user:{SECRET}@[::1/v1",
        f"ftp://user:{SECRET}@host",
    ],
)
def test_a_password_in_an_address_is_refused_and_not_repeated(
    make_provider: Callable[..., OpenAIProvider], url: str
) -> None:
    with pytest.raises(ConfigError, match="use api_key_env") as caught:
        make_provider(base_url=url)
    assert_hidden(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:8080",
        "localhost",
        "ftp://127.0.0.1/v1",
        "http://",
        "http:///v1",
        "http://[::1/v1",
        "http://127.0.0.1:99999/v1",
        "http://127.0.0.1:port/v1",
        "http://127.0.0.1:8080/v1?version=1",
        "http://127.0.0.1:8080/v1#top",
        "http://127.0.0.1:8080/v1\n",
        "http://ü.example/v1",
        "file:///etc/passwd",
    ],
)
def test_an_address_that_is_none_is_refused(
    make_provider: Callable[..., OpenAIProvider], url: str
) -> None:
    with pytest.raises(ConfigError, match="it has to be like http://127"):
        make_provider(base_url=url)


def test_a_slash_at_the_end_of_the_address_does_not_matter(
    ask: Callable[..., Any],
    server: FaultServer,
    make_provider: Callable[..., OpenAIProvider],
) -> None:
    ask(text("Hello"), provider=make_provider(base_url=f"{server.base_url}//"))
    assert server.chat_requests[0].path == "/v1/chat/completions"


def test_where_to_put_the_key_is_told(
    make_request: Callable[..., ModelRequest], ask: Callable[..., Any], server: FaultServer
) -> None:
    with pytest.raises(StatusError) as caught:
        ask(status(401, "Invalid API Key"))
    assert str(caught.value) == (
        f"{server.base_url} wants a key: put it into an environment variable and name that in "
        "`api_key_env` beside base_url (Invalid API Key)"
    )


def test_a_key_that_is_wrong_is_told(
    ask: Callable[..., Any],
    server: FaultServer,
    make_provider: Callable[..., OpenAIProvider],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    with pytest.raises(StatusError) as caught:
        ask(status(401, "Invalid API Key"), provider=make_provider(api_key_env="MY_KEY"))
    assert str(caught.value) == (
        f"{server.base_url} wants a key: it does not take the one that it was given "
        "(Invalid API Key)"
    )


def assert_hidden(error: MinimeError) -> None:
    """Assert that the key is nowhere in an error, its causes, attributes and traceback text."""
    shown = "".join(traceback.format_exception(error))
    assert SECRET not in shown
    found: BaseException | None = error
    while found is not None:
        assert SECRET not in repr(found)
        assert SECRET not in repr(vars(found))
        hidden = None if found.__suppress_context__ else found.__context__
        found = found.__cause__ or hidden
