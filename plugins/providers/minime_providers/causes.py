"""From what a server says to one line that names the cure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from minime_core.errors import (
    ConnectionFailed,
    ProtocolError,
    ProviderError,
    RequestRefused,
    ServerFault,
    StatusError,
)
from minime_providers.overflow import overflow_in
from minime_providers.presets import Preset

MAX_MESSAGE = 8192
"""Most characters of a server's message that are looked at."""
MAX_QUOTE = 300
"""Most characters of it that are shown."""
MAX_BODY = 2000
"""Most characters of an error's body that are kept."""
MAX_DEPTH = 4
"""How deep in an error its message is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One row of the table; the first whose status and pattern fit explains the answer.

    statuses: those it is looked for in; empty for all, and for errors inside a stream.
    cure: what to tell; `{url}`, `{model}`, `{said}` (the server's words), `{key}` (where its key
        is from) and `{fetch}` (how to get a model) are filled in.
    final: whether the same request will be refused for ever.
    """

    statuses: tuple[int, ...] = ()
    pattern: str = ""
    cure: str
    final: bool = True

    def fits(self, status: int | None, message: str) -> bool:
        is_looked_for = not self.statuses or status in self.statuses
        return is_looked_for and bool(re.search(self.pattern, message, re.IGNORECASE))


NO_CHAT = "{url} has no chat completions: is the base URL right? It usually ends in /v1 ({said})"

CAUSES = (
    Cause(statuses=(401, 403), cure="{url} wants a key: {key} ({said})"),
    Cause(
        pattern=r"requires? (the )?--jinja",
        cure="the server was started without tool support: start llama-server with --jinja",
    ),
    Cause(
        pattern=r"--enable-auto-tool-choice",
        cure="the server was started without tool support: start vLLM with "
        "--enable-auto-tool-choice --tool-call-parser NAME, or set `tool_mode: text`",
    ),
    Cause(
        pattern=r"does not support tools",
        cure="{url} has no tools for the model {model!r}: set `tool_mode: text`",
    ),
    Cause(
        pattern=r"JSON schema (error|conversion)|failed to parse grammar",
        cure="the server cannot use the schema of a tool or of the answer: {said}",
    ),
    Cause(
        pattern=r"jinja|chat template|roles must alternate|parser for this template",
        cure="the model's chat template refuses this conversation: {said}",
    ),
    Cause(
        pattern=r"tool call arguments as JSON",
        cure="the server cannot read a tool call in the conversation: {said}",
    ),
    Cause(
        pattern=r"model\b.*\b(not found|not exist|not loaded)|(unknown|no such|invalid) model"
        r"|no models? (is )?loaded",
        cure="{url} has no model {model!r}: {fetch}`mm --model NAME` chooses another ({said})",
    ),
    Cause(
        statuses=(404, 405),
        cure=NO_CHAT,
    ),
    # LM Studio says so with status 200.
    Cause(
        pattern=r"unexpected endpoint",
        cure=NO_CHAT,
    ),
    Cause(
        statuses=(503,),
        pattern=r"loading",
        cure="{url} is still loading the model: try again in a moment",
        final=False,
    ),
    Cause(statuses=(429,), cure="{url} asks to slow down: {said}", final=False),
    Cause(
        statuses=(301, 302, 303, 307, 308),
        cure="{url} redirects elsewhere: set `base_url` to the final address",
    ),
    Cause(statuses=(400, 422), cure="{url} refuses the request: {said}"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explainer:
    """Explains the failures of one server.

    secret: the server's key, which is in no message even if the server repeats it.
    """

    preset: Preset
    url: str
    secret: str = ""

    def connection(self, error: ConnectionFailed) -> ConnectionFailed:
        """Return `error` with the command that starts this server, where it does not run."""
        why = self._quote(str(error))
        if error.refused:
            why = "nothing listens there"
            why += f"; start it: {self.preset.start}" if self.preset.start else ""
        explained = ConnectionFailed(f"{self.url} does not answer: {why}")
        explained.refused = error.refused
        return explained

    def status(
        self, status: int, body: str, model: str, retry_after: float | None = None
    ) -> ProviderError:
        """Return the error for an answer of `status`."""
        message = message_in(body)
        said = self._quote(message)
        if overflow := overflow_in(body, message):
            return overflow
        details: dict[str, Any] = {
            "status": status,
            "body": self._without_secret(body)[:MAX_BODY],
            "retry_after": retry_after,
        }
        if cause := _cause(status, message):
            kind = RequestRefused if cause.final else StatusError
            return kind(self._fill(cause, said, model), **details)
        return StatusError(f"{self.url} answered {status}: {said or 'no reason'}", **details)

    def event(self, data: object, model: str) -> ProviderError:
        """Return the error for an error event inside a stream."""
        body = json.dumps(data, ensure_ascii=False)
        message = message_in(body)
        said = self._quote(message)
        if overflow := overflow_in(body, message):
            return overflow
        if cause := _cause(None, message):
            text = self._fill(cause, said, model)
            return RequestRefused(text, status=200, body=self._without_secret(body)[:MAX_BODY])
        return ServerFault(f"{self.url} failed while it answered: {said or 'no reason'}")

    def garbage(self, body: bytes) -> ProtocolError:
        """Return the error for a body that is no answer."""
        said = self._quote(message_in(body.decode("utf-8", "replace")))[:100]
        return ProtocolError(
            f"{self.url} sent {said!r} where an answer was expected: is the base URL right?"
        )

    def _fill(self, cause: Cause, said: str, model: str) -> str:
        key = "put it into an environment variable and name that in `api_key_env` beside base_url"
        if self.secret:
            key = "it does not take the one that it was given"
        elif self.preset.key_env and self.url == self.preset.base_url:
            key = f"set {self.preset.key_env}"
        has_fetch = model and self.preset.fetch
        fetch = f"`{self.preset.fetch} {model}` gets it, " if has_fetch else ""
        return cause.cure.format(
            url=self.url, model=model, said=said or "no reason", key=key, fetch=fetch
        )

    def _quote(self, text: str) -> str:
        """Return words of a server as one line that is safe to show."""
        # llama.cpp gives the reason last, behind its steps and lines of the template.
        for steps in ("Automatic parser generation failed:", "Jinja Exception:"):
            text = text.rpartition(steps)[2]
        text = self._without_secret(text)
        text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        return text if len(text) <= MAX_QUOTE else text[: MAX_QUOTE - 3] + "..."

    def _without_secret(self, text: str) -> str:
        return text.replace(self.secret, "[key]") if self.secret else text


def message_in(body: str) -> str:
    """Return the message in an error body, or the title of a web page."""
    try:
        message = _message(json.loads(body)) or body
    except (ValueError, RecursionError):
        title = re.search(r"<title>([^<]*)</title>", body, re.IGNORECASE)
        message = title[1] if title else body
    return message[:MAX_MESSAGE]


def refused_fields(body: str) -> set[str]:
    """Return all words of an error body that may name a field of the request."""
    words = message_in(body)[:MAX_QUOTE]
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        error = value.get("error")
        # OpenAI names the field in `param`, validators such as FastAPI's in `loc`.
        words += f" {error.get('param')}" if isinstance(error, dict) else ""
        detail = value.get("detail")
        for fault in detail if isinstance(detail, list) else ():
            words += f" {fault.get('loc')}" if isinstance(fault, dict) else ""
    return set(re.findall(r"\w+", words))


def _cause(status: int | None, message: str) -> Cause | None:
    return next((cause for cause in CAUSES if cause.fits(status, message)), None)


def _message(value: object, depth: int = 0) -> str:
    """Return the first text where servers put the message of an error."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        inner = [value.get(key) for key in ("error", "message", "detail", "msg")]
    else:
        inner = value[:1] if isinstance(value, list) else []
    if depth == MAX_DEPTH:
        return ""
    return next(filter(None, (_message(item, depth + 1) for item in inner)), "")
