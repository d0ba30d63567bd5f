"""The agent, driven by the official TypeScript client."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from minime_core.testing.command import MM, TIMEOUT, Mm
from minime_core.testing.replies import stall, text, thinking, tool_call

FOLDER = Path(__file__).parents[2] / "typescript"
PACKAGES = FOLDER / "node_modules"


@pytest.fixture
def node() -> str:
    """The program that runs it; the test is skipped where there is none."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("node is not installed")
    if not PACKAGES.is_dir():
        reason = f"the client is not installed: npm ci --prefix {FOLDER}"
        if os.environ.get("MM_LIVE") == "required":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    return program


def test_the_official_client_drives_the_agent(mm: Mm, node: str) -> None:
    edit = {"path": "a.txt", "edits": [{"old": "one", "new": "two"}]}
    (mm.cwd / "a.txt").write_text("one\n")
    mm.server.enqueue(
        thinking("Hm.") + text("I ask.") + tool_call("ask_user", {"question": "Which colour?"}),
        tool_call("client_add_todo", {"text": "paint it red"}),
        tool_call("edit_file", edit),
        tool_call("bash", {"command": "exit 3"}),
        text("Done."),
        text("Once upon ") + stall(),
    )
    command = [node, str(FOLDER / "drive.mjs"), str(mm.cwd), *MM, *mm.options, "acp"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    # It prints there what is not as the protocol has it.
    assert (done.returncode, done.stderr) == (0, "")
    seen = json.loads(done.stdout)
    assert seen["code"] == 0
    assert seen["greeting"]["agentInfo"]["name"] == "mm"
    assert seen["opened"]["modes"]["currentModeId"] == "ask"
    assert seen["worked"]["stopReason"] == "end_turn"
    assert seen["cancelled"]["stopReason"] == "cancelled"
    assert seen["called"] == [{"text": "paint it red"}]
    assert seen["questions"] == ["client: add_todo", "edit_file: a.txt", "bash: exit 3"]
    kinds = {update["sessionUpdate"] for update in seen["updates"]}
    assert kinds >= {
        "agent_message_chunk",
        "agent_thought_chunk",
        "tool_call",
        "tool_call_update",
        "usage_update",
        "available_commands_update",
        "session_info_update",
        "config_option_update",
    }
    assert seen["replayed"][0] == "user_message_chunk"
    assert seen["replayed"].count("tool_call") == 4
    assert seen["chosen"]["configOptions"]
    assert [session["title"] for session in seen["listed"]["sessions"]] == ["work"]
    assert seen["left"]["sessions"] == []
    assert seen["unknown"] == -32601
