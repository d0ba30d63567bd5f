"""Every error that Mini Me raises on purpose.

    MinimeError                     one line for the user; never a traceback
    ├── UserError                   exit 2: the command line or a file is wrong
    │   ├── ConfigError             a setting, its value or its file
    │   └── SessionFileError        a session file that cannot be used
    ├── ProviderError               exit 3: the model server
    │   ├── ConnectionFailed        nothing answered, or the connection broke before the answer
    │   ├── StreamCut               the answer stopped in the middle
    │   ├── StatusError             the server refused: status and body
    │   │   └── RequestRefused      ... and will refuse the same request for ever
    │   ├── ServerFault             an error event inside a stream of status 200
    │   ├── ContextOverflow         the request is longer than the window
    │   └── ProtocolError           the answer is not what the protocol says
    ├── PluginError                 exit 4: a plugin failed
    └── TurnStopped                 exit 1: a layer ends the turn (stuck, stalled, ...)

What goes wrong in a tool is not an error but text for the model: see `tools.ToolResult`.
Anything else that escapes is a bug of ours and keeps its traceback.
"""

from __future__ import annotations

from typing import Literal


class MinimeError(Exception):
    """Say in one line what went wrong and how to cure it."""

    exit_code = 1


class UserError(MinimeError):
    """The command line, or a file that the user owns, cannot be used."""

    exit_code = 2


class ConfigError(UserError):
    """A setting is unknown or has a value of the wrong kind."""


class SessionFileError(UserError):
    """A session file is missing, locked, foreign, or newer than this version."""


class ProviderError(MinimeError):
    """The model server failed; `provider` and `model` say which."""

    exit_code = 3

    def __init__(self, message: str, *, provider: str = "", model: str = "") -> None:
        super().__init__(message)
        self.provider = provider
        self.model = model


class ConnectionFailed(ProviderError):
    """No connection, or it broke before the first byte of the answer.

    `refused` is true when nothing listens there, which for a local server means that it is down.
    """

    refused: bool = False


class StreamCut(ProviderError):
    """The stream ended before the server said that the answer is complete."""


class StatusError(ProviderError):
    """The server answered with an error status."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        body: str = "",
        retry_after: float | None = None,
        provider: str = "",
        model: str = "",
    ) -> None:
        super().__init__(message, provider=provider, model=model)
        self.status = status
        self.body = body
        self.retry_after = retry_after
        """Seconds that the server asked us to wait, or None."""


class RequestRefused(StatusError):
    """The server will never take this request: asking again is no use."""


class ServerFault(ProviderError):
    """The server sent an error event after it had begun to answer."""


class ContextOverflow(ProviderError):
    """The request does not fit the window; both numbers are in tokens, 0 when unknown."""

    def __init__(
        self, message: str, *, needed: int, window: int, provider: str = "", model: str = ""
    ) -> None:
        super().__init__(message, provider=provider, model=model)
        self.needed = needed
        self.window = window


class ProtocolError(ProviderError):
    """The server's answer is not an answer of the chat completions protocol."""


class PluginError(MinimeError):
    """A plugin failed; `plugin` is its name."""

    exit_code = 4

    def __init__(self, message: str, *, plugin: str) -> None:
        super().__init__(message)
        self.plugin = plugin


class TurnStopped(MinimeError):
    """Raised by a layer to end the turn; `reason` becomes that of `TurnDone`."""

    def __init__(self, message: str, *, reason: Literal["stuck", "stalled", "limit"]) -> None:
        super().__init__(message)
        self.reason = reason
