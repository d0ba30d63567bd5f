"""The shipped profiles: which model gets which, and what the large ones get."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from minime_core import hookimpl
from minime_core.assembly import load_profiles
from minime_core.bundled import bundled
from minime_core.config import Config
from minime_core.plugins import PluginHost, discover
from minime_core.profiles import DEFAULT, Profiles

SHIPPED = Profiles([bundled("profiles")])

# As llama-server (file names and paths), Docker Model Runner, Ollama, LM Studio and Hugging Face
# spell them.
IDS = {
    "qwen3": """
        Qwen3-8B-Q4_K_M.gguf  /models/Qwen3-14B-Q5_K_M.gguf  C:\\models\\Qwen3-1.7B-Q8_0.gguf
        ai/qwen3:8B-Q4_K_M  ai/qwen3:latest  docker.io/ai/qwen3:0.6B-F16  qwen3:8b  qwen3:latest
        qwen3:14b-q4_K_M  qwen/qwen3-8b  Qwen/Qwen3-8B-GGUF:Q4_K_M  Qwen/Qwen3-8B
        hf.co/unsloth/Qwen3-8B-GGUF:UD-Q4_K_XL  mlx-community/Qwen3-8B-4bit  qwen/qwen3-vl-8b
    """,
    "qwen3-4b": """
        Qwen3-4B-Q4_K_M.gguf  ai/qwen3:4B-UD-Q4_K_XL  qwen3:4b  qwen/qwen3-4b
        Qwen/Qwen3-4B-GGUF:Q4_K_M
    """,
    "qwen3-27b": "Qwen3-27B  qwen3-27b  qwen3:32b  qwen/qwen3-32b  Qwen3-32B-Q4_K_M.gguf",
    "qwen3-30b-a3b": """
        Qwen3-30B-A3B-Q4_K_M.gguf  ai/qwen3:30B-A3B-Q4_K_M  qwen3:30b  qwen3:30b-a3b
        qwen/qwen3-30b-a3b  Qwen/Qwen3-30B-A3B-GGUF:Q4_K_M
    """,
    "qwen3-instruct-2507": """
        Qwen3-4B-Instruct-2507-Q4_K_M.gguf  qwen/qwen3-4b-2507
        Qwen/Qwen3-30B-A3B-Instruct-2507  qwen3:4b-instruct  qwen3:30b-a3b-instruct-2507-q4_K_M
    """,
    "qwen3-thinking-2507": """
        Qwen3-4B-Thinking-2507-Q4_K_M.gguf  qwen/qwen3-4b-thinking-2507
        unsloth/Qwen3-30B-A3B-Thinking-2507-GGUF:Q4_K_M  qwen3:30b-thinking
    """,
    "qwen3-coder": """
        Qwen3-Coder-30B-A3B-Instruct-Q4_K_M.gguf  ai/qwen3-coder  ai/qwen3-coder:30B-A3B-UD-Q4_K_XL
        qwen3-coder:30b  qwen/qwen3-coder-30b  Qwen/Qwen3-Coder-30B-A3B-Instruct  qwen3-coder-next
    """,
    "qwen3.5": """
        qwen3.5-4b  qwen3.5-2b  Qwen3.5-9B-Q4_K_M.gguf  qwen3.5:9b  qwen/qwen3.5-9b
        unsloth/Qwen3.5-4B-GGUF:Q4_K_M  ai/qwen3.5:4B  Qwen/Qwen3.5-0.8B
    """,
    "qwen3.5-large": """
        Qwen3.5-27B-Q4_K_M.gguf  qwen3.5:27b  qwen/qwen3.5-35b-a3b  Qwen/Qwen3.5-35B-A3B
        qwen3.5:35b
    """,
    "qwen3.6": """
        Qwen3.6-35B-A3B-UD-Q4_K_XL.gguf  qwen3.6-27b  ai/qwen3.6:35B-A3B  qwen3.6:27b
        Qwen/Qwen3.6-27B  huggingface.co/unsloth/qwen3.6-35b-a3b-gguf:Q4_K_M
    """,
    "qwen3.8": """
        Qwen3.8-27B  Qwen3.8-27B-Q4_0.gguf  qwen3.8:27b  qwen/qwen3.8-27b
        unsloth/Qwen3.8-27B-GGUF:UD-Q6_K
    """,
    "qwen2.5": """
        qwen2.5-7b-instruct-q4_k_m.gguf  ai/qwen2.5:7B-Q4_K_M  qwen2.5:7b  qwen2.5-7b-instruct
        Qwen/Qwen2.5-7B-Instruct-GGUF:Q4_K_M  Qwen/Qwen2.5-0.5B-Instruct
    """,
    "qwen2.5-32b": "qwen2.5:32b  Qwen/Qwen2.5-32B-Instruct",
    "qwen2.5-coder": """
        qwen2.5-coder-7b-instruct-q4_k_m.gguf  qwen2.5-coder:7b  qwen/qwen2.5-coder-14b
        Qwen/Qwen2.5-Coder-3B-Instruct-GGUF
    """,
    "qwen2.5-coder-32b": "qwen2.5-coder:32b  Qwen/Qwen2.5-Coder-32B-Instruct",
    "gemma-3": """
        gemma-3-4b-it-Q4_K_M.gguf  ai/gemma3:4B-Q4_K_M  ai/gemma3  gemma3:12b  gemma3n:e4b
        google/gemma-3-12b  ggml-org/gemma-3-1b-it-GGUF:Q8_0  google/gemma-3-4b-it
    """,
    "gemma-3-27b": "gemma-3-27b-it-Q4_K_M.gguf  gemma3:27b  ai/gemma3:27B  google/gemma-3-27b-it",
    "gemma-4": """
        huggingface.co/unsloth/gemma-4-e2b-it-gguf:Q4_K_M  gemma-4-E4B-it-Q4_K_M.gguf  gemma4:e2b
        ai/gemma4:e4b  google/gemma-4-e4b  google/gemma-4-12B-it  gemma4
    """,
    "gemma-4-large": """
        gemma-4-26B-A4B-it-Q4_K_M.gguf  google/gemma-4-31b-it  gemma4:26b  gemma4:31b
        ai/gemma4:26B-A4B  google/gemma-4-26b-a4b
    """,
    "gpt-oss": """
        gpt-oss-20b-mxfp4.gguf  ai/gpt-oss:20B-UD-Q4_K_XL  gpt-oss:20b  openai/gpt-oss-20b
        ggml-org/gpt-oss-20b-GGUF  gpt-oss
    """,
    "llama-3": """
        Llama-3.2-3B-Instruct-Q4_K_M.gguf  ai/llama3.2:3B-Q4_K_M  llama3.1:8b  llama3.3
        meta-llama/Llama-3.1-8B-Instruct  llama-3.2-3b-instruct  Meta-Llama-3.1-8B-Instruct-GGUF
    """,
    "mistral-small": """
        Mistral-Small-3.2-24B-Instruct-2506-Q4_K_M.gguf  ai/mistral-small3.2  mistral-small3.2:24b
        mistralai/mistral-small-3.2  mistral-small:24b
    """,
    "devstral": """
        Devstral-Small-2-24B-Instruct-2512-Q4_K_M.gguf  ai/devstral-small-2  devstral-small-2:24b
        mistralai/devstral-small-2507  devstral:24b
    """,
    "ministral-3": """
        Ministral-3-8B-Instruct-2512-Q4_K_M.gguf  ai/ministral3  ministral-3:8b
        mistralai/ministral-3-14b
    """,
    "ministral-3-reasoning": """
        Ministral-3-8B-Reasoning-2512-Q4_K_M.gguf  ministral-3:8b-reasoning-2512-q4_K_M
        mistralai/Ministral-3-3B-Reasoning-2512
    """,
    "ministral-3-14b-reasoning": "mistralai/ministral-3-14b-reasoning",
    "phi-4": """
        phi-4-Q4_K_M.gguf  ai/phi4:14B-Q4_K_M  phi4:14b  phi4-mini  microsoft/phi-4
        microsoft/Phi-4-mini-instruct
    """,
    "phi-4-reasoning": """
        Phi-4-reasoning-plus-Q4_K_M.gguf  phi4-reasoning:14b  microsoft/phi-4-reasoning-plus
        phi4-mini-reasoning
    """,
    "granite-4": """
        granite-4.0-h-tiny-Q4_K_M.gguf  ai/granite-4.0-h-tiny  granite4:tiny-h  granite4.1:8b
        ibm/granite-4-h-tiny  ibm-granite/granite-4.0-h-micro-GGUF
    """,
    "granite-4-small": "granite-4.0-h-small-Q4_K_M.gguf  ibm-granite/granite-4.0-h-small",
    "granite-4.2": "granite-4.2-3b-Q4_K_M.gguf  granite4.2:8b  ibm-granite/granite-4.2-8b",
    "deepseek-r1-distill": """
        DeepSeek-R1-Distill-Qwen-7B-Q4_K_M.gguf  ai/deepseek-r1-distill-llama:8B-Q4_K_M
        deepseek-r1:8b  deepseek/deepseek-r1-0528-qwen3-8b
        unsloth/DeepSeek-R1-Distill-Llama-8B-GGUF:Q4_K_M
    """,
    "deepseek-r1-distill-32b": "deepseek-r1:32b  DeepSeek-R1-Distill-Qwen-32B-Q4_K_M.gguf",
    "lfm2": "LFM2-1.2B-Q4_K_M.gguf  liquid/lfm2-1.2b  LiquidAI/LFM2-2.6B-GGUF:Q4_K_M",
    "lfm2.5": "LFM2.5-1.2B-Instruct-Q4_K_M.gguf  liquid/lfm2.5-1.2b  LiquidAI/LFM2.5-350M",
    "lfm2.5-8b-a1b": "LFM2.5-8B-A1B-Q4_K_M.gguf  LiquidAI/LFM2.5-8B-A1B  lfm2.5:8b",
    "lfm2.5-thinking": "LFM2.5-1.2B-Thinking-Q4_K_M.gguf  lfm2.5-thinking:1.2b",
    "smollm2": """
        SmolLM2-1.7B-Instruct-Q4_K_M.gguf  ai/smollm2:360M-Q4_K_M  ai/smollm2  smollm2:1.7b
        HuggingFaceTB/SmolLM2-360M-Instruct
    """,
    "smollm2-135m": """
        SmolLM2-135M-Instruct.Q4_1.gguf  smollm2:135m  ai/smollm2:135M-Q4_K_M
        HuggingFaceTB/SmolLM2-135M-Instruct
    """,
    "smollm3": "SmolLM3-Q4_K_M.gguf  ai/smollm3:Q4_K_M  HuggingFaceTB/SmolLM3-3B",
    "glm-4-flash": """
        GLM-4.7-Flash-UD-Q4_K_XL.gguf  glm-4.7-flash  glm-4.7-flash:q4_K_M  zai-org/glm-4.7-flash
        unsloth/GLM-4.7-Flash-GGUF:Q8_0  ai/glm-4.7-flash
    """,
    "nemotron-nano": """
        nvidia/NVIDIA-Nemotron-Nano-9B-v2  NVIDIA-Nemotron-Nano-9B-v2-Q4_K_M.gguf
        nvidia/Llama-3.1-Nemotron-Nano-8B-v1
    """,
    "nemotron-3-nano": """
        nemotron-3-nano:30b  NVIDIA-Nemotron-3-Nano-30B-A3B-Q4_K_M.gguf  nvidia/nemotron-3-nano
        ai/nemotron-3-nano
    """,
    "mellum2": """
        huggingface.co/jetbrains/mellum2-12b-a2.5b-instruct-gguf-q4_k_m:Q4_K_M  mellum2-12b
        mellum2-12b-a2.5b-instruct  JetBrains/Mellum2-12B-A2.5B-Instruct
        Mellum2-12B-A2.5B-Instruct-Q8_0.gguf
    """,
    "mellum2-thinking": "JetBrains/Mellum2-12B-A2.5B-Thinking-GGUF-Q4_K_M",
    "ornith-1.5": "Ornith-1.5-9B-Q4_K_M.gguf  ornith-ai/Ornith-1.5-9B-GGUF:Q4_K_M",
    "ornith-1.5-35b": """
        Ornith-1.5-35B-Q4_K_M.gguf  ornith-1.5:35b-a3b  ornith-ai/Ornith-1.5-35B-A3B-GGUF:Q4_K_M
    """,
}
PAIRS = [(name, model) for name, models in IDS.items() for model in models.split()]
SPELT_WITH_SPACES = {
    "Qwen3 27B": "qwen3-27b",
    "Qwen3.8 27B": "qwen3.8",
    "Qwen3.6 35B-A3B": "qwen3.6",
    "Gemma 4 26B-A4B": "gemma-4-large",
    "gpt-oss 20B": "gpt-oss",
    "Ornith 1.5 35B-A3B": "ornith-1.5-35b",
    "Mellum 12B": "mellum2",
}
LARGE = {
    "gemma-4-large", "gpt-oss", "qwen3.6", "ornith-1.5-35b", "qwen3.8", "qwen3-27b",
    "qwen3-30b-a3b", "qwen3-coder", "qwen3.5-large", "mistral-small", "devstral", "granite-4-small",
    "glm-4-flash", "nemotron-3-nano", "deepseek-r1-distill-32b",
}  # fmt: skip


@pytest.fixture(scope="module")
def sections() -> dict[str, Any]:
    """The plugins' sections of the settings."""
    host = PluginHost(discover(), warn=pytest.fail)
    host.load()
    found = {}
    for plugin, dotted in host.collect("mm_config_model", str):
        module, _, name = dotted.partition(":")
        found[plugin] = getattr(__import__(module, fromlist=[name]), name)
    return found


def settings(name: str, sections: dict[str, Any]) -> Config:
    return Config(SHIPPED.load(name).layers, sections)


@pytest.mark.parametrize(
    ("name", "model"), [*PAIRS, *((n, m) for m, n in SPELT_WITH_SPACES.items())]
)
def test_a_model_gets_the_profile_of_its_family(name: str, model: str) -> None:
    assert SHIPPED.match(model) == name
    assert "so does" not in SHIPPED.why(model)


@pytest.mark.parametrize("model", ["", "local-model", "gpt-4o", "command-r", "model.gguf"])
def test_a_model_that_nobody_knows_gets_no_profile(model: str) -> None:
    assert SHIPPED.match(model) is None


def test_a_folder_named_after_another_model_does_not_count() -> None:
    assert SHIPPED.match("/home/me/gemma-3/Qwen3-8B-Q4_K_M.gguf") == "qwen3"
    assert SHIPPED.match("/models/qwen3-8b/model.gguf") == "qwen3"


def test_the_table_has_every_shipped_profile() -> None:
    assert {*IDS, DEFAULT, "large"} == {*SHIPPED.names()}


@pytest.mark.parametrize("name", SHIPPED.names())
def test_a_shipped_profile_sets_what_there_is(name: str, sections: dict[str, Any]) -> None:
    config = settings(name, sections)
    for section, declared in sections.items():
        config.section(section, declared)
    assert config.settings.policy == "ask"


@pytest.mark.parametrize("name", sorted(LARGE))
def test_large_models_get_long_answers_and_patience(name: str, sections: dict[str, Any]) -> None:
    config = settings(name, sections)
    guards = config.section("guards", sections["guards"])
    assert config.settings.max_tokens == 32768
    assert guards.watchdog_timeout == 300


def test_no_model_that_thinks_decodes_greedily(sections: dict[str, Any]) -> None:
    for name in SHIPPED.names():
        chosen = settings(name, sections).settings
        assert chosen.thinking != "on" or chosen.sampling["temperature"] > 0, name
        assert chosen.thinking != "on" or chosen.max_tokens >= 16384, name


@pytest.mark.parametrize("path", sorted(bundled("profiles").glob("*.yaml")), ids=lambda p: p.stem)
def test_a_profile_says_where_its_numbers_are_from(path: Path) -> None:
    text = path.read_text()
    assert text.startswith("summary: ")
    if path.stem not in (DEFAULT, "large") and "sampling:" in text:
        assert re.search(r"# .*(Source|card|makers?|guide)", text, re.IGNORECASE)


def test_profiles_come_from_plugins_the_user_and_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Plugin:
        @hookimpl
        def mm_register_profiles(self) -> list[Path]:
            return [tmp_path / "plugin", tmp_path / "one.yaml"]

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    places = ("plugin", "config/mini-me/profiles", "project/.mm/profiles")
    for number, place in enumerate(places):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / f"p{number}.yaml").write_text(f"match: '*m{number}*'\n")
    (tmp_path / "one.yaml").write_text("match: '*other*'\n")
    host = PluginHost(warn=pytest.fail)
    host.register(Plugin(), "plugin")
    found = load_profiles(host, tmp_path / "project")
    matches = [found.match(model) for model in ("m0", "m1", "m2", "other", "qwen3-8b")]
    assert matches == ["p0", "p1", "p2", "one", "qwen3"]
