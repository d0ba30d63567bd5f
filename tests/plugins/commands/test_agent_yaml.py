"""Settings files of the Go program load unchanged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_core.assembly import Options
from minime_core.cli.loading import load_config
from minime_core.config import Config
from minime_core.flat_keys import unfold
from minime_core.plugins import PluginHost, discover

# Every key that such a file may have.
AGENT_YAML = """\
provider: dmr
model: huggingface.co/jetbrains/mellum2-12b-a2.5b-instruct-gguf-q4_k_m:Q4_K_M
baseUrl: http://localhost:12434/engines/v1
fallback: http://host.docker.internal:12434/engines/v1
contextWindow: 0
maxOutput: 16000
maxTurns: 40
bashTool: true
editTools: false
planTool: true
fetchContentTool: true
lsp:
  servers:
    - name: gopls
      command: gopls
      extensions: [".go"]
skillsDir: .mm/skills
sessions:
  enabled: true
  dir: .mm/sessions
previewLines: 20
system: |
  Your name is Bob.
  Answer in English.
sampling:
  temperature: 0.0
  parallel_tool_calls: true
  top_p: 0.9
  max_tokens: 32768
watchdogTimeout: 300s
firstTokenTimeout: 5m
context:
  enabled: false
  threshold: 75
  maxMessages: 80
  keepLastTurns: 3
  summaryMaxTokens: 1200
  prompt: ""
  showStats: true
displayCommands: true
showThinking: true
yolo: true
acp:
  permissions: true
"""


@pytest.fixture(scope="module")
def host() -> PluginHost:
    host = PluginHost(discover(), warn=pytest.fail)
    host.load()
    return host


def load(folder: Path, host: PluginHost, text: str = AGENT_YAML) -> tuple[Config, list[str]]:
    (folder / "agent.yaml").write_text(text)
    warnings: list[str] = []
    options = Options(cwd=folder, flags={}, config_file=folder / "agent.yaml")
    config = load_config(options, {info.name for info in host.infos}, warnings.append)
    return config, warnings


def section(config: Config, host: PluginHost, name: str) -> Any:
    dotted = dict(host.collect("mm_config_model", str))[name]
    module, _, declared = dotted.partition(":")
    return config.section(name, getattr(__import__(module, fromlist=[declared]), declared))


def test_every_key_lands_where_it_belongs(project: Path, host: PluginHost) -> None:
    config, _ = load(project, host)
    s = config.settings
    assert (s.provider, s.base_url) == ("dmr", "http://localhost:12434/engines/v1")
    assert s.model.startswith("huggingface.co/jetbrains/mellum2")
    assert (s.context_window, s.max_output, s.max_turns, s.preview_lines) == (0, 16000, 40, 20)
    assert s.system == "Your name is Bob.\nAnswer in English.\n"
    assert s.sampling == {"temperature": 0.0, "top_p": 0.9}
    assert (s.max_tokens, s.parallel_tool_calls, s.policy) == (32768, True, "yolo")
    tools = section(config, host, "builtin_tools")
    assert (tools.bash, tools.edit, tools.plan, tools.fetch_content) == (True, False, True, True)
    guards = section(config, host, "guards")
    assert (guards.watchdog_timeout, guards.first_token_timeout) == (300, 300)
    assert section(config, host, "skills").folders == [".mm/skills"]


def test_what_does_not_apply_is_named_once(project: Path, host: PluginHost) -> None:
    _, (warning,) = load(project, host)
    known = {info.name for info in host.infos}
    foreign = ("fallback", "lsp", "sessions", "context", "displayCommands", "showThinking", "acp")
    snake = {"displayCommands": "display_commands", "showThinking": "show_thinking"}
    unused = [snake.get(name, name) for name in foreign if name not in known]
    assert warning == (
        f"{project}/agent.yaml: {', '.join(unused)} mean nothing here and are ignored"
    )


def test_a_file_of_the_project_is_not_trusted_with_yolo(project: Path, host: PluginHost) -> None:
    (project / ".mm").mkdir()
    (project / ".mm/config.yaml").write_text("yolo: true\nbashTool: true\nmaxTurns: 40\n")
    warnings: list[str] = []
    sections = {info.name for info in host.infos}
    config = load_config(Options(cwd=project, flags={}), sections, warnings.append)
    assert (config.settings.policy, config.settings.max_turns) == ("ask", 40)
    assert "builtin_tools, policy ignored" in warnings[0]


def test_sections_and_flat_keys_of_one_file_are_joined(project: Path, host: PluginHost) -> None:
    text = "bashTool: false\nbuiltin_tools: {plan: true}\neditTools: false\nguards: {retries: 1}\n"
    config, warnings = load(project, host, text + "watchdogTimeout: 1m30s\n")
    tools, guards = section(config, host, "builtin_tools"), section(config, host, "guards")
    assert (tools.bash, tools.edit, tools.plan) == (False, False, True)
    assert (guards.retries, guards.watchdog_timeout) == (1, 90)
    assert warnings == []


def test_yolo_false_is_no_policy(project: Path, host: PluginHost) -> None:
    config, warnings = load(project, host, "yolo: false\n")
    assert (config.settings.policy, warnings) == ("ask", [])


def test_without_the_plugin_a_key_means_nothing() -> None:
    assert unfold({"bash_tool": True, "model": "m"}, set()) == ({"model": "m"}, ["bash_tool"])
    assert unfold({"context": {"threshold": 75}}, {"context"}) == (
        {"context": {"threshold": 75}}, []
    )  # fmt: skip


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
KEYS = st.sampled_from(["bash_tool", "builtin_tools", "sampling", "yolo", "lsp", "max_tokens", "x"])


@given(st.dictionaries(KEYS, VALUES))
def test_anything_in_a_file_is_unfolded(values: dict[str, Any]) -> None:
    found, unused = unfold(values, {"builtin_tools"})
    assert set(unused) <= {"lsp"}
    assert ("x" in found) is ("x" in values)
