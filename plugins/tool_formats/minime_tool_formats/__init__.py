"""Syntaxes of tool calls in text, and the layers that use them.

`recovery` makes calls of what models write into their answers; `text_mode` puts the tools into the
prompt where the server has no place for them.
"""

from __future__ import annotations

from collections.abc import Iterator

from minime_core import hookimpl
from minime_core.formats import ToolFormat
from minime_core.middleware import ModelLayer, Phase
from minime_core.session import Session


@hookimpl
def mm_register_tool_formats() -> Iterator[ToolFormat]:
    from minime_tool_formats.families import FAMILIES
    from minime_tool_formats.json_format import JsonFormat

    yield JsonFormat()
    for family in FAMILIES:
        yield family()


@hookimpl
def mm_model_middleware(session: Session) -> Iterator[ModelLayer]:
    from minime_tool_formats.recovery import Recovery
    from minime_tool_formats.text_mode import TextMode

    phase = Phase.NORMALISE
    yield ModelLayer(name="recovery", phase=phase, order=20, wrap=Recovery(session).wrap)
    yield ModelLayer(name="text_mode", phase=phase, order=30, wrap=TextMode(session).wrap)
