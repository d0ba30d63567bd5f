"""The policy `names`: a tool's name that is nearly right is put right, any other is explained."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from difflib import SequenceMatcher

from minime_core.events import MessageDone
from minime_core.messages import ToolCall
from minime_core.models import ModelRequest
from minime_core.tools import Tool
from minime_guards.layering import with_calls

ALIASES: Mapping[str, str] = {
    alias: name
    for name, aliases in {
        "bash": "shell run execute exec run_command run_shell_command execute_command terminal cmd "
        "command sh bash_tool shell_command run_bash execute_bash local_shell",
        "read_file": "cat open open_file view view_file read get_file file_read read_text_file",
        "write_file": "create create_file new_file save save_file write file_write",
        "edit_file": "str_replace str_replace_editor str_replace_based_edit_tool replace edit "
        "modify_file file_edit search_replace apply_edit update_file",
        "fetch_content": "fetch fetch_url web_fetch get_url browse read_url",
        "read_skill": "skill use_skill load_skill",
    }.items()
    for alias in aliases.split()
}
"""Names that models give to tools of other agents, and the tool that does the same here."""

_SPECIAL_TOKEN = re.compile(r"<\|?[^<>]*\|?>")
_NAMESPACE = re.compile(r"(?:functions?|tools?|default_api|namespace|multi_tool_use)[.:/]+")


class Names:
    """The judge, for one session.

    aliases: the user's own, before `ALIASES`.
    """

    def __init__(self, tools: Mapping[str, Tool], aliases: Mapping[str, str]) -> None:
        self._tools = tools
        self._by_key: dict[str, list[str]] = {}
        for name in tools:
            self._by_key.setdefault(_key(name), []).append(name)
        self._aliases = {
            _key(alias): name
            for alias, name in (*ALIASES.items(), *aliases.items())
            if name in tools
        }

    def judge(self, request: ModelRequest, done: MessageDone) -> MessageDone:
        """Return `done` with the names of its calls put right, or the calls rejected."""
        return with_calls(done, self._named)

    def _named(self, call: ToolCall) -> ToolCall:
        if call.name in self._tools:
            return call
        name = self._meant(call.name)
        if name is None:
            shown = _shown(call.name)
            return replace(call, name=shown, rejected=call.rejected or self._rejection(shown))
        rejected = call.rejected and call.rejected.replace(f"[{call.name}:", f"[{name}:", 1)
        return replace(call, name=name, rejected=rejected)

    def _meant(self, written: str) -> str | None:
        """Return the one tool that `written` can mean."""
        for candidate in _candidates(written):
            fitting = self._by_key.get(_key(candidate), [])
            if len(fitting) == 1:
                return fitting[0]
            if not fitting and (alias := self._aliases.get(_key(candidate))):
                return alias
        return None

    def _rejection(self, shown: str) -> str:
        nearest = sorted(self._tools, key=lambda name: -_likeness(shown, name))
        if not nearest:
            return f"[{shown}: there are no tools here. Answer without.]"
        return f"[{shown}: there is no such tool, nothing ran. Your tools: {', '.join(nearest)}]"


def _candidates(written: str) -> Iterable[str]:
    """Yield what `written` may have been meant as, the surest first."""
    if "to=" in written:
        # gpt-oss: `assistant<|channel|>commentary to=functions.bash <|constrain|>json`
        yield _plain(re.split(r"[\s<]", written.partition("to=")[2].strip(), maxsplit=1)[0])
    parts = [part for part in _SPECIAL_TOKEN.split(written) if part.strip()]
    yield from map(_plain, parts[:1])
    yield _plain(written)


def _plain(written: str) -> str:
    written = written.strip(" \t\r\n\"'`*():,")
    return _NAMESPACE.sub("", written)


def _key(name: str) -> str:
    """Return what is the same for `ReadFile`, `read-file` and `read_file`."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _shown(written: str) -> str:
    return re.sub(r"[^\w.-]+", "_", _plain(written))[:64].strip("_") or "unnamed"


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, _key(one), _key(other)).ratio()
