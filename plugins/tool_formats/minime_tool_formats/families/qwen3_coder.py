"""The syntax of Qwen3-Coder and Qwen 3.5: a function tag with a tag for each parameter.

    <tool_call>
    <function=read_file>
    <parameter=path>
    a.txt
    </parameter>
    </function>
    </tool_call>

The outer tag is often missing. Source: the chat template of Qwen3-Coder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from minime_core.messages import ToolCall
from minime_core.tools import Tool
from minime_tool_formats.cursor import Cursor
from minime_tool_formats.family import Family
from minime_tool_formats.names import schema_of
from minime_tool_formats.parameters import Markup, read_parameters
from minime_tool_formats.schema_values import as_text

OPENING = "<tool_call>"
CLOSING = "</tool_call>"
FUNCTION = "<function="
MARKUP = Markup(
    beginning="<parameter=",
    opening=re.compile(r"<parameter=([^>\n]+)>"),
    closing="</parameter>",
    ending="</function>",
    has_lines=True,
)


class Qwen3Coder(Family):
    """See the module."""

    name = "qwen3_coder"
    openers = (OPENING, FUNCTION)
    usage = (
        f"{OPENING}\n{FUNCTION}NAME>\n<parameter=KEY>\nVALUE\n</parameter>\n</function>\n{CLOSING}"
    )

    def read_calls(self, cursor: Cursor, tools: Mapping[str, Tool]) -> list[ToolCall]:
        if cursor.sees(OPENING):
            cursor.expect(OPENING)
            cursor.skip_space()
        cursor.expect(FUNCTION)
        name = cursor.name()
        cursor.expect(">")
        call = read_parameters(cursor, MARKUP, name, schema_of(name, tools))
        cursor.close(CLOSING, [call])
        return [call]

    def render_call(self, call: ToolCall) -> str:
        parameters = "".join(
            f"<parameter={key}>\n{as_text(value)}\n</parameter>\n"
            for key, value in call.arguments.items()
        )
        return f"{OPENING}\n{FUNCTION}{call.name}>\n{parameters}</function>\n{CLOSING}"

    def render_result(self, name: str, text: str) -> str:
        return f"<tool_response>\n{text}\n</tool_response>"
