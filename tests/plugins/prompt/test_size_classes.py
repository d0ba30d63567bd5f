from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_prompt.size import billions, size_class


@pytest.mark.parametrize(
    ("model", "size"),
    [
        ("qwen3.5-4b", "small"),
        ("huggingface.co/unsloth/gemma-4-e2b-it-gguf:Q4_K_M", "small"),
        ("ai/smollm2:360M-Q4_K_M", "small"),
        ("Qwen3-0.6B-Q8_0.gguf", "small"),
        ("LFM2.5-8B-A1B-Q4_K_M.gguf", "small"),
        ("qwen3:8b", "medium"),
        ("/models/70b/Qwen3-8B-Q4_K_M.gguf", "medium"),
        ("mellum2-12b-a2.5b-instruct", "medium"),
        ("Qwen/Qwen3-30B-A3B-GGUF:Q4_K_M", "medium"),
        ("Qwen3.6-35B-A3B", "medium"),
        ("google/gemma-3-12b", "medium"),
        ("qwen3-27b", "large"),
        ("Mixtral-8x7B-Instruct", "large"),
        ("gpt-oss-20b", "large"),
        ("llama3.3:70b", "large"),
        ("local-model", "medium"),
        ("Q4_K_M.gguf", "medium"),
        ("", "medium"),
    ],
)
def test_the_class_comes_from_the_name(model: str, size: str) -> None:
    assert size_class(model) == size


def test_a_mixture_of_experts_counts_between_its_parts() -> None:
    assert billions("x-32b-a2b") == 8


@given(st.text())
def test_any_name_has_a_class(model: str) -> None:
    assert size_class(model) in ("small", "medium", "large")
