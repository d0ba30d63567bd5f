"""From what a server says to one line that names the cure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from minime_core.errors import (
    ConnectionFailed,
    ContextOverflow,
    ProviderError,
    RequestRefused,
    ServerFault,
    StatusError,
)

from minime_providers.presets import Preset


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One row of the table; the first whose status and pattern fit explains the answer.

    statuses: those it is looked for in; empty for all, and for errors inside a stream.
    cure: what to tell; `{model}`, `{url}` and `{said}` (the server's words) are filled in.
    final: whether the same request will be refused for ever.
    """

    statuses: tuple[int, ...] = ()
    pattern: str
    cure: str
    final: bool = False


CAUSES = (
    Cause(
        statuses=(401, 403),
        pattern="",
        cure="{url} wants a key: put it into an environment variable and name that in "
        "`api_key_env`, or set `api_key_command` ({said})",
        final=True,
    ),
    Cause(
        statuses=(500, 501, 400),
        pattern=r"--jinja",
        cure="the server was started without tool support: start llama-server with --jinja",
        final=True,
    ),
    Cause(
        pattern=r"jinja|chat template|roles must alternate|parser for this template",
        cure="the model's chat template refuses this conversation: {said}",
        final=True,
    ),
    Cause(
        pattern=r"tool call arguments as JSON",
        cure="the server cannot read a tool call in the conversation: {said}",
        final=True,
    ),
    Cause(
        statuses=(400, 404),
        pattern=r"model.*(not found|not exist|unknown|not loaded)|(unknown|no such|invalid) model",
        cure="{url} has no model {model!r}: `mm --model NAME` chooses another ({said})",
        final=True,
    ),
    Cause(
        statuses=(404, 405),
        pattern="",
        cure="{url} has no chat completions: is the base URL right? It usually ends in /v1",
        final=True,
    ),
    Cause(
        statuses=(503,),
        pattern=r"loading",
        cure="the server is still loading the model: try again in a moment",
    ),
    Cause(statuses=(429,), pattern="", cure="{url} asks to slow down: {said}"),
    Cause(statuses=(301, 302, 303, 307, 308), pattern="", cure="{url} redirects elsewhere: set "
          "`base_url` to the final address", final=True),
    Cause(statuses=(400, 422), pattern="", cure="{url} refuses the request: {said}", final=True),
)

# Where servers put the numbers of an overflow: llama.cpp, vLLM and OpenAI, LM Studio, Ollama.
_OVERFLOW = (
    re.compile(r"request \((?P<needed>\d+) tokens\) exceeds .*?\((?P<window>\d+) tokens\)"),
    re.compile(
        r"maximum context length is (?P<window>\d+) tokens.*?(?:requested|resulted in) (?:about )?"
        r"(?P<needed>\d+)",
        re.DOTALL,
    ),
    re.compile(r"context length of (?:only )?(?P<window>\d+)(?:.*?(?P<needed>\d+) tokens)?", re.DOTALL),
    re.compile(r"exceeds? the (?:available )?context (?:size|length|window)"),
)


@dataclass(frozen=True, slots=True)
class Explainer:
    """Explains the failures of one server."""

    preset: Preset
    url: str
    model: str

    def connection(self, error: ConnectionFailed) -> ConnectionFailed:
        """Return `error` with the command that starts this server."""
        start = f"; start it: {self.preset.start}" if self.preset.start else ""
        why = "nothing listens there" if error.refused else str(error)
        explained = ConnectionFailed(f"{self.url} does not answer: {why}{start}", **self._who())
        explained.refused = error.refused
        return explained

    def status(self, status: int, body: str, retry_after: float | None = None) -> ProviderError:
        """Return the error for an answer of `status`."""
        said = said_by(body)
        if overflow := self._overflow(body, said):
            return overflow
        details: dict[str, Any] = {"status": status, "body": body[:2000], **self._who()}
        for cause in CAUSES:
            if status in cause.statuses or not cause.statuses:
                if re.search(cause.pattern, said, re.IGNORECASE):
                    kind = RequestRefused if cause.final else StatusError
                    return kind(self._fill(cause, said), retry_after=retry_after, **details)
        return StatusError(
            f"{self.url} answered {status}: {said}", retry_after=retry_after, **details
        )

    def event(self, data: object) -> ProviderError:
        """Return the error for an error event inside a stream."""
        body = data if isinstance(data, str) else json.dumps(data)
        said = said_by(body)
        if overflow := self._overflow(body, said):
            return overflow
        for cause in CAUSES:
            if not cause.statuses and re.search(cause.pattern, said, re.IGNORECASE):
                return RequestRefused(self._fill(cause, said), status=500, body=body, **self._who())
        return ServerFault(f"{self.url} failed while it answered: {said}", **self._who())

    def _fill(self, cause: Cause, said: str) -> str:
        return cause.cure.format(model=self.model, url=self.url, said=said or "no reason given")

    def _who(self) -> dict[str, Any]:
        return {"provider": self.preset.name, "model": self.model}

    def _overflow(self, body: str, said: str) -> ContextOverflow | None:
        needed, window = _numbers(body)
        if not window:
            match = next((m for p in _OVERFLOW if (m := p.search(said))), None)
            if match is None:
                return None
            groups = match.groupdict()
            needed, window = int(groups.get("needed") or 0), int(groups.get("window") or 0)
        return ContextOverflow(
            f"the request ({needed or 'unknown'} tokens) is longer than the model's window "
            f"({window or 'unknown'} tokens): start the server with a larger one, or begin anew",
            needed=needed,
            window=window,
            **self._who(),
        )


def said_by(body: str) -> str:
    """Return the message in an error body, in one line of at most 300 characters."""
    text = body
    try:
        text = _message(json.loads(body)) or body
    except (ValueError, RecursionError):
        # A proxy's error page: its title says most.
        if title := re.search(r"<title>(.*?)</title>", body, re.IGNORECASE | re.DOTALL):
            text = title[1]
    text = " ".join(text.split())
    # Of a template's traceback the last part is the reason.
    if "Jinja Exception:" in text:
        text = text.rpartition("Jinja Exception:")[2].strip()
    return text if len(text) <= 300 else text[:297] + "..."


def _message(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        for key in ("error", "message", "detail", "msg"):
            if found := _message(value.get(key)):
                return found
    if isinstance(value, list) and value:
        return _message(value[0])
    return ""


def _numbers(body: str) -> tuple[int, int]:
    """Return llama.cpp's two numbers of an overflow, 0 where they are not."""
    try:
        error = json.loads(body)["error"]
        return int(error["n_prompt_tokens"]), int(error["n_ctx"])
    except (ValueError, TypeError, LookupError, RecursionError):
        return 0, 0
