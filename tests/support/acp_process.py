"""`mm acp` as a process, driven by lines."""

from __future__ import annotations

import itertools
import json
import subprocess
from collections.abc import Sequence
from typing import Any

from minime_core.testing.command import TIMEOUT, Mm


class AcpProcess:
    """A running agent; leaving the `with` closes its stdin and waits for its end.

    heard: all messages so far; that each line is one is checked when it is read.
    """

    def __init__(self, mm: Mm, *arguments: str, **options: Any) -> None:
        self.heard: list[dict[str, Any]] = []
        self.process = mm.start(
            *(arguments or ("acp",)), **{"stdin": subprocess.PIPE, "bufsize": 0, **options}
        )
        self._numbers = itertools.count(1)

    def __enter__(self) -> AcpProcess:
        return self

    def __exit__(self, *failure: object) -> None:
        try:
            if failure[0] is None and self.process.poll() is None:
                self.end()
        finally:
            self.process.kill()
            self.process.wait()
            for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
                assert stream is not None
                stream.close()

    def send(self, **message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def begin(self, method: str, **params: Any) -> int:
        """Send a request and return its number."""
        number = next(self._numbers)
        self.send(id=number, method=method, params=params)
        return number

    def next(self) -> dict[str, Any]:
        """Return the next message."""
        assert self.process.stdout is not None
        line = bytearray()
        while not line.endswith(b"\n"):
            piece = self.process.stdout.read(1)
            assert piece, f"the agent has left after {bytes(line)!r}"
            line += piece
        message: dict[str, Any] = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        self.heard.append(message)
        return message

    def answer(self, number: int) -> dict[str, Any]:
        """Return the result of a request, which has to be one."""
        while (message := self.next()).get("id") != number or "method" in message:
            pass
        assert "result" in message, message
        result: dict[str, Any] = message["result"]
        return result

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        return self.answer(self.begin(method, **params))

    def open(self, cwd: Any, capabilities: Any = None) -> str:
        """Greet the agent, open a session, and return its id."""
        self.ask("initialize", protocolVersion=1, clientCapabilities=capabilities or {})
        session: str = self.ask("session/new", cwd=str(cwd), mcpServers=[])["sessionId"]
        return session

    def begin_prompt(self, session: str, text: str) -> int:
        prompt = [{"type": "text", "text": text}]
        return self.begin("session/prompt", sessionId=session, prompt=prompt)

    def updates(self, *kinds: str) -> list[dict[str, Any]]:
        found = [m["params"]["update"] for m in self.heard if m.get("method") == "session/update"]
        return [update for update in found if update["sessionUpdate"] in kinds]

    def until(self, *kinds: str) -> dict[str, Any]:
        """Read until an update of one of these kinds has come, and return it."""
        while not (found := self.updates(*kinds)):
            self.next()
        return found[0]

    def end(self) -> tuple[int, Sequence[bytes]]:
        """Close its stdin; return its exit code and the lines that it still sent."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        rest = self.process.stdout.read().splitlines()
        return self.process.wait(TIMEOUT), rest
