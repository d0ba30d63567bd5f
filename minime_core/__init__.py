"""Mini Me: an agent for small local models, and the framework under it.

These names are what plugins and programs may use; everything else can change without notice. They
are loaded when they are used, so that `mm --version` loads almost nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from minime_core.assembly import Options as Options
    from minime_core.assembly import open_session as open_session
    from minime_core.bounds import bound as bound
    from minime_core.bounds import output_limit as output_limit
    from minime_core.cli.finding import Finding as Finding
    from minime_core.cli.loading import load_host as load_host
    from minime_core.cli.opening import Opener as Opener
    from minime_core.config import Config as Config
    from minime_core.discovery import PluginInfo as PluginInfo
    from minime_core.errors import ConfigError as ConfigError
    from minime_core.errors import ConnectionFailed as ConnectionFailed
    from minime_core.errors import ContextOverflow as ContextOverflow
    from minime_core.errors import MinimeError as MinimeError
    from minime_core.errors import PluginError as PluginError
    from minime_core.errors import ProtocolError as ProtocolError
    from minime_core.errors import ProviderError as ProviderError
    from minime_core.errors import RequestRefused as RequestRefused
    from minime_core.errors import ServerFault as ServerFault
    from minime_core.errors import SessionFileError as SessionFileError
    from minime_core.errors import StatusError as StatusError
    from minime_core.errors import StreamCut as StreamCut
    from minime_core.errors import TurnStopped as TurnStopped
    from minime_core.errors import UserError as UserError
    from minime_core.events import ContextUsage as ContextUsage
    from minime_core.events import Continue as Continue
    from minime_core.events import Event as Event
    from minime_core.events import FileDiff as FileDiff
    from minime_core.events import Heartbeat as Heartbeat
    from minime_core.events import MessageDone as MessageDone
    from minime_core.events import ModelEvent as ModelEvent
    from minime_core.events import Notice as Notice
    from minime_core.events import PromptProgress as PromptProgress
    from minime_core.events import Retracted as Retracted
    from minime_core.events import TextDelta as TextDelta
    from minime_core.events import ThinkingDelta as ThinkingDelta
    from minime_core.events import ToolCallDelta as ToolCallDelta
    from minime_core.events import ToolDone as ToolDone
    from minime_core.events import ToolOutput as ToolOutput
    from minime_core.events import ToolStarted as ToolStarted
    from minime_core.events import TurnDone as TurnDone
    from minime_core.events import to_json as to_json
    from minime_core.formats import Reader as Reader
    from minime_core.formats import Reading as Reading
    from minime_core.formats import ToolFormat as ToolFormat
    from minime_core.frontends import FrontendSpec as FrontendSpec
    from minime_core.frontends import SlashCommand as SlashCommand
    from minime_core.frontends import Suggestion as Suggestion
    from minime_core.frontends import exit_code as exit_code
    from minime_core.history import History as History
    from minime_core.hookspecs import hookimpl as hookimpl
    from minime_core.messages import Message as Message
    from minime_core.messages import Timings as Timings
    from minime_core.messages import ToolCall as ToolCall
    from minime_core.messages import Usage as Usage
    from minime_core.middleware import ModelCall as ModelCall
    from minime_core.middleware import ModelLayer as ModelLayer
    from minime_core.middleware import Phase as Phase
    from minime_core.middleware import ToolCaller as ToolCaller
    from minime_core.middleware import ToolLayer as ToolLayer
    from minime_core.models import ModelInfo as ModelInfo
    from minime_core.models import ModelRef as ModelRef
    from minime_core.models import ModelRequest as ModelRequest
    from minime_core.models import Provider as Provider
    from minime_core.models import ProviderSpec as ProviderSpec
    from minime_core.models import with_note as with_note
    from minime_core.permission import Answer as Answer
    from minime_core.permission import Question as Question
    from minime_core.permission import approve as approve
    from minime_core.permission import refuse as refuse
    from minime_core.plugins import PluginHost as PluginHost
    from minime_core.records import Display as Display
    from minime_core.records import Edit as Edit
    from minime_core.records import Rewrite as Rewrite
    from minime_core.records import Undo as Undo
    from minime_core.session import Session as Session
    from minime_core.settings import Seconds as Seconds
    from minime_core.settings import Settings as Settings
    from minime_core.settings import setting as setting
    from minime_core.tools import Arguments as Arguments
    from minime_core.tools import Tool as Tool
    from minime_core.tools import ToolContext as ToolContext
    from minime_core.tools import ToolResult as ToolResult
    from minime_core.tools import tool as tool
    from minime_core.turn import Stash as Stash
    from minime_core.turn import StashKey as StashKey
    from minime_core.turn import Turn as Turn

HOMES = {
    "assembly": "Options open_session",
    "bounds": "bound output_limit",
    "cli.finding": "Finding",
    "cli.loading": "load_host",
    "cli.opening": "Opener",
    "config": "Config",
    "discovery": "PluginInfo",
    "errors": "ConfigError ConnectionFailed ContextOverflow MinimeError PluginError ProtocolError "
    "ProviderError RequestRefused ServerFault SessionFileError StatusError StreamCut TurnStopped "
    "UserError",
    "events": "ContextUsage Continue Event FileDiff Heartbeat MessageDone ModelEvent Notice "
    "PromptProgress Retracted TextDelta ThinkingDelta ToolCallDelta ToolDone ToolOutput "
    "ToolStarted TurnDone to_json",
    "formats": "Reader Reading ToolFormat",
    "frontends": "FrontendSpec SlashCommand Suggestion exit_code",
    "history": "History",
    "hookspecs": "hookimpl",
    "messages": "Message Timings ToolCall Usage",
    "middleware": "ModelCall ModelLayer Phase ToolCaller ToolLayer",
    "models": "ModelInfo ModelRef ModelRequest Provider ProviderSpec with_note",
    "permission": "Answer Question approve refuse",
    "plugins": "PluginHost",
    "records": "Display Edit Rewrite Undo",
    "session": "Session",
    "settings": "Seconds Settings setting",
    "tools": "Arguments Tool ToolContext ToolResult tool",
    "turn": "Stash StashKey Turn",
}
"""The module that each public name is defined in."""

_MODULES = {name: module for module, names in HOMES.items() for name in names.split()}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"minime_core.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
