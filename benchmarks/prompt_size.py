"""How much the model reads before the user's first word: the system prompt and the tools."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from client import Client
from figures import Figure
from measure import RunFailed
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import text
from venvs import python_with

COUNTER = Path(__file__).parent / "count_qwen_tokens.py"

FIGURES = (
    Figure(key="prompt_chars", title="fixed prompt", unit="chars", limit=4600),
    Figure(key="prompt_tokens", title="fixed prompt, Qwen's tokenizer", unit="tokens", limit=1150),
    Figure(key="prompt_estimate", title="fixed prompt, ESTIMATE: characters / 4", unit="tokens"),
)


def sample(client: Client) -> dict[str, float]:
    """Return the size of the system message and of the tools as JSON, as they are sent.

    Where the tokenizer cannot be fetched, the tokens are estimated.
    """
    with FaultServer() as server:
        server.enqueue(text("Hello."))
        client.start(server.base_url, "-p", "hello").finish("Hello.")
        body = server.chat_requests[0].json
    system = "".join(m["content"] for m in body["messages"] if m["role"] == "system")
    tools = json.dumps(body.get("tools", []), ensure_ascii=False, separators=(",", ":"))
    characters = len(system) + len(tools)
    try:
        return {"prompt_chars": characters, "prompt_tokens": _count_tokens(f"{system}\n{tools}")}
    except RunFailed:
        return {"prompt_chars": characters, "prompt_estimate": characters / 4}


def _count_tokens(prompt: str) -> int:
    python = python_with("--no-deps", "dashscope", "tiktoken", "regex")
    done = subprocess.run([python, COUNTER], input=prompt, capture_output=True, text=True)
    if done.returncode != 0:
        raise RunFailed(done.stderr.strip()[-300:])
    return int(done.stdout)
