"""What the plugin offers, and that nothing heavy is imported before it is used."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import minime_providers
from minime_core.config import Config, Layer
from minime_core.models import ModelRef, ProviderSpec
from minime_core.plugins import PluginHost
from minime_providers.openai import OpenAIProvider
from minime_providers.presets import PRESETS


@pytest.fixture
def host() -> PluginHost:
    host = PluginHost()
    host.register(minime_providers, "providers")
    return host


def test_each_preset_and_the_embedded_model_are_offered(host: PluginHost) -> None:
    specs = [spec for _, spec in host.collect("mm_register_providers", ProviderSpec)]
    assert [spec.name for spec in specs] == [*PRESETS, "embedded"]
    assert all(spec.summary for spec in specs)


@pytest.mark.parametrize("preset", [name for name in PRESETS if name != "openai"])
def test_a_preset_makes_its_provider(host: PluginHost, preset: str) -> None:
    specs = {spec.name: spec for _, spec in host.collect("mm_register_providers", ProviderSpec)}
    provider = specs[preset].make(Config([]), ModelRef(provider=preset))
    assert isinstance(provider, OpenAIProvider)
    assert provider.name == preset


def test_a_model_is_resolved_through_the_hook(host: PluginHost) -> None:
    config = Config([Layer("test", {"base_url": "http://127.0.0.1:8080/v1", "model": "m"})])
    ref = host.first("mm_resolve_model", config=config)
    assert (ref.provider, ref.model) == ("llamacpp", "m")


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        (
            "import minime_providers as p; list(p.mm_register_providers())",
            "httpx openvino_genai rich pydantic jsonschema http.client",
        ),
        ("import minime_providers.resolve", "httpx openvino_genai rich"),
        (
            "import minime_providers.openai",
            "openvino_genai rich pygments click pydantic jsonschema",
        ),
    ],
)
def test_nothing_heavy_is_imported_before_it_is_used(statement: str, absent: str) -> None:
    program = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert not set(absent.split()) & set(done.stdout.split())
