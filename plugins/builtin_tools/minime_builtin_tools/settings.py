"""The section `builtin_tools` of the settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from minime_core.settings import Seconds, setting


@dataclass(frozen=True, kw_only=True)
class ToolSettings:
    """Which tools there are, and their limits."""

    bash: bool = setting(True, help="the model may run shell commands")
    edit: bool = setting(True, help="the model has read_file, write_file and edit_file")
    plan: Literal["auto", True, False] = setting(
        "auto", help="the model has plan; auto: when the window has 16384 tokens or more"
    )
    fetch_content: bool = setting(False, help="the model may read web pages")
    bash_timeout: Seconds = setting(Seconds(30), "longest run of a command", least=1)
    bash_max_timeout: Seconds = setting(
        Seconds(600), "longest run that the model may ask for", least=1
    )
    hidden_env: list[str] = setting(
        help="environment variables that commands do not get; `*` stands for anything",
        make=lambda: ["*_API_KEY"],
    )
    fetch_private: bool = setting(
        False, help="fetch_content may also read from this machine and private networks"
    )
