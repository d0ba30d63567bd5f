"""`mm models` and `mm models test`, against a server that speaks real HTTP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from minime_core.testing import Mm, stall, status, text, tool_call
from minime_core.testing.steps import Reply
from quick_mm import QuickMm

KEY = "sk-secret-of-the-test"


@pytest.fixture
def mm(mm: Mm, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Mm:
    return QuickMm(mm, capsys, monkeypatch)


def listed(mm: Mm, *options: str) -> dict[str, Any]:
    """Return the row of the fault server; other servers may run on this machine."""
    found = json.loads(mm.run(*options, "models", "--json").out)
    (row,) = [row for row in found["models"] if row["base_url"] == mm.server.base_url]
    assert isinstance(row, dict)
    return row


def tried(mm: Mm, *arguments: str, **options: Any) -> tuple[int, dict[str, Any]]:
    done = mm.run("models", "test", "--json", *arguments, **options)
    return done.code, json.loads(done.out)


# The list


def test_a_model_is_listed_with_all_that_its_server_tells(mm: Mm) -> None:
    row = listed(mm, "--model", "qwen3-27b")
    assert (row["model"], row["server"]) == ("qwen3-27b", "llama-server of llama.cpp")
    assert (row["window"], row["window_origin"]) == (4096, "/props")
    assert (row["tools"], row["profile"], row["used"]) == ("template", "qwen3-27b", True)
    assert "matches 'qwen3-27b'" in row["profile_why"]


def test_the_list_for_people_marks_the_model_that_is_used(mm: Mm) -> None:
    done = mm.run("--model", "qwen3-27b", "models")
    assert done.code == 0
    lines = done.out.splitlines()
    assert f"llama-server of llama.cpp  {mm.server.base_url}" in lines
    assert "* qwen3-27b: window 4,096 (/props), tools by its template, profile qwen3-27b" in lines
    assert "mm uses qwen3-27b: configured" in lines


def test_a_server_that_is_named_without_a_model_is_listed_once(mm: Mm) -> None:
    mm.options = ["--base-url", mm.server.base_url, "--provider", "llamacpp"]
    row = listed(mm)
    assert (row["model"], row["used"]) == ("local-model", True)


def test_a_window_that_is_set_is_listed_with_its_place(mm: Mm) -> None:
    (mm.cwd / ".mm" / "config.yaml").write_text("context_window: 2048\n")
    row = listed(mm)
    assert (row["window"], row["window_origin"]) == (2048, "context_window in config.yaml")


def test_a_template_without_tools_is_listed_as_such(mm: Mm) -> None:
    mm.server.routes["GET /props"]["chat_template_caps"]["supports_tools"] = False
    assert listed(mm)["tools"] == "text"


def test_a_server_that_refuses_is_listed_with_its_reason(mm: Mm) -> None:
    mm.server.routes["GET /props"] = status(401, "who are you?")
    row = listed(mm)
    assert (row["window"], row["tools"]) == (None, "unknown")
    assert "wants a key" in row["error"]
    assert "who are you?" in row["error"]


def test_what_a_server_calls_its_model_cannot_steer_the_terminal(mm: Mm) -> None:
    mm.options = ["--base-url", mm.server.base_url, "--provider", "llamacpp"]
    mm.server.routes["GET /props"]["model_alias"] = "evil\x1b[2J\nname"
    # It is found by its list first, as the only model of the configured server.
    mm.server.routes["GET /v1/models"] = {"data": [{"id": "evil\x1b[2J\nname"}]}
    for arguments in (["models"], ["models", "--json"]):
        done = mm.run(*arguments)
        assert "evil" in done.out
        assert "\x1b" not in done.out


# The test


def test_a_model_that_answers_and_calls_passes(mm: Mm) -> None:
    mm.server.enqueue(text("Hello!"), tool_call("add", {"a": 12, "b": 30}))
    done = mm.run("models", "test")
    assert done.code == 0
    rows = dict(line.split(None, 1) for line in done.out.splitlines())
    assert rows["model"] == f"m of llamacpp at {mm.server.base_url}: configured"
    assert rows["answer"].startswith("Hello! (first piece after ")
    assert rows["call"].startswith("add(a=12, b=30) (first piece after ")
    first, second = (request.json for request in mm.server.chat_requests)
    assert "tools" not in first
    assert [tool["function"]["name"] for tool in second["tools"]] == ["add"]


@pytest.mark.parametrize(
    ("replies", "part", "what"),
    [
        ([text(""), tool_call("add", {"a": 1, "b": 2})], "answer", "the answer is empty"),
        ([text("Hi"), text("It is 42.")], "call", "no call, but 'It is 42.'"),
        ([text("Hi"), tool_call("add", {"a": "x"})], "call", "a call that cannot run: add(a=x)"),
        ([text("Hi"), tool_call("sum", {"a": 1, "b": 2})], "call", "cannot run: sum(a=1, b=2)"),
    ],
)
def test_what_is_not_what_was_asked_for_is_told(
    mm: Mm, replies: list[Reply], part: str, what: str
) -> None:
    mm.server.enqueue(*replies)
    code, told = tried(mm)
    assert (code, told["ok"], told[part]["ok"]) == (1, False, False)
    assert what in told[part]["what"]


def test_tools_are_not_sent_to_a_template_that_drops_them(mm: Mm) -> None:
    mm.server.routes["GET /props"]["chat_template_caps"]["supports_tools"] = False
    mm.server.enqueue(text("Hello"))
    code, told = tried(mm)
    assert (code, told["tools"], told["call"]) == (0, "text", None)


def test_the_failure_of_a_server_is_told_in_its_own_words_with_the_cure(mm: Mm) -> None:
    mm.server.enqueue(status(404, {"error": {"message": "model 'm' not found, try pulling it"}}))
    done = mm.run("--provider", "ollama", "models", "test")
    assert (done.code, done.out) == (3, "")
    assert "model 'm' not found, try pulling it" in done.err
    assert "`ollama pull m` gets it" in done.err


def test_the_failure_is_told_as_json_too(mm: Mm) -> None:
    mm.server.enqueue(status(400, {"error": {"message": "no such thing"}}))
    code, told = tried(mm)
    assert code == 3
    assert told["ok"] is False
    assert "no such thing" in told["error"]


def test_a_wrong_address_is_told_with_the_words_of_the_server(mm: Mm) -> None:
    mm.server.enqueue(status(404, {"detail": "Not Found"}))
    done = mm.run("--provider", "openai", "models", "test")
    assert done.code == 3
    assert "is the base URL right? It usually ends in /v1 (Not Found)" in done.err


def test_a_server_that_never_ends_its_answer_is_left(mm: Mm) -> None:
    mm.server.enqueue(stall())
    done = mm.run("models", "test", "--timeout", "1")
    assert (done.code, done.out) == (3, "")
    assert "no whole answer within 1 s" in done.err


def test_a_server_that_is_down_is_told_with_the_command_that_starts_it(mm: Mm) -> None:
    mm.server.stop()
    done = mm.run("models", "test")
    assert done.code == 3
    assert "nothing listens there; start it: llama-server" in done.err


def test_a_key_is_sent_to_its_server_and_never_shown(mm: Mm) -> None:
    mm.server.enqueue(status(401, f"the key {KEY} is not known"))
    env = {"MM_API_KEY_ENV": "THE_KEY", "THE_KEY": KEY}
    done = mm.run("models", "test", env=env)
    assert mm.server.chat_requests[-1].headers["authorization"] == f"Bearer {KEY}"
    assert done.code == 3
    assert "does not take the one that it was given" in done.err
    assert "[key]" in done.err
    assert KEY not in done.err + done.out


# What NAME means


def test_a_name_may_be_a_profile(mm: Mm) -> None:
    mm.server.enqueue(text("Hi"), tool_call("add", {"a": 1, "b": 2}))
    code, told = tried(mm, "qwen3-27b")
    assert (code, told["profile"], told["model"]) == (0, "qwen3-27b", "m")
    assert mm.server.chat_requests[0].json["temperature"] == 0.6


def test_a_profile_may_name_the_server_with_its_key(mm: Mm, home: Path) -> None:
    mm.options = []
    folder = home / ".config" / "mini-me"
    (folder / "profiles").mkdir(parents=True)
    (folder / "profiles" / "away.yaml").write_text(
        f"provider: vllm\nbase_url: {mm.server.base_url}\nmodel: m\napi_key_env: THE_KEY\n"
    )
    # The server of every day has another key.
    (folder / "config.yaml").write_text(
        "provider: openai\nbase_url: http://127.0.0.1:9/v1\nmodel: x\napi_key_env: LOCAL_KEY\n"
    )
    mm.server.enqueue(text("Hi"), tool_call("add", {"a": 1, "b": 2}), text("An answer."))
    env = {"THE_KEY": KEY, "LOCAL_KEY": "of-the-local-server"}
    done = mm.run("models", "test", "away", "--json", env=env)
    told = json.loads(done.out)
    assert (told["provider"], told["model"], told["profile"]) == ("vllm", "m", "away")
    assert mm.run("--profile", "away", "models", env=env).out.startswith("vLLM  ")
    sent = {request.headers.get("authorization") for request in mm.server.requests}
    assert sent == {f"Bearer {KEY}"}


def test_a_name_may_be_a_model(mm: Mm) -> None:
    mm.server.enqueue(text("Hi"), tool_call("add", {"a": 1, "b": 2}))
    code, told = tried(mm, "some-model:q4")
    assert (code, told["model"]) == (0, "some-model:q4")


def test_a_name_may_be_a_kind_of_server(mm: Mm) -> None:
    mm.server.enqueue(text("Hi"), tool_call("add", {"a": 1, "b": 2}))
    code, told = tried(mm, "vllm")
    assert (code, told["provider"], told["base_url"]) == (0, "vllm", mm.server.base_url)


def test_a_kind_of_server_that_is_configured_is_asked_where_it_is(mm: Mm) -> None:
    mm.options = []
    (mm.cwd / "vllm.yaml").write_text(f"provider: vllm\nbase_url: {mm.server.base_url}\nmodel: m\n")
    mm.server.enqueue(text("Hi"), tool_call("add", {"a": 1, "b": 2}))
    assert mm.run("--config", "vllm.yaml", "models", "test", "vllm").code == 0
    # Another kind is elsewhere: the address is not that of it.
    done = mm.run("--config", "vllm.yaml", "models", "test", "openrouter", "--model", "")
    assert done.code == 2
    assert "OpenRouter has many models" in done.err
    assert len(mm.server.chat_requests) == 2


def test_the_server_may_be_named_behind_the_command(mm: Mm) -> None:
    options, mm.options = mm.options, []
    mm.server.enqueue(text("Hi"), tool_call("add", {"a": 1, "b": 2}))
    code, told = tried(mm, *options, "--profile", "qwen3-27b")
    assert (code, told["model"], told["profile"]) == (0, "m", "qwen3-27b")


def test_a_service_is_asked_at_its_own_address_and_wants_a_model(mm: Mm) -> None:
    mm.options = []
    config = mm.cwd / "other.yaml"
    config.write_text(f"provider: llamacpp\nbase_url: {mm.server.base_url}\n")
    done = mm.run("--config", str(config), "models", "test", "groq")
    assert done.code == 2
    assert "Groq has many models: name one with --model" in done.err
    assert mm.server.requests == []
