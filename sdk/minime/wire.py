"""Messages to and from the agent's process, one a line."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from minime.process import Process


class Wire:
    """A transport for the protocol package.

    What is no message, such as what a library prints, is left out and treated as stderr.

    on_update: is given the parameters of each `session/update` in the order of the wire, before
        any answer that follows. The package would run each in a task and lose unknown kinds.
    """

    def __init__(self, process: Process, on_update: Callable[[dict[str, Any]], None]) -> None:
        self._process = process
        self._on_update = on_update

    async def send(self, message: dict[str, Any]) -> None:
        line = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        try:
            self._process.stdin.write(line.encode("utf-8", "replace") + b"\n")
            await self._process.stdin.drain()
        except (ConnectionError, RuntimeError) as error:
            if "method" in message:
                raise ConnectionError("the agent reads no more") from error
            # Nobody waits for an answer any more.

    async def receive(self) -> dict[str, Any] | None:
        while True:
            try:
                line = await self._process.stdout.readline()
            except ValueError:
                self._process.hear("[a line of more than 64 MiB is left out]")
                continue
            except ConnectionError:
                return None
            if not line:
                return None
            message = _message(line)
            if message is None:
                if text := line.decode("utf-8", "replace").strip():
                    self._process.hear(text[:1000])
            elif message.get("method") == "session/update" and "id" not in message:
                if isinstance(message.get("params"), dict):
                    self._on_update(message["params"])
            else:
                return message

    async def close(self) -> None:
        self._process.stdin.close()


def _message(line: bytes) -> dict[str, Any] | None:
    """Return the message in a line, None for what the package cannot bear."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or not isinstance(message.get("id"), int | str | None):
        return None
    if "method" in message:
        return message if isinstance(message["method"], str) else None
    if "error" in message and "result" not in message:
        error = message["error"]
        if not isinstance(error, dict) or not isinstance(error.get("code", 0), int):
            return None
    return message
