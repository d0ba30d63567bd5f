"""What a session costs before any module is called."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import text, tool_call
from module_folder import Home
from module_text import saying

PROBE = """
import builtins, io, json, os, subprocess, sys
sys.argv = ["mm", *{arguments!r}]
opened, started = [], []
sys.addaudithook(lambda event, details: opened.append(str(details[0]))
    if event == "open" else started.append(str(details[1]))
    if event == "subprocess.Popen" else None)
from minime_core.cli.main import run
code = run(sys.argv[1:])
print(json.dumps({{
    "code": code,
    "modules": [m for m in sys.modules],
    "opened": [p for p in opened if "/.mm/tools/" in p and p[-5:] in (".wasm", ".yaml")],
    "started": started,
}}))
"""


def probe(home: Home, server: FaultServer, *more: str) -> dict[str, list[str]]:
    """Run `mm -p hello` in a process; return what it imported, opened and started."""
    arguments = ["--base-url", server.base_url, "--model", "m", *more, "-p", "hello"]
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(arguments=arguments)],
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    result: dict[str, list[str]] = json.loads(done.stdout.splitlines()[-1])
    return result


def test_a_session_without_calls_reads_runs_and_imports_nothing(home: Home) -> None:
    for name in ("a", "b"):
        home.add(name, saying("hi"), {"limits": {"timeout_ms": 500}})
    with FaultServer() as server:
        server.enqueue(text("Hello."))
        seen = probe(home, server)
        tools = [tool["function"]["name"] for tool in server.chat_requests[0].json["tools"]]
    assert {"a__run", "b__run"} <= set(tools)
    assert seen["opened"] == []
    assert seen["started"] == []
    for heavy in ("extism", "pydantic", "minime_wasm_host.sandbox", "minime_wasm_host.sidecar"):
        assert heavy not in seen["modules"]


def test_a_model_calls_a_module_through_the_whole_program(home: Home) -> None:
    home.add("it", saying("forty-two"))
    with FaultServer() as server:
        server.enqueue(tool_call("it__run", {}), text("It says forty-two."))
        seen = probe(home, server)
        messages = server.chat_requests[1].json["messages"]
    assert messages[-1]["content"].endswith("\nforty-two")
    assert len(seen["started"]) == 1
    assert "extism" not in seen["modules"]


def test_a_tool_without_permissions_is_run_without_a_question(home: Home) -> None:
    # `-p` answers no question; a tool that asks one is refused.
    home.add("pure", saying("computed"))
    home.add("net", saying("asked"), {"permissions": {"hosts": ["a.example"]}})
    with FaultServer() as server:
        server.enqueue(tool_call("pure__run", {}), tool_call("net__run", {}), text("Done."))
        probe(home, server)
        results = [m["content"] for m in server.chat_requests[2].json["messages"]]
    assert any(result.endswith("\ncomputed") for result in results)
    assert "not allowed, nobody is there to allow it" in results[-1]


def test_untrusted_modules_are_named_and_not_opened(home: Home) -> None:
    home.put("it", saying("hi"))
    with FaultServer() as server:
        server.enqueue(text("Hello."))
        seen = probe(home, server)
    assert seen["opened"] == []


def test_a_tool_that_is_named_like_a_built_in_is_refused_with_a_warning(home: Home) -> None:
    home.add("it", saying("hi"), {"tools": [{"name": "run", "rename": "bash"}]})
    arguments = ["-p", "hello"]
    with FaultServer() as server:
        server.enqueue(text("Hello."))
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                "from minime_core.cli.main import main; main()",
                *("--base-url", server.base_url, "--model", "m"),
                *arguments,
            ],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        tools = server.chat_requests[0].json["tools"]
    bash = [tool["function"] for tool in tools if tool["function"]["name"] == "bash"]
    assert len(bash) == 1
    assert "shell" in bash[0]["description"]
    assert "the name bash is taken by plugin builtin_tools" in done.stderr
    assert Path.cwd() == home.project
