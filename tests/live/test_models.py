"""`mm models` and `mm doctor` on a real llama-server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from live_mm import Mm
from llama_server import LlamaServer

pytestmark = pytest.mark.live


def mm_for(server: LlamaServer, folder: Path) -> Mm:
    return Mm(folder, "--provider", "llamacpp", "--base-url", server.base_url)


def test_a_model_whose_template_renders_no_tools(llama: LlamaServer, tmp_path: Path) -> None:
    mm = mm_for(llama, tmp_path)
    done = mm.run("models", "test", "--json")
    assert done.code == 0, done
    assert done.json["answer"]["ok"]
    assert done.json["answer"]["prompt_tokens"] > 10
    assert (done.json["tools"], done.json["call"]) == ("text", None)
    listed = mm.run("models", "--json").json
    (row,) = [row for row in listed["models"] if row["base_url"] == llama.base_url]
    assert (row["used"], row["window_origin"], row["tools"]) == (True, "/props", "text")
    assert row["window"] == done.json["window"] > 0
    assert row["profile"] == "smollm2-135m"


def test_a_model_whose_template_renders_tools_is_asked_for_a_call(
    llama_strict_tools: LlamaServer, tmp_path: Path
) -> None:
    mm = mm_for(llama_strict_tools, tmp_path)
    # The model's own profile sends it tools as text.
    done = mm.run("--profile", "default", "models", "test", "--json")
    # So small a model may not call; it is told what came, and that is no failure of the server.
    assert done.json["tools"] == "template"
    assert done.code == (0 if done.json["answer"]["ok"] and done.json["call"]["ok"] else 1)
    assert done.json["call"]["what"]


def test_a_wrong_address_is_told_with_its_cure(llama: LlamaServer, tmp_path: Path) -> None:
    mm = Mm(tmp_path, "--provider", "llamacpp", "--base-url", f"{llama.base_url}/nowhere")
    done = mm.run("--model", "m", "models", "test")
    assert done.code == 3
    assert "is the base URL right?" in done.err


def test_doctor_finds_the_server_well(llama: LlamaServer, tmp_path: Path) -> None:
    done = mm_for(llama, tmp_path).run("doctor", "--json")
    found = {finding["area"]: finding for finding in json.loads(done.out)["findings"]}
    assert done.code == 0, done
    assert found["server"]["level"] == found["tools"]["level"] == found["profile"]["level"] == "ok"
