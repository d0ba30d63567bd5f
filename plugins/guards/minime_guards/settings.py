"""The section `guards` of the settings."""

from __future__ import annotations

from dataclasses import dataclass

from minime_core.settings import Seconds, setting


@dataclass(frozen=True, kw_only=True)
class GuardSettings:
    """What the guards can be told."""

    disabled: list[str] = setting(help="guards that are off, by name", make=list)
    first_token_timeout: Seconds = setting(
        Seconds(180), "longest wait for the first token; longer where the server reads slowly"
    )
    watchdog_timeout: Seconds = setting(Seconds(30), "longest silence between two tokens")
    retries: int = setting(3, "times that a failed request is sent again", least=0)
    retry_wait: Seconds = setting(
        Seconds(0.8), "wait before a failed request is sent again; doubled each time"
    )
    resumes: int = setting(5, "times that an answer cut by the network is continued", least=0)
    loop_warning: int = setting(
        3, "same call and same result in a row before the model is warned", least=2
    )
    loop_stop: int = setting(3, "further repetitions before the turn is ended", least=1)
    loop_temperature: float = setting(
        0.0, "temperature of the request after a warning; 0 leaves it as it is"
    )
    aliases: dict[str, str] = setting(
        help="names that the model may give to tools, such as `shell: bash`", make=dict
    )
