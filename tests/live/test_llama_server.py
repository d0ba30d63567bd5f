"""The server fixture itself: its options arrive, and no server outlives its tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from live_packages import package_folder
from llama_server import LlamaFiles, LlamaOptions, LlamaServer, running_llama_server

pytestmark = pytest.mark.live


def test_server_ends_when_a_test_fails(llama_files: LlamaFiles, tmp_path: Path) -> None:
    with (
        pytest.raises(ZeroDivisionError),
        running_llama_server(llama_files, LlamaOptions(), tmp_path / "log") as server,
    ):
        raise ZeroDivisionError
    with pytest.raises(httpx.ConnectError):
        httpx.get(server.base_url, trust_env=False)


def test_server_that_cannot_start_says_why(llama_files: LlamaFiles, tmp_path: Path) -> None:
    no_model = tmp_path / "no_model.gguf"
    no_model.write_bytes(b"not a model")
    files = LlamaFiles(llama_files.binary, no_model)
    with (
        pytest.raises(RuntimeError, match=r"exit 1(.|\n)*no_model\.gguf"),
        running_llama_server(files, LlamaOptions(), tmp_path / "log"),
    ):
        pass


def test_equal_options_share_a_server(
    llama: LlamaServer, start_llama: Callable[[LlamaOptions], LlamaServer]
) -> None:
    assert start_llama(LlamaOptions()) is llama


def test_context_slots_and_key_reach_the_server(
    start_llama: Callable[[LlamaOptions], LlamaServer],
) -> None:
    server = start_llama(LlamaOptions(context=1024, slots=2, api_key="secret"))
    props = server.http.get("/props").json()
    assert props["total_slots"] == 2
    assert props["default_generation_settings"]["n_ctx"] == 512
    assert len(server.slots()) == 2
    refused = httpx.get(server.http.base_url.join("/props"), trust_env=False)
    assert refused.status_code == 401


def test_closing_a_stream_frees_its_slot(llama: LlamaServer) -> None:
    endless = {
        "messages": [{"role": "user", "content": "Count."}],
        "stream": True,
        "ignore_eos": True,
    }
    with llama.http.stream("POST", "/v1/chat/completions", json=endless) as response:
        next(response.iter_lines())
        assert llama.slots()[0]["is_processing"]
    llama.wait_until_idle()
    assert llama.slots()[0]["next_token"][0]["has_next_token"]


def test_missing_package_skips_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MM_LIVE", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no_such_package is not installed"):
        package_folder("no_such_package")


def test_missing_package_fails_the_test_where_live_tests_are_required(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MM_LIVE", "required")
    with pytest.raises(pytest.fail.Exception, match="no_such_package is not installed"):
        package_folder("no_such_package")
