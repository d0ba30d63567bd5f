"""The syntax of gpt-oss: a header that names the recipient, then the arguments.

    <|channel|>commentary to=functions.ls <|constrain|>json<|message|>{"path": "."}<|call|>

The recipient may stand before the channel. Servers that lose the tokens leave
`assistantcommentary to=functions.ls json{"path": "."}`, which is only believed at the beginning of
an answer. Source: OpenAI's description of the harmony format.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from minime_core.messages import ToolCall
from minime_core.tools import Tool
from minime_tool_formats.cursor import Cursor, Ended, Mismatch
from minime_tool_formats.declarations import typescript_declarations
from minime_tool_formats.family import Family
from minime_tool_formats.json_calls import read_arguments
from minime_tool_formats.json_text import dump
from minime_tool_formats.names import unwrapped

CHANNEL = "<|channel|>"
CONSTRAIN = "<|constrain|>"
MESSAGE = "<|message|>"
START = "<|start|>assistant"
ENDINGS = ("<|call|>", "<|end|>")
RECIPIENT = "to="
TOKENS = (CHANNEL, CONSTRAIN, MESSAGE, START)
HEADER = (*TOKENS, "assistant", "commentary", "analysis", "json", "code", RECIPIENT)
"""The words of a header."""


class Harmony(Family):
    """See the module."""

    name = "harmony"
    openers = (f"{CHANNEL}commentary", f"{CHANNEL}analysis to=", START, f"{CHANNEL} {RECIPIENT}")
    heads = ("assistantcommentary", f"commentary {RECIPIENT}", f"{RECIPIENT}functions.")
    usage = f"{CHANNEL}commentary {RECIPIENT}functions.NAME {CONSTRAIN}json{MESSAGE}{{...}}<|call|>"

    def read_calls(self, cursor: Cursor, tools: Mapping[str, Tool]) -> list[ToolCall]:
        name, has_token = "", False
        cursor.skip_space()
        while not cursor.sees("{"):
            word = next((word for word in HEADER if cursor.sees(word)), None)
            if word is None:
                if any(cursor.may_see(word) for word in HEADER):
                    raise Ended
                raise Mismatch
            cursor.at += len(word)
            has_token = has_token or word in TOKENS
            if word == RECIPIENT:
                name = cursor.name()
            cursor.skip_space()
        is_known = name.startswith("functions.") or unwrapped(name, tools) in tools
        if not (name and (has_token or is_known)):
            raise Mismatch
        call = read_arguments(cursor, _without_json(name, tools))
        for ending in ENDINGS:
            cursor.close(ending, [call])
        return [call]

    def render_tools(self, tools: Sequence[Tool]) -> str:
        return (
            f"namespace functions {{\n{typescript_declarations(tools)}\n}}\n"
            f"To call a function, write:\n{self.usage}"
        )

    def render_call(self, call: ToolCall) -> str:
        header = f"{CHANNEL}commentary {RECIPIENT}functions.{call.name} {CONSTRAIN}json"
        return f"{header}{MESSAGE}{dump(call.arguments)}<|call|>"

    def render_result(self, name: str, text: str) -> str:
        # Without the tokens of a message, which would end the one that this is in.
        return f"[functions.{name}]\n{text}"


def _without_json(name: str, tools: Mapping[str, Tool]) -> str:
    """Return `name` without the `json` that follows it, where the space between them is lost."""
    bare = name.removesuffix("json")
    return bare if unwrapped(name, tools) not in tools and unwrapped(bare, tools) in tools else name
