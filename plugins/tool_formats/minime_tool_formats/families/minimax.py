"""The syntax of MiniMax M2: an invoke tag with a tag for each parameter.

    <minimax:tool_call>
    <invoke name="read_file">
    <parameter name="path">a.txt</parameter>
    </invoke>
    </minimax:tool_call>

Source: the chat template of MiniMax M2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from minime_core.messages import ToolCall
from minime_core.tools import Tool
from minime_tool_formats.cursor import Cursor
from minime_tool_formats.family import Family
from minime_tool_formats.names import schema_of
from minime_tool_formats.parameters import Markup, read_parameters
from minime_tool_formats.schema_values import as_text

OPENING = "<minimax:tool_call>"
CLOSING = "</minimax:tool_call>"
INVOKE = "<invoke name="
MARKUP = Markup(
    beginning="<parameter name=",
    opening=re.compile(r"""<parameter name=["']?([^"'>\n]+)["']?>"""),
    closing="</parameter>",
    ending="</invoke>",
)


class MiniMax(Family):
    """See the module."""

    name = "minimax"
    openers = (OPENING, INVOKE)
    usage = (
        f'{OPENING}\n{INVOKE}"NAME">\n<parameter name="KEY">VALUE</parameter>\n</invoke>\n{CLOSING}'
    )

    def read_calls(self, cursor: Cursor, tools: Mapping[str, Tool]) -> list[ToolCall]:
        if cursor.sees(OPENING):
            cursor.expect(OPENING)
            cursor.skip_space()
        calls = cursor.several(INVOKE, lambda: _read_invoke(cursor, tools))
        cursor.close(CLOSING, calls)
        return calls

    def render_answer(self, text: str, calls: Sequence[ToolCall]) -> str:
        if not calls:
            return text
        written = "".join(self.render_call(call) for call in calls)
        return f"{text}\n{OPENING}\n{written}{CLOSING}".lstrip("\n")

    def render_call(self, call: ToolCall) -> str:
        parameters = "".join(
            f'<parameter name="{key}">{as_text(value)}</parameter>\n'
            for key, value in call.arguments.items()
        )
        return f'{INVOKE}"{call.name}">\n{parameters}</invoke>\n'

    def render_result(self, name: str, text: str) -> str:
        return f"<response>{text}</response>"


def _read_invoke(cursor: Cursor, tools: Mapping[str, Tool]) -> ToolCall:
    quote = '"' if cursor.accept('"') else ""
    name = cursor.name()
    cursor.expect(f"{quote}>")
    return read_parameters(cursor, MARKUP, name, schema_of(name, tools))
