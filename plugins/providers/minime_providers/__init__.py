"""Providers: one client for all OpenAI-compatible servers, and a model inside this process."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from minime_core import hookimpl
from minime_core.config import Config
from minime_core.models import ModelRef, Provider, ProviderSpec
from minime_providers.presets import PRESETS, Preset


@hookimpl
def mm_register_providers() -> Iterator[ProviderSpec]:
    for preset in PRESETS.values():
        yield ProviderSpec(
            name=preset.name, summary=preset.summary, make=partial(_make_openai, preset)
        )
    yield ProviderSpec(
        name="embedded", summary="a model in this process (OpenVINO)", make=_make_embedded
    )


@hookimpl
def mm_resolve_model(config: Config) -> ModelRef | None:
    from minime_providers.resolve import resolve

    return resolve(config)


@hookimpl
def mm_list_models(config: Config) -> Iterator[ModelRef]:
    from minime_providers.resolve import list_models

    return list_models(config)


@hookimpl
def mm_model_chosen(ref: ModelRef) -> None:
    from minime_providers.choice import remember

    remember(ref)


def _make_openai(preset: Preset, config: Config, ref: ModelRef) -> Provider:
    from minime_providers.openai import OpenAIProvider

    return OpenAIProvider(preset, config, ref)


def _make_embedded(config: Config, ref: ModelRef) -> Provider:
    from minime_providers.embedded import EmbeddedProvider

    return EmbeddedProvider(config, ref)
