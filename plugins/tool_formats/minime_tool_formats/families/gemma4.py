"""The syntax of Gemma 4: a call between tokens, strings between tokens of their own.

    <|tool_call>call:read_file{path:<|"|>a.txt<|"|>,lines:[1,2]}<tool_call|>

FunctionGemma writes the same with other tokens: `<start_function_call>`, `<escape>` and
`<end_function_call>`. Source: the chat templates of both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from minime_core.messages import ToolCall
from minime_core.tools import Tool
from minime_shared.schemas import tool_parameters
from minime_tool_formats.cursor import Cursor
from minime_tool_formats.family import Family
from minime_tool_formats.token_values import STRING, read_object, render

OPENING = "<|tool_call>"
CLOSING = "<tool_call|>"
FUNCTION_OPENING = "<start_function_call>"
FUNCTION_CLOSING = "<end_function_call>"


class Gemma4(Family):
    """See the module."""

    name = "gemma4"
    openers = (OPENING, FUNCTION_OPENING)
    usage = f"{OPENING}call:NAME{{KEY:{STRING}TEXT{STRING},KEY:NUMBER}}{CLOSING}"

    def read_calls(self, cursor: Cursor, tools: Mapping[str, Tool]) -> list[ToolCall]:
        closing = CLOSING if cursor.sees(OPENING) else FUNCTION_CLOSING
        cursor.expect(OPENING if closing == CLOSING else FUNCTION_OPENING)
        cursor.skip_space()
        cursor.expect("call:")
        name = cursor.name()
        cursor.skip_space()
        call = read_object(cursor, name)
        cursor.close(closing, [call])
        return [call]

    def render_tools(self, tools: Sequence[Tool]) -> str:
        declarations = "\n".join(f"<|tool>{_declaration(tool)}<tool|>" for tool in tools)
        return f"{declarations}\nTo call a tool, write:\n{self.usage}"

    def render_call(self, call: ToolCall) -> str:
        return f"{OPENING}call:{call.name}{render(call.arguments)}{CLOSING}"

    def render_result(self, name: str, text: str) -> str:
        return f"<|tool_response>response:{name}{render({'value': text})}<tool_response|>"


def _declaration(tool: Tool) -> str:
    described = {"description": tool.description, "parameters": tool_parameters(tool.schema)}
    return f"declaration:{tool.name}{render(described)}"
