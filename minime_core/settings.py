"""What can be set, once: the names, types, defaults and help of the core's settings.

Files, environment variables (`MM_` and the name in capitals), flags, `mm config show` and the
reference page all come from this. Plugins describe their own section in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NewType

from minime_core.bounds import MOST_OUTPUT

Seconds = NewType("Seconds", float)
"""A duration: a number of seconds, or text such as `30s`, `5m`, `1h30m`."""

Policy = Literal["ask", "read-only", "yolo"]
ToolMode = Literal["auto", "native", "text"]
Switch = Literal["auto", "on", "off"]
Thinking = Switch


def setting(
    default: Any = None,
    help: str = "",
    *,
    make: Callable[[], Any] | None = None,
    guarded: bool = False,
    least: int | None = None,
) -> Any:
    """Describe one setting.

    help: one line without a full stop.
    make: builds the default when it is a list or a mapping.
    guarded: a project that the user does not trust may not set it.
    least: the smallest number that makes sense.
    """
    metadata = {"help": help, "guarded": guarded, "least": least}
    if make is not None:
        return field(default_factory=make, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The core's settings."""

    provider: str = setting("", "kind of server, such as llamacpp or ollama", guarded=True)
    model: str = setting("", "model to ask for")
    base_url: str = setting("", "address of the server's API, up to /v1", guarded=True)
    api_key_env: str = setting("", "environment variable that holds the server's key", guarded=True)
    api_key_command: str = setting("", "command that prints the server's key", guarded=True)
    profile: str = setting(
        "", "model profile; chosen by the model's name when not set", guarded=True
    )
    system: str = setting("", "text that replaces the system prompt")
    sampling: dict[str, float] = setting(
        help="sampling parameters, by their name in the chat completions protocol", make=dict
    )
    max_tokens: int = setting(4096, "most tokens of one answer, thinking included", least=1)
    thinking: Thinking = setting("auto", "whether the model thinks; auto leaves it to the server")
    keep_thinking: bool = setting(
        False, "send the model's earlier thoughts back, for chat templates that want them"
    )
    thinking_budget: int = setting(
        0, "most tokens of thinking, where the server can limit them; 0 sets no limit", least=0
    )
    images: Switch = setting("auto", "whether the model sees images; auto asks the server")
    max_turns: int = setting(
        10, "most requests for one question in which the model may call tools", least=1
    )
    context_window: int = setting(0, "tokens of the model's window; 0 asks the server")
    max_output: int = setting(
        MOST_OUTPUT,
        "most characters of a tool's output that the model sees; unless set, less in small windows",
        least=500,
    )
    tools: list[str] = setting(help="the only tools that the model gets, by name", make=list)
    parallel_tool_calls: bool = setting(False, "ask for several calls in one answer")
    tool_mode: ToolMode = setting(
        "auto", "how tools reach the model: by the server's template, or as text in the prompt"
    )
    tool_format: str = setting("json", "syntax of calls in text tool mode")
    enforce_choices: bool = setting(
        False, "hold the arguments of calls in text tool mode to what the question names"
    )
    examples: list[dict[str, Any]] = setting(
        help="questions with their calls and answers, shown to the model in text tool mode",
        make=list,
    )
    extra_body: dict[str, Any] = setting(
        help="more fields for the body of each request", make=dict, guarded=True
    )
    policy: Policy = setting("ask", "what runs without a question", guarded=True)
    allow: list[str] = setting(
        help="calls that run without a question, such as `bash(git status*)`",
        make=list,
        guarded=True,
    )
    deny: list[str] = setting(
        help="calls that never run, such as `bash(rm *)`", make=list, guarded=True
    )
    disabled_plugins: list[str] = setting(
        help="plugins that are not loaded", make=list, guarded=True
    )
    plugin_timeout: Seconds = setting(
        Seconds(60), "longest time that an installed plugin may keep a question waiting"
    )
    preview_lines: int = setting(8, "lines of a tool's output that are shown to the user", least=0)
