"""Tools: what the model can call, and what comes back.

A failure is not an exception but a result with text that the model can act on.
"""

from __future__ import annotations

import inspect
import json
import os
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from minime_core.events import FileDiff
from minime_core.records import Undo

if TYPE_CHECKING:
    from jsonschema.protocols import Validator
    from pydantic import BaseModel

Effect = Literal["read", "write", "execute", "network"]
Kind = Literal["read", "edit", "delete", "search", "execute", "think", "fetch", "other"]
"""What a call is, in the words of the Agent Client Protocol."""
Choices = Callable[[str, "ToolContext"], Mapping[str, Sequence[str]]]
StepStatus = Literal["pending", "in_progress", "done"]
Arguments = Mapping[str, Any]
"""The arguments of a call, as the schema of its tool has them."""
MAX_FAULTS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a call brought.

    text: what the model reads; the core cuts it to `max_output` characters.
    ok: false when the call failed, or did not run.
    ran: false when it did not run: it was refused, or named what is not there.
    """

    text: str
    ok: bool = True
    ran: bool = True
    diffs: tuple[FileDiff, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """What a running tool may use of the session.

    cwd: the folder that relative paths start from.
    max_output: most characters of a result.
    emit: shows a piece of output while the tool runs.
    remember: stores the content of a file before it is written.
    stash: what tools keep for the length of the session, by their own key.
    """

    cwd: Path
    max_output: int
    emit: Callable[[str], None] = lambda text: None
    remember: Callable[[Undo], object] = lambda undo: None
    stash: dict[str, Any] = field(default_factory=dict)

    def resolve(self, path: str) -> Path:
        """Return `path` as an absolute one; `~` is the user's home."""
        return self.cwd / os.path.expanduser(path)


ToolFunction = Callable[[Arguments, ToolContext], Awaitable[ToolResult]]


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool that the model can call.

    name: letters, digits, `_` and `-`, at most 64 characters.
    description: what the model reads; it is paid for in each request.
    schema: JSON schema of the arguments, an object; calls are checked against it before they run.
    accepts: a wider schema to check them against instead, for a tool that understands more than it
        asks for.
    effects: what a call does to the world; permission depends on it.
    kind: what frontends show it as.
    tally: what frontends count its calls as, such as `command`; "" when nobody asks how many.
    title: one line for the user that says what this call does.
    subject: what permission patterns are matched with: the command, the path, the address.
    locations: the files that a call is about.
    diff: what a call would change, for the question to the user; None when that is unknown.
    choices: for some arguments, the values that a question can mean: a model that is too small to
        copy a name is held to them, where a profile says so and the server enforces a schema.
    plan: the steps that a call shows to the user, with their status, instead of doing anything.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    run: ToolFunction
    effects: frozenset[Effect]
    kind: Kind = "other"
    tally: str = ""
    accepts: Mapping[str, Any] | None = None
    title: Callable[[Arguments], str] = lambda arguments: ""
    subject: Callable[[Arguments], str] = lambda arguments: ""
    locations: Callable[[Arguments], tuple[str, ...]] = lambda arguments: ()
    diff: Callable[[Arguments, ToolContext], FileDiff | None] = lambda arguments, context: None
    choices: Choices = lambda question, context: {}
    plan: Callable[[Arguments], Sequence[tuple[str, StepStatus]]] = lambda arguments: ()

    def __post_init__(self) -> None:
        """Refuse what no server takes. Raises ValueError, and TypeError for what is not JSON."""
        if not re.fullmatch("[0-9A-Za-z_-]{1,64}", self.name):
            raise ValueError(f"{self.name!r} cannot be the name of a tool")
        json.dumps(self.schema)

    @cached_property
    def _validator(self) -> Validator:
        from jsonschema import Draft202012Validator

        return Draft202012Validator(self.accepts or self.schema)

    def faults(self, arguments: Arguments) -> list[str]:
        """Return what is wrong with `arguments`, each as `where: what`; empty when they fit.

        Of many faults the first ones.
        """
        try:
            errors = [*islice(self._validator.iter_errors(arguments), MAX_FAULTS)]
        except Exception as error:  # a schema that is none fails in many ways
            return [f"the tool cannot be used, its schema is wrong: {_shorten(str(error))}"]
        return [f"{e.json_path[2:] or 'arguments'}: {_shorten(e.message)}" for e in errors]

    @cached_property
    def shape(self) -> str:
        """The expected arguments in one line, such as `{path, edits:[{old, new}], dry_run?}`."""
        return _shape(self.schema)


def tool(
    *, effects: frozenset[Effect] | set[Effect], kind: Kind = "other"
) -> Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a function with type hints and a docstring.

    The docstring is the description, the parameters are the schema. A parameter named `context` is
    given the `ToolContext`. The function may be async; it returns text or a `ToolResult`.
    """

    def decorate(function: Callable[..., Any]) -> Tool:
        signature = inspect.signature(function, eval_str=True)
        wants_context = "context" in signature.parameters
        model = _arguments_model(function.__name__, signature)

        async def run(arguments: Arguments, context: ToolContext) -> ToolResult:
            given = model.model_validate(dict(arguments))
            values: dict[str, Any] = {"context": context} if wants_context else {}
            for name in given.model_fields_set:
                values[str(model.model_fields[name].alias)] = getattr(given, name)
            result = function(**values)
            if inspect.isawaitable(result):
                result = await result
            return result if isinstance(result, ToolResult) else ToolResult(text=str(result))

        return Tool(
            name=function.__name__,
            description=inspect.getdoc(function) or "",
            schema=_without_titles(model.model_json_schema()),
            run=run,
            effects=frozenset(effects),
            kind=kind,
        )

    return decorate


def _arguments_model(name: str, signature: inspect.Signature) -> type[BaseModel]:
    from pydantic import ConfigDict, Field, create_model

    fields: dict[str, Any] = {}
    for index, parameter in enumerate(signature.parameters.values()):
        if parameter.name == "context":
            continue
        if parameter.annotation is parameter.empty:
            raise TypeError(f"the parameter {parameter.name} of tool {name} has no type hint")
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(f"tool {name} cannot take {parameter}")
        default = ... if parameter.default is parameter.empty else parameter.default
        # By alias, since pydantic's models have attributes such as `json` and `copy` themselves.
        fields[f"field{index}"] = (parameter.annotation, Field(default, alias=parameter.name))
    config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)
    return create_model("Arguments", __config__=config, **fields)


def _without_titles(schema: dict[str, Any]) -> dict[str, Any]:
    schema.pop("title", None)
    for value in schema.get("properties", {}).values():
        value.pop("title", None)
    return schema


def _shape(schema: Mapping[str, Any]) -> str:
    if "properties" in schema:
        required = schema.get("required", ())
        return (
            "{"
            + ", ".join(
                name
                + ("" if name in required else "?")
                + (":" + inner if (inner := _shape(value)) else "")
                for name, value in schema["properties"].items()
            )
            + "}"
        )
    if "items" in schema:
        return f"[{_shape(schema['items']) or '...'}]"
    return ""


def _shorten(text: str, limit: int = 200) -> str:
    return text if len(text) <= limit else f"{text[: limit // 2]} ... {text[-limit // 2 :]}"
