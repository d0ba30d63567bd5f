"""Which server answers when none is configured."""

from __future__ import annotations

import importlib.util
import json
import selectors
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from minime_core.config import Config, Layer
from minime_core.errors import UserError
from minime_core.models import ModelRef
from minime_core.paths import state_folder
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import cut, html, raw, reset, stall, status
from minime_core.testing.steps import Reply
from minime_providers import probing
from minime_providers import resolve as module
from minime_providers.choice import remember
from minime_providers.presets import PRESETS, Preset
from minime_providers.probing import CONNECT_TIMEOUT
from minime_providers.resolve import DMR_OF_THE_HOST, list_models, resolve


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of what is remembered, empty."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return state_folder()


def config(**settings: Any) -> Config:
    return Config([Layer("test", settings)])


@pytest.fixture
def closed_port() -> Iterator[int]:
    """Return a port that nobody listens on, and that nobody else is given."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        yield reserved.getsockname()[1]


@pytest.fixture
def nowhere(closed_port: int) -> Preset:
    return at("llamacpp", f"http://127.0.0.1:{closed_port}/v1")


@pytest.fixture(params=[True, False], ids=["embedded", "no embedded"])
def has_embedded(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Say that the packages of the embedded model are installed, or not."""
    spec = importlib.util.find_spec("json") if request.param else None
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    return bool(request.param)


def at(name: str, base_url: str) -> Preset:
    return replace(PRESETS[name], base_url=base_url)


def test_what_is_configured_is_taken_without_a_look(server: FaultServer) -> None:
    here = at("llamacpp", server.base_url)
    ref = resolve(config(provider="ollama", model="m", base_url="http://x/v1"), [here])
    assert (ref.provider, ref.model, ref.base_url) == ("ollama", "m", "http://x/v1")
    assert resolve(config(provider="vllm"), [here]).provider == "vllm"
    assert server.requests == []


@pytest.mark.parametrize(
    ("base_url", "provider"),
    [
        ("http://127.0.0.1:8080/v1", "llamacpp"),
        ("http://localhost:11434/v1", "ollama"),
        ("http://192.168.0.7:1234/v1", "lmstudio"),
        ("http://127.0.0.1:9999/v1", "openai"),
        ("https://example.org:8080/v1", "openai"),
        ("https://api.openai.com/v1", "openai"),
        ("http://127.0.0.1:port/v1", "openai"),
        ("http://[::1/v1", "openai"),
        ("nonsense", "openai"),
    ],
)
def test_an_address_of_this_machine_tells_the_kind_of_server(base_url: str, provider: str) -> None:
    ref = resolve(config(base_url=base_url))
    assert (ref.provider, ref.base_url) == (provider, base_url)


def test_a_server_that_runs_is_found(server: FaultServer, nowhere: Preset) -> None:
    here = at("ollama", server.base_url)
    ref = resolve(config(), [nowhere, here])
    assert (ref.provider, ref.model, ref.base_url) == ("ollama", "local-model", server.base_url)
    port = server.base_url.split(":")[2].removesuffix("/v1")
    assert (ref.why, ref.notice) == (f"Ollama runs on port {port}", "")
    assert [request.path for request in server.requests] == ["/v1/models"]


def test_of_several_servers_the_first_answers_and_the_others_are_told(server: FaultServer) -> None:
    with FaultServer(model="other") as other:
        presets = [at("ollama", server.base_url), at("vllm", other.base_url)]
        ref = resolve(config(), presets)
        assert ref.provider == "ollama"
        assert [(one.provider, one.model) for one in ref.others] == [("vllm", "other")]
        assert ref.notice.startswith("2 models can be had and none was chosen: local-model answers")


def test_of_several_models_the_first_answers_and_the_others_are_told(server: FaultServer) -> None:
    server.routes["GET /v1/models"] = {"data": [{"id": "a"}, {"id": "b"}, {"id": "c-embed"}]}
    ref = resolve(config(), [at("ollama", server.base_url)])
    assert (ref.model, [one.model for one in ref.others]) == ("a", ["b"])
    named = resolve(config(model="b"), [at("ollama", server.base_url)])
    assert (named.model, named.others, named.notice) == ("b", (), "")


def test_what_was_chosen_once_is_not_asked_again(server: FaultServer) -> None:
    server.routes["GET /v1/models"] = {"data": [{"id": "a"}, {"id": "b"}]}
    here = [at("ollama", server.base_url)]
    remember(resolve(config(), here).others[0])
    ref = resolve(config(), here)
    assert (ref.model, ref.others, ref.notice) == ("b", (), "")
    assert ref.why.startswith("chosen before; Ollama runs on port")
    # What is named goes before what is remembered.
    assert resolve(config(model="a"), here).model == "a"


def test_a_choice_that_is_gone_is_asked_for_again(server: FaultServer) -> None:
    server.routes["GET /v1/models"] = {"data": [{"id": "a"}, {"id": "b"}]}
    remember(ModelRef(provider="ollama", model="gone", base_url=server.base_url))
    ref = resolve(config(), [at("ollama", server.base_url)])
    assert (ref.model, len(ref.others)) == ("a", 1)


@pytest.mark.parametrize("content", ["", "[]", "{", "5", '{"model": {}}', "\xff"])
def test_a_damaged_memory_is_no_memory(server: FaultServer, state: Path, content: str) -> None:
    server.routes["GET /v1/models"] = {"data": [{"id": "a"}, {"id": "b"}]}
    state.mkdir(parents=True)
    (state / "model.json").write_text(content, encoding="latin-1")
    assert resolve(config(), [at("ollama", server.base_url)]).model == "a"


def test_a_choice_that_cannot_be_stored_costs_no_session(state: Path) -> None:
    state.parent.mkdir(parents=True)
    state.write_text("no folder")
    remember(ModelRef(provider="ollama", model="a"))


def test_the_server_that_has_the_model_is_taken(server: FaultServer) -> None:
    with FaultServer(model="other") as other:
        presets = [at("ollama", server.base_url), at("vllm", other.base_url)]
        ref = resolve(config(model="other"), presets)
        assert (ref.provider, ref.model) == ("vllm", "other")
        # llama-server takes any name, so one that nobody lists is the first server's.
        ref = resolve(config(model="none"), presets)
        assert (ref.provider, ref.model) == ("ollama", "none")


def test_a_server_that_still_loads_is_waited_for_later(server: FaultServer) -> None:
    server.routes["GET /v1/models"] = status(503, "Loading model")
    ref = resolve(config(), [at("llamacpp", server.base_url)])
    assert (ref.provider, ref.model) == ("llamacpp", "")


def test_a_file_is_named_without_its_folder(server: FaultServer) -> None:
    server.routes["GET /v1/models"] = {"data": [{"id": "/models/qwen3-27b/small.gguf"}]}
    assert resolve(config(), [at("llamacpp", server.base_url)]).model == "small.gguf"


NO_SERVERS: list[Any] = [
    html(),
    status(404),
    status(401),
    status(500),
    status(200, b"Ollama is running"),
    status(200, b"\xff"),
    status(200, b"[" * 100_000),
    {"data": []},
    {"data": [{"id": "text-embedding-nomic"}]},
    {"data": 5},
    [],
    cut(),
    reset(),
    raw(b'{"data":') + cut(),
    status(307, headers={"Location": "http://127.0.0.1:9/"}),
]


@pytest.mark.parametrize("answer", NO_SERVERS)
def test_what_listens_but_is_no_model_server_is_passed_over(
    server: FaultServer, answer: Any
) -> None:
    server.routes["GET /v1/models"] = answer
    with FaultServer(model="second") as second:
        presets = [at("llamacpp", server.base_url), at("vllm", second.base_url)]
        assert resolve(config(), presets).model == "second"


@contextmanager
def listener(serve: Callable[[socket.socket], None]) -> Iterator[str]:
    """Listen, and serve one connection in a thread."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def run() -> None:
            connection, _ = listening.accept()
            with connection:
                serve(connection)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        thread.join(5)
        assert not thread.is_alive()


def silent(connection: socket.socket) -> None:
    while connection.recv(65_536):
        pass


def dripping(connection: socket.socket) -> None:
    """Send a head without end; the time between two bytes is never long."""
    connection.recv(65_536)
    try:
        connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
        while True:
            connection.sendall(b"x")
            connection.settimeout(0.01)
            try:
                if not connection.recv(1):
                    return
            except TimeoutError:
                pass
    except OSError:
        return


def not_http(connection: socket.socket) -> None:
    connection.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")
    silent(connection)


@pytest.mark.parametrize("serve", [silent, dripping, not_http])
def test_a_listener_that_hangs_costs_its_time_limit_and_no_more(
    server: FaultServer, monkeypatch: pytest.MonkeyPatch, serve: Callable[[socket.socket], None]
) -> None:
    monkeypatch.setattr(probing, "ANSWER_TIMEOUT", 0.1)
    with listener(serve) as url:
        presets = [at("llamacpp", url), at("vllm", server.base_url)]
        assert resolve(config(), presets).provider == "vllm"


def test_a_server_that_hangs_in_its_list_is_passed_over(
    server: FaultServer, nowhere: Preset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probing, "ANSWER_TIMEOUT", 0.1)
    server.routes["GET /v1/models"] = raw(b'{"data":') + stall()
    with pytest.raises(UserError):
        resolve(config(model="m"), [at("llamacpp", server.base_url), nowhere])


def test_with_nothing_at_all_the_embedded_model_answers_or_one_line_tells(
    has_embedded: bool, nowhere: Preset
) -> None:
    if has_embedded:
        ref = resolve(config(), [nowhere])
        assert (ref.provider, ref.model) == ("embedded", "")
        assert "135 million parameters" in ref.notice
        assert PRESETS["llamacpp"].start in ref.notice
        assert "\n" not in ref.notice
    else:
        with pytest.raises(UserError) as caught:
            resolve(config(), [nowhere])
        assert str(caught.value) == (
            "no model server runs here; start one (llama-server --jinja -m MODEL.gguf) "
            "or set base_url"
        )


def test_the_embedded_model_does_not_stand_in_for_one_that_was_named(
    has_embedded: bool, nowhere: Preset
) -> None:
    with pytest.raises(UserError, match="no model server runs here"):
        resolve(config(model="qwen3"), [nowhere])


@pytest.mark.parametrize("name", ["x.gguf", "X.GGUF", "folder"])
def test_a_model_that_is_a_file_answers_in_this_process(
    server: FaultServer, tmp_path: Path, has_embedded: bool, name: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/openvino_model.xml").touch()
    path = tmp_path / name
    path.touch() if path.suffix else None
    named = config(model=str(path))
    if has_embedded:
        ref = resolve(named, [at("llamacpp", server.base_url)])
        assert (ref.provider, ref.model) == ("embedded", str(path))
    else:
        with pytest.raises(UserError, match=r"llama-server --jinja -m .* pip install"):
            resolve(named, [at("llamacpp", server.base_url)])


def test_a_file_that_a_server_here_has_loaded_is_asked_there() -> None:
    with FaultServer(model="/models/x.gguf") as server:
        ref = resolve(config(model="/models/x.gguf"), [at("llamacpp", server.base_url)])
        assert (ref.provider, ref.base_url) == ("llamacpp", server.base_url)


def test_a_model_file_that_is_missing_is_one_line(server: FaultServer) -> None:
    with pytest.raises(UserError, match=r"there is no file gone\.gguf, and no server here has"):
        resolve(config(model="gone.gguf"), [at("llamacpp", server.base_url)])


def test_an_endless_list_is_not_read_to_its_end(server: FaultServer, nowhere: Preset) -> None:
    listed = json.dumps({"data": [{"id": "x" * 100}] * 20_000}).encode()
    assert len(listed) > probing.MAX_LISTING
    server.routes["GET /v1/models"] = Reply(raw(listed).steps, headers={"content-type": "a/b"})
    with pytest.raises(UserError):
        resolve(config(model="m"), [at("llamacpp", server.base_url), nowhere])


def test_remote_presets_are_never_looked_for() -> None:
    elsewhere = [preset for preset in PRESETS.values() if "127.0.0.1" not in preset.base_url]
    assert [preset.name for preset in elsewhere] == ["openai", "openrouter", "groq"]
    with pytest.raises(UserError):
        resolve(config(model="m"), elsewhere)


def test_a_service_that_is_named_is_asked_at_its_own_address() -> None:
    below = Layer("config.yaml", {"provider": "vllm", "base_url": "http://10.0.0.5/v1"})
    above = Layer("--provider", {"provider": "groq", "model": "m"})
    ref = resolve(Config([below, above]))
    assert (ref.provider, ref.model, ref.base_url) == ("groq", "m", "")
    # A proxy is named beside it.
    both = {"provider": "groq", "base_url": "http://proxy/v1", "model": "m"}
    assert resolve(Config([below, Layer("--config", both)])).base_url == "http://proxy/v1"


@pytest.mark.parametrize("service", ["openrouter", "groq"])
def test_a_service_has_to_be_told_which_model(service: str) -> None:
    with pytest.raises(UserError, match="has many models: name one with --model"):
        resolve(config(provider=service))
    assert next(iter(list_models(config(provider=service), []))).provider == service


# Only loopback


def test_what_is_not_loopback_is_never_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(socket.socket, "connect_ex", lambda self, address: asked.append(address))
    monkeypatch.setattr(probing, "CONNECT_TIMEOUT", 0.0)
    elsewhere = ["http://192.168.0.1:8080/v1", "http://host.docker.internal:1/v1", "http://x/v1"]
    assert probing.running_servers([at("ollama", url) for url in elsewhere]) == []
    assert asked == []
    assert probing.running_servers(PRESETS.values()) == []
    assert {host for host, _ in asked} == {"127.0.0.1"}
    assert {port for _, port in asked} == {8080, 9292, 12434, 11434, 1234, 8000}


def test_a_port_that_takes_no_connection_costs_the_common_time_limit_and_no_more(
    server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full, socket.socket() as first:
        first.connect(full.getsockname())
        # The queue is full now: who comes next is left waiting.
        hanging = at("ollama", f"http://127.0.0.1:{full.getsockname()[1]}/v1")
        here = at("llamacpp", server.base_url)
        assert [one.preset for one in probing.running_servers([here])] == [here]
        monkeypatch.setattr(probing, "CONNECT_TIMEOUT", 0.2)
        assert [one.preset for one in probing.running_servers([hanging, here])] == [here]


def test_looking_for_servers_takes_no_longer_than_promised(
    monkeypatch: pytest.MonkeyPatch, nowhere: Preset
) -> None:
    waited: list[float] = []

    class Selector(selectors.DefaultSelector):
        def select(self, timeout: float | None = None) -> list[Any]:
            waited.append(timeout or 0.0)
            return []

    monkeypatch.setattr(selectors, "DefaultSelector", Selector)
    monkeypatch.setattr(probing, "CONNECT_TIMEOUT", CONNECT_TIMEOUT)
    assert probing.running_servers([nowhere]) == []
    # All ports are waited for together; 40 ms are promised for them and for all the rest.
    assert max(waited) <= CONNECT_TIMEOUT <= 0.03


@pytest.fixture(params=[True, False], ids=["container", "no container"])
def in_container(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> bool:
    mark = tmp_path / "mark"
    if request.param:
        mark.touch()
    monkeypatch.setattr(module, "CONTAINER_MARKS", (str(mark),))
    return bool(request.param)


def test_a_container_finds_the_model_runner_of_its_host(
    in_container: bool, nowhere: Preset, monkeypatch: pytest.MonkeyPatch
) -> None:
    dmr = {**PRESETS, "dmr": at("dmr", nowhere.base_url)}
    monkeypatch.setattr(module, "PRESETS", dmr)
    expected = DMR_OF_THE_HOST if in_container else ""
    assert resolve(config(provider="dmr")).base_url == expected
    assert resolve(config(provider="ollama")).base_url == ""
    assert resolve(config(provider="dmr", base_url="http://x/v1")).base_url == "http://x/v1"


def test_a_container_looks_at_its_host_only_when_the_model_runner_is_asked_for(
    in_container: bool, nowhere: Preset, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[Any] = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *rest, **more: names.append(host))
    for settings in ({"model": "m"}, {"provider": "ollama"}, {"provider": "llamacpp"}):
        with suppress(UserError):
            resolve(config(**settings), [nowhere])
        list(list_models(config(**settings), [nowhere]))
    assert [name for name in names if name != "127.0.0.1"] == []


def test_a_model_runner_in_the_container_itself_goes_first(
    in_container: bool, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PRESETS", {**PRESETS, "dmr": at("dmr", server.base_url)})
    assert resolve(config(provider="dmr")).base_url == ""


# Listing


def test_all_that_can_be_had_is_listed_and_what_is_configured_comes_first(
    server: FaultServer, has_embedded: bool
) -> None:
    server.routes["GET /v1/models"] = {"data": [{"id": "a"}, {"id": "b"}]}
    here = at("ollama", server.base_url)
    embedded = ["embedded"] if has_embedded else []
    refs = list(list_models(config(), [here]))
    assert [ref.model or ref.provider for ref in refs] == ["a", "b", *embedded]
    chosen = {"provider": "ollama", "base_url": server.base_url, "model": "b"}
    refs = list(list_models(config(**chosen), [here]))
    assert [(ref.model or ref.provider, ref.why) for ref in refs][:2] == [
        ("b", "configured"),
        ("a", refs[1].why),
    ]
    assert len(refs) == 2 + has_embedded
