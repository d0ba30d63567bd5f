"""The layer that tells a model whether to think, in the way that its family is told.

The profile knows the way: fields of the request, such as `chat_template_kwargs` or
`reasoning_effort`, and a word in the system prompt where a model obeys one.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from typing import Any

from minime_core.events import ModelEvent
from minime_core.messages import Message
from minime_core.middleware import ModelCall
from minime_core.models import ModelRequest
from minime_core.session import Session
from minime_prompt.settings import PromptSettings
from minime_shared.origins import origins

# llama.cpp's server (Docker Model Runner runs it too) and vLLM limit thinking by these fields.
BUDGET_FIELDS = {
    "llamacpp": "thinking_budget_tokens",
    "dmr": "thinking_budget_tokens",
    "vllm": "thinking_token_budget",
}


class Thinking:
    """The layer, for one session."""

    def __init__(self, session: Session) -> None:
        self._settings = session.config.section("prompt", PromptSettings)
        self._session = session
        self._sampling_off = {
            name: value
            for name, value in self._settings.thinking_off_sampling.items()
            if not _is_users(session, f"sampling.{name}")
        }
        budget, field = session.settings.thinking_budget, BUDGET_FIELDS.get(session.ref.provider)
        self._budget = {field: budget} if field and budget else {}
        # The system message with the word, kept so that it is the same object in each request.
        self._worded: tuple[Message, Message] | None = None

    def wrap(self, request: ModelRequest, call_next: ModelCall) -> AsyncGenerator[ModelEvent, None]:
        """Ask with what the request's `thinking` means for this model."""
        if request.thinking == "off":
            request = self._off(request)
        else:
            on = self._settings.thinking_on if request.thinking == "on" else {}
            request = _with_fields(request, {**on, **self._budget})
        return call_next(request)

    def _off(self, request: ModelRequest) -> ModelRequest:
        request = _with_fields(request, self._settings.thinking_off)
        if self._sampling_off:
            request = replace(request, sampling={**request.sampling, **self._sampling_off})
        if not self._settings.thinking_off_word or not request.messages:
            return request
        if self._session.settings.thinking != "off":
            # For one request alone: another beginning would make the server read all of it anew.
            return self._worded_at_end(request)
        if request.messages[0].role == "system":
            system, *others = request.messages
            if self._worded is None or self._worded[0] is not system:
                self._worded = (system, self._with_word(system))
            request = replace(request, messages=(self._worded[1], *others))
        return request

    def _worded_at_end(self, request: ModelRequest) -> ModelRequest:
        *others, last = request.messages
        if last.role == "assistant":
            return request
        return replace(request, messages=(*others, self._with_word(last)))

    def _with_word(self, message: Message) -> Message:
        return replace(message, text=f"{message.text}\n\n{self._settings.thinking_off_word}")


def _with_fields(request: ModelRequest, fields: Mapping[str, Any]) -> ModelRequest:
    """Return `request` with `fields`; what it has already stays, also inside of mappings."""
    if not fields:
        return request
    extra = dict(request.extra)
    for name, value in fields.items():
        own = extra.get(name, {})
        if isinstance(value, Mapping) and isinstance(own, Mapping):
            extra[name] = {**value, **own}
        else:
            extra.setdefault(name, value)
    return replace(request, extra=extra)


def _is_users(session: Session, name: str) -> bool:
    """Return whether a setting was set, and not by the profile."""
    origin = origins(session.config).get(name, (None, "default"))[1]
    return origin != "default" and origin not in {layer.origin for layer in session.profile.layers}
