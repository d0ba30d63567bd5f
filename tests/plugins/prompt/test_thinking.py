from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Send = Callable[..., Any]

FIELDS = ("chat_template_kwargs", "reasoning_effort", "thinking_budget_tokens")


def fields(send: Send, project: Path, **values: Any) -> dict[str, Any]:
    body = send(project, **values).body
    return {name: body[name] for name in FIELDS if name in body}


def test_a_family_that_thinks_is_told_to(send: Send, project: Path) -> None:
    assert fields(send, project, served="qwen3-8b") == {
        "chat_template_kwargs": {"enable_thinking": True}
    }


def test_thinking_off_is_told_in_all_ways_that_the_family_knows(send: Send, project: Path) -> None:
    sent = send(project, served="qwen3-8b", thinking="off")
    assert sent.body["chat_template_kwargs"] == {"enable_thinking": False}
    assert sent.system.endswith("\n\n/no_think")
    assert (sent.body["temperature"], sent.body["top_p"]) == (0.7, 0.8)


def test_the_words_on_and_off_of_yaml_are_understood(send: Send, project: Path) -> None:
    assert fields(send, project, served="qwen3-8b", thinking=False) == {
        "chat_template_kwargs": {"enable_thinking": False}
    }


def test_a_family_without_off_thinks_less(send: Send, project: Path) -> None:
    assert fields(send, project, served="gpt-oss-20b", thinking="off") == {
        "reasoning_effort": "low",
        "chat_template_kwargs": {"reasoning_effort": "low"},
    }
    assert fields(send, project, served="gpt-oss-20b")["reasoning_effort"] == "medium"


def test_auto_leaves_it_to_the_server(send: Send, project: Path) -> None:
    assert fields(send, project, served="qwen3-8b", thinking="auto") == {}
    assert fields(send, project, served="gemma-4-e2b") == {}


@pytest.mark.parametrize("thinking", ["on", "off"])
def test_a_family_that_cannot_be_told_is_not(send: Send, thinking: str, project: Path) -> None:
    sent = send(project, served="llama3.2:3b", thinking=thinking)
    assert not {*FIELDS} & {*sent.body}
    assert "/no_think" not in sent.system


def test_what_the_user_set_stays(send: Send, project: Path) -> None:
    sent = send(
        project,
        served="qwen3-8b",
        thinking="off",
        sampling={"temperature": 0.2},
        extra_body={"chat_template_kwargs": {"enable_thinking": True, "other": 1}},
    )
    assert (sent.body["temperature"], sent.body["top_p"]) == (0.2, 0.8)
    assert sent.body["chat_template_kwargs"] == {"enable_thinking": True, "other": 1}


def test_a_budget_is_sent_where_the_server_takes_one(send: Send, project: Path) -> None:
    assert fields(send, project, served="qwen3-8b", thinking_budget=512) == {
        "chat_template_kwargs": {"enable_thinking": True},
        "thinking_budget_tokens": 512,
    }
    assert "thinking_budget_tokens" not in fields(
        send, project, served="qwen3-8b", thinking_budget=512, thinking="off"
    )
    assert "thinking_budget_tokens" not in fields(
        send, project, served="qwen3-8b", thinking_budget=512, provider="openai", model="qwen3-8b"
    )


def test_the_word_is_in_the_prompt_from_the_first_request_on(send: Send, project: Path) -> None:
    sent = send(project, "one", "two", served="qwen3-8b", thinking="off")
    first, second = (body["messages"] for body in sent.bodies)
    assert second[: len(first)] == first
