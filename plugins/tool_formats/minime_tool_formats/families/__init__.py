"""The syntaxes of the model families, one a file."""

from __future__ import annotations

from minime_tool_formats.families.deepseek import DeepSeek
from minime_tool_formats.families.gemma import Gemma
from minime_tool_formats.families.gemma4 import Gemma4
from minime_tool_formats.families.glm import Glm
from minime_tool_formats.families.harmony import Harmony
from minime_tool_formats.families.hermes import Hermes
from minime_tool_formats.families.json_block import JsonBlock
from minime_tool_formats.families.llama import Llama
from minime_tool_formats.families.minimax import MiniMax
from minime_tool_formats.families.mistral import Mistral
from minime_tool_formats.families.qwen3_coder import Qwen3Coder
from minime_tool_formats.family import Family

FAMILIES: tuple[type[Family], ...] = (
    Qwen3Coder,
    Glm,
    MiniMax,
    Mistral,
    Llama,
    Gemma4,
    Gemma,
    DeepSeek,
    Harmony,
    Hermes,
    JsonBlock,
)
"""The most specific first: of two that read the same text the first one counts."""
