"""How much the model reads before the user's first word: the system prompt and the tools."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from client import Client
from figures import Figure
from measure import RunFailed
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import text
from venvs import python_with

COUNTER = Path(__file__).parent / "count_qwen_tokens.py"

NO_PLAN = {"plan": False}
SKILLS = [
    "bg-jobs", "code-review", "debug-failure", "git-commit", "greetings", "run-tests",
    "what-time-is-it", "write-docs",
]  # fmt: skip
CASES: Mapping[str, Mapping[str, Any]] = {
    "prompt": {"builtin_tools": NO_PLAN},
    "skills": {"builtin_tools": NO_PLAN, "skills": {"enabled": SKILLS}},
    "all": {
        "builtin_tools": {"plan": True, "fetch_content": True},
        "skills": {"enabled": [*SKILLS, "vulcan-salute"]},
    },
}
"""Settings, by the beginning of the figures' names."""
CHARACTERS_PER_TOKEN = 4
"""What is assumed where the tokenizer cannot be fetched."""


def _figures(case: str, title: str, tokens: int) -> tuple[Figure, ...]:
    title = f"fixed prompt, {title}"
    return (
        Figure(
            key=f"{case}_chars",
            title=title,
            unit="chars",
            limit=tokens * CHARACTERS_PER_TOKEN,
        ),
        Figure(
            key=f"{case}_tokens", title=f"{title}, Qwen's tokenizer", unit="tokens", limit=tokens
        ),
        Figure(key=f"{case}_estimate", title=f"{title}, ESTIMATE: chars / 4", unit="tokens"),
    )


FIGURES = (
    *_figures("prompt", "four tools", 1150),
    *_figures("skills", "eight skills too", 1600),
    *_figures("all", "all tools and skills", 2000),
)


def sample(client: Client) -> dict[str, float]:
    """Return the size of the system message and of the tools as JSON, as they are sent.

    Where the tokenizer cannot be fetched, the tokens are estimated.
    """
    samples: dict[str, float] = {}
    for case, settings in CASES.items():
        prompt = _prompt(client, settings)
        samples[f"{case}_chars"] = len(prompt)
        try:
            samples[f"{case}_tokens"] = _count_tokens(prompt)
        except RunFailed:
            samples[f"{case}_estimate"] = len(prompt) / CHARACTERS_PER_TOKEN
    return samples


def _prompt(client: Client, settings: Mapping[str, Any]) -> str:
    file = client.work / "settings.yaml"
    file.write_text(json.dumps(settings))
    with FaultServer() as server:
        server.enqueue(text("Hello."))
        client.start(server.base_url, "--config", str(file), "-p", "hello").finish("Hello.")
        body = server.chat_requests[0].json
    system = "".join(m["content"] for m in body["messages"] if m["role"] == "system")
    tools = json.dumps(body.get("tools", []), ensure_ascii=False, separators=(",", ":"))
    return f"{system}\n{tools}"


def _count_tokens(prompt: str) -> int:
    python = python_with("--no-deps", "dashscope", "tiktoken", "regex")
    done = subprocess.run([python, COUNTER], input=prompt, capture_output=True, text=True)
    if done.returncode != 0:
        raise RunFailed(done.stderr.strip()[-300:])
    return int(done.stdout)
