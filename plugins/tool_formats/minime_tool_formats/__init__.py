"""Syntaxes of tool calls in text, and the layer that uses one where the server has no tools."""

from __future__ import annotations

from collections.abc import Iterator

from minime_core import hookimpl
from minime_core.formats import ToolFormat
from minime_core.middleware import ModelLayer, Phase
from minime_core.session import Session


@hookimpl
def mm_register_tool_formats() -> Iterator[ToolFormat]:
    from minime_tool_formats.json_format import JsonFormat

    yield JsonFormat()


@hookimpl
def mm_model_middleware(session: Session) -> Iterator[ModelLayer]:
    from minime_tool_formats.text_mode import TextMode

    yield ModelLayer(name="text_mode", phase=Phase.NORMALISE, wrap=TextMode(session).wrap)
