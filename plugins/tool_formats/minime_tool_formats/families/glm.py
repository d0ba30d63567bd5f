"""The syntax of GLM 4.5 and later: tags for keys and values.

    <tool_call>read_file
    <arg_key>path</arg_key>
    <arg_value>a.txt</arg_value>
    </tool_call>

Source: the chat templates of GLM 4.6 and 4.7, of which the later one leaves out the line ends.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from minime_core.messages import ToolCall
from minime_core.tools import Tool
from minime_tool_formats.cursor import Cursor, Mismatch
from minime_tool_formats.family import Family
from minime_tool_formats.names import schema_of, unwrapped
from minime_tool_formats.parameters import Markup, read_parameters
from minime_tool_formats.schema_values import as_text

OPENING = "<tool_call>"
CLOSING = "</tool_call>"
MARKUP = Markup(
    beginning="<arg_key>",
    opening=re.compile(r"<arg_key>([^<\n]+)</arg_key>\s*<arg_value>"),
    closing="</arg_value>",
    ending=CLOSING,
)


class Glm(Family):
    """See the module."""

    name = "glm"
    openers = (OPENING,)
    usage = f"{OPENING}NAME\n<arg_key>KEY</arg_key>\n<arg_value>VALUE</arg_value>\n{CLOSING}"

    def read_calls(self, cursor: Cursor, tools: Mapping[str, Tool]) -> list[ToolCall]:
        cursor.expect(OPENING)
        cursor.skip_space()
        name = cursor.name()
        call = read_parameters(cursor, MARKUP, name, schema_of(name, tools))
        if not call.arguments and call.raw is None and unwrapped(name, tools) not in tools:
            # A lone word between the tags, which other families share.
            raise Mismatch
        return [call]

    def render_call(self, call: ToolCall) -> str:
        pairs = "".join(
            f"<arg_key>{key}</arg_key>\n<arg_value>{as_text(value)}</arg_value>\n"
            for key, value in call.arguments.items()
        )
        return f"{OPENING}{call.name}\n{pairs}{CLOSING}"

    def render_result(self, name: str, text: str) -> str:
        return f"<tool_response>\n{text}\n</tool_response>"
