"""Whether a call may run. Part of the core, directly before the tool: no plugin comes between.

Rules are `tool` or `tool(pattern)`. The pattern is matched with the call's subject (a command, a
path, an address); `*` stands for anything, all else for itself.

* Commands: for an allowed one `*` stands for no shell operator, so `bash(git *)` does not allow
  `git log; rm -rf .`. A denied one is looked for in each part of the line, behind `sudo`, quotes
  and the like. That keeps a model from mistakes; a shell has more ways to hide a command.
* Paths are matched as they really are, whole and relative to the session's folder: neither `..`
  nor a link leads out of what a rule allows, or around what one forbids.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from minime_core.errors import ConfigError
from minime_core.events import FileDiff
from minime_core.messages import ToolCall
from minime_core.settings import Policy
from minime_core.tools import Arguments, Tool

Choice = Literal["once", "always", "no", "never"]

_OPERATORS = re.compile(r"[;&|<>`\n\r]|\$[({]")
_SEPARATORS = re.compile(r"[;&|`\n\r]|[$<>]?\(")
_BEFORE_NAME = re.compile(
    r"(?:[\s!{]|(?:if|then|elif|else|while|until|do|time|exec|eval|command|builtin|env|nice|nohup"
    r"|sudo|xargs|-\S+|\w+=\S*)\s)*(?:\S*/)?"
)
_RULE = re.compile(r"([\w*-]+)(?:\((.*)\))?", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a frontend asks the user before a call runs."""

    call: ToolCall
    tool: Tool
    title: str
    subject: str
    diff: FileDiff | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the user says: `always` and `never` hold for this tool until the session ends.

    arguments: what the call shall run with instead; None when it runs as the model wrote it.
    """

    choice: Choice
    why: str = ""
    arguments: Arguments | None = None


Ask = Callable[[Question], Awaitable[Answer]]


async def refuse(question: Question) -> Answer:
    """Answer for a user who cannot be asked."""
    return Answer(choice="no", why="nobody is there to allow it")


async def approve(question: Question) -> Answer:
    """Answer for a user who has said yes already."""
    return Answer(choice="once")


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a call runs, and with what.

    refusal: why it may not, as text for the model; None when it may.
    arguments: those that the user put in place of the call's; None when it runs as it is.
    """

    refusal: str | None = None
    arguments: Arguments | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """One parsed rule."""

    tool: str
    pattern: str | None

    @classmethod
    def parse(cls, text: str) -> Rule:
        """Read `tool` or `tool(pattern)`. Raises ConfigError."""
        match = _RULE.fullmatch(text.strip())
        if match is None:
            raise ConfigError(f"the rule {text!r} is neither `tool` nor `tool(pattern)`")
        return cls(match[1], match[2])

    def allows(self, tool: Tool, subject: str, cwd: Path) -> bool:
        """Return whether this rule lets the call run; paths are relative to `cwd`."""
        if "execute" in tool.effects:
            is_whole = subject == self.pattern or not _OPERATORS.search(subject)
            return self._fits(tool, [subject] if is_whole else [])
        return self._fits(tool, [subject] if "network" in tool.effects else _paths(subject, cwd))

    def denies(self, tool: Tool, subject: str, cwd: Path) -> bool:
        """Return whether this rule forbids the call; paths are relative to `cwd`."""
        parts = _commands(subject) if "execute" in tool.effects else _paths(subject, cwd)
        return self._fits(tool, [subject, *parts])

    def _fits(self, tool: Tool, subjects: Iterable[str]) -> bool:
        if not fnmatch.fnmatchcase(tool.name, self.tool):
            return False
        if self.pattern is None:
            return True
        pattern = re.sub(r"[?[]", r"[\g<0>]", self.pattern)
        return any(fnmatch.fnmatchcase(subject, pattern) for subject in subjects)


def _commands(line: str) -> Iterator[str]:
    """Yield each part of a command line, also as it is without quotes, from the name on."""
    for text in (line, re.sub(r"\\\n|[\"'\\]", "", line)):
        for part in _SEPARATORS.split(text):
            command = _BEFORE_NAME.sub("", part, count=1)
            yield from (part, command, command.rstrip(" )}"))


def _paths(path: str, cwd: Path) -> list[str]:
    """Return the real path: whole, relative to `cwd`, and below `~`, as patterns may have it."""
    if not path:
        return []
    real = os.path.realpath(cwd / os.path.expanduser(path))
    relative = os.path.relpath(real, os.path.realpath(cwd))
    below_home = os.path.relpath(real, os.path.realpath(os.path.expanduser("~")))
    return [real, relative, f"./{relative}", f"~/{below_home}"]


class Permission:
    """The policy, the rules, and what the user answered in this session.

    cwd: what the paths in rules and calls are relative to.
    """

    def __init__(
        self, policy: Policy, allow: Iterable[str], deny: Iterable[str], cwd: Path = Path()
    ) -> None:
        self.policy: Policy = policy
        self._allow = [Rule.parse(text) for text in allow]
        self._deny = [Rule.parse(text) for text in deny]
        self._cwd = cwd
        self._answers: dict[str, Literal["always", "never"]] = {}

    async def decide(self, question: Question, ask: Ask) -> Decision:
        """Return whether the call runs; the user is asked when neither rule nor policy tells."""
        tool, subject = question.tool, question.subject
        if any(rule.denies(tool, subject, self._cwd) for rule in self._deny):
            return _refused(tool, "a rule of the user forbids it")
        if self._answers.get(tool.name) == "never":
            return _refused(tool, "the user forbids this tool in this session")
        if self.policy == "read-only" and tool.effects - {"read"}:
            return _refused(tool, "this session may only read")
        if self._is_free(tool, subject):
            return Decision()
        answer = await ask(question)
        if answer.choice in ("always", "never"):
            self._answers[tool.name] = answer.choice
        if answer.choice in ("always", "once"):
            return Decision(arguments=answer.arguments)
        return _refused(tool, answer.why or "the user said no")

    def _is_free(self, tool: Tool, subject: str) -> bool:
        return (
            self.policy == "yolo"
            or not tool.effects - {"read"}
            or self._answers.get(tool.name) == "always"
            or any(rule.allows(tool, subject, self._cwd) for rule in self._allow)
        )


def _refused(tool: Tool, why: str) -> Decision:
    return Decision(
        f"[{tool.name}: not allowed, {why}. It did NOT run and its result is unknown. Do not guess "
        "the result and do not repeat the call: do without it, or tell the user what you need.]"
    )
