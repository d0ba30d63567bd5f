"""Calls as Python code: `read_file(path="a.txt")`."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from minime_core.messages import ToolCall
from minime_core.tools import Tool
from minime_shared.schemas import tool_parameters
from minime_tool_formats.cursor import Mismatch
from minime_tool_formats.names import schema_of, unwrapped

if TYPE_CHECKING:
    import ast

MAX_CODE = 100_000
"""Longest code that is parsed, in characters; Python's parser takes much memory."""

_HEAD = re.compile(r"\s*(?:print\()?([\w.]+)\s*\(")
_TYPES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
}


def parse_code(code: str, tools: Mapping[str, Tool]) -> list[ToolCall]:
    """Return the calls that `code` consists of.

    Code that cannot be parsed, because it was cut or is wrong, is left in the call of a known tool
    that it begins with. Raises Mismatch when it is other code.
    """
    try:
        return [_call(node, tools) for node in _calls(code)]
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        head = _HEAD.match(code)
        if head is None or _plain(head[1], tools) not in tools:
            raise Mismatch from None
        return [ToolCall(name=_plain(head[1], tools), arguments={}, raw=code[head.end() :])]


def render_call(call: ToolCall) -> str:
    """Return `call` as Python writes it."""
    arguments = ", ".join(f"{key}={value!r}" for key, value in call.arguments.items())
    return f"{call.name}({arguments})"


def signature(tool: Tool) -> str:
    """Return a tool as a function without a body."""
    schema = tool_parameters(tool.schema)
    required = schema.get("required", ())
    parameters = ", ".join(
        f"{name}: {_type(value)}" + ("" if name in required else " = None")
        for name, value in schema["properties"].items()
    )
    return f"def {tool.name}({parameters}): {tool.description!r}"


def _type(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    return _TYPES.get(kind, "Any") if isinstance(kind, str) else "Any"


def _calls(code: str) -> Iterator[ast.Call]:
    """Yield the call of each statement. Raises ValueError when one is no call."""
    import ast

    if len(code) > MAX_CODE:
        raise ValueError("too long")
    with warnings.catch_warnings():
        # Models write `\d` and `\.` in plain strings, which Python warns of.
        warnings.simplefilter("ignore")
        body = ast.parse(code.strip()).body
    if not body:
        raise ValueError("no code")
    for statement in body:
        node = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(node, ast.Call):
            raise ValueError("not a call")
        # `print` shows the result where code is really run.
        inner = node.args[0] if len(node.args) == 1 else None
        is_print = isinstance(node.func, ast.Name) and node.func.id == "print"
        yield inner if is_print and isinstance(inner, ast.Call) else node


def _call(node: ast.Call, tools: Mapping[str, Tool]) -> ToolCall:
    import ast

    name = _plain(ast.unparse(node.func), tools)
    # Arguments without a name are those that the schema names first.
    properties = list(schema_of(name, tools).get("properties", {}))
    if len(node.args) > len(properties):
        raise ValueError("too many arguments")
    values = dict(zip(properties, node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg is None:
            raise ValueError("an unpacked mapping")
        values[keyword.arg] = keyword.value
    return ToolCall(
        name=name, arguments={key: ast.literal_eval(value) for key, value in values.items()}
    )


def _plain(name: str, tools: Mapping[str, Tool]) -> str:
    """Return the name of a tool without the namespace and the method that stand for "call it"."""
    return unwrapped(name if name in tools else name.removesuffix(".call"), tools)
