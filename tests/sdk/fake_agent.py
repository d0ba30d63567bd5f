"""A program that speaks as `mm acp` does, and does what the first word of a prompt says."""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from collections.abc import Callable
from typing import Any

USAGE = {"inputTokens": 7, "outputTokens": 3, "totalTokens": 10, "cachedReadTokens": 5}
OPTIONS = [
    {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
    {"optionId": "allow_always", "name": "Always", "kind": "allow_always"},
    {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
    {"optionId": "never", "name": "Never", "kind": "reject_always"},
]
TOOLS_KEY = "org.mini-me/tools"


class FakeAgent:
    """One client, many sessions, one turn at a time in each."""

    def __init__(self) -> None:
        self.sessions = 0
        self.tools: list[dict[str, Any]] = []
        self.offered: Any = None
        self.lock = threading.Lock()
        self.answers: dict[int, queue.Queue[Any]] = {}
        self.cancelled = threading.Event()
        self.number = 0

    def send(self, **message: Any) -> None:
        with self.lock:
            print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

    def ask(self, method: str, params: Any) -> Any:
        """Ask the client and return its whole answer."""
        with self.lock:
            self.number += 1
            number = self.number
            answers = self.answers[number] = queue.Queue()
        self.send(id=number, method=method, params=params)
        return answers.get()

    def serve(self) -> None:
        for line in sys.stdin:
            message = json.loads(line)
            if "method" not in message:
                self.answers[message["id"]].put(message)
            elif message["method"] == "session/cancel":
                self.cancelled.set()
            else:
                if message["method"] == "session/prompt":
                    self.cancelled.clear()
                threading.Thread(target=self.handle, args=[message], daemon=True).start()
        if os.environ.get("FAKE_STAYS"):
            threading.Event().wait()

    def handle(self, message: dict[str, Any]) -> None:
        method: Callable[[dict[str, Any]], Any] = {
            "initialize": self.initialize,
            "session/new": self.new_session,
            "session/prompt": self.prompt,
        }[message["method"]]
        answer = method(message["params"])
        if answer is not None:
            self.send(id=message["id"], **answer)

    def initialize(self, params: dict[str, Any]) -> Any:
        if os.environ.get("FAKE_SILENT"):
            return None
        if "FAKE_EXITS" in os.environ:
            self.crash(int(os.environ["FAKE_EXITS"]))
        self.offered = (params["clientCapabilities"].get("_meta") or {}).get(TOOLS_KEY)
        version = int(os.environ.get("FAKE_VERSION", "1"))
        info = {"name": "fake", "version": "9"}
        return {
            "result": {
                "protocolVersion": version,
                "agentInfo": info,
                "agentCapabilities": {"loadSession": True},
            }
        }

    def new_session(self, params: dict[str, Any]) -> Any:
        self.sessions += 1
        self.cwd = params["cwd"]
        session = f"session-{self.sessions}"
        self.tools = self.offered if isinstance(self.offered, list) else []
        if self.offered is True:
            answer = self.ask("_org.mini-me/tools/list", {"sessionId": session})
            self.tools = answer["result"]["tools"]
        if os.environ.get("FAKE_NO_SESSION"):
            return {"error": {"code": -32603, "message": "no model server runs here"}}
        return {"result": {"sessionId": session}}

    def prompt(self, params: dict[str, Any]) -> Any:
        session = params["sessionId"]
        word, _, rest = params["prompt"][0]["text"].partition(" ")
        turn = FakeTurn(self, session)
        answer: Any = getattr(turn, word)(rest)
        return answer

    def crash(self, code: int) -> None:
        """End the process, after some words on stderr."""
        print("first words", file=sys.stderr)
        print("boom: out of cheese", file=sys.stderr, flush=True)
        os._exit(code)


class FakeTurn:
    """What a prompt makes the agent do; each method is a first word of it."""

    def __init__(self, agent: FakeAgent, session: str) -> None:
        self.agent = agent
        self.session = session

    def update(self, kind: str, /, **fields: Any) -> None:
        params = {"sessionId": self.session, "update": {"sessionUpdate": kind, **fields}}
        self.agent.send(method="session/update", params=params)

    def say(self, text: str, message: str = "m1", **fields: Any) -> None:
        content = {"type": "text", "text": text}
        self.update("agent_message_chunk", content=content, messageId=message, **fields)

    def end(self, reason: str = "end_turn") -> Any:
        return {"result": {"stopReason": reason, "usage": USAGE}}

    def hello(self, rest: str) -> Any:
        self.say("Hello, ")
        self.say(f"{rest}.")
        return self.end()

    def where(self, rest: str) -> Any:
        self.say(json.dumps([self.agent.cwd, os.getcwd(), os.environ.get("FAKE_WORD"), sys.argv]))
        return self.end()

    def think(self, rest: str) -> Any:
        self.update("agent_thought_chunk", content={"type": "text", "text": "hm"}, messageId="m1")
        self.update("usage_update", used=10, size=4096)
        self.update("something_newer", content={"type": "text", "text": "?"})
        self.say("So it is.")
        return self.end()

    def bash(self, rest: str) -> Any:
        """A call with a question of permission."""
        call = {"title": f"bash: {rest}", "kind": "execute", "rawInput": {"command": rest}}
        self.say("I look.")
        self.update("tool_call", toolCallId="c1", status="pending", **call)
        params = {
            "sessionId": self.session,
            "toolCall": {"toolCallId": "c1", **call},
            "options": OPTIONS,
        }
        answer = self.agent.ask("session/request_permission", params)
        outcome = answer["result"]["outcome"]
        if outcome["outcome"] == "cancelled":
            print("asked and cancelled", file=sys.stderr, flush=True)
            return self.end("cancelled")
        may_run = outcome["optionId"].startswith("allow")
        self.update(
            "tool_call_update",
            toolCallId="c1",
            status="completed" if may_run else "failed",
            rawOutput={"output": outcome["optionId"]},
        )
        self.say("Seen.", "m2")
        return self.end()

    def plain_result(self, rest: str) -> Any:
        self.update("tool_call", toolCallId="c1", title="read")
        self.update("tool_call_update", toolCallId="c1", status="in_progress")
        content = [{"type": "content", "content": {"type": "text", "text": "as content"}}]
        self.update("tool_call_update", toolCallId="c1", status="failed", content=content)
        return self.end()

    def slow(self, rest: str) -> Any:
        self.say("Once upon ")
        self.agent.cancelled.wait()
        return self.end("cancelled")

    def stubborn(self, rest: str) -> Any:
        """Answer a cancelled turn with the error of a cancelled request."""
        self.say("Once ")
        self.agent.cancelled.wait()
        return {"error": {"code": -32800, "message": "cancelled"}}

    def deaf(self, rest: str) -> Any:
        self.say("La la")
        threading.Event().wait()

    def fail(self, rest: str) -> Any:
        print("mm: the stove is off", file=sys.stderr, flush=True)
        self.say("I try ")
        return {"error": {"code": -32603, "message": rest, "data": {"details": rest}}}

    def crash(self, rest: str) -> Any:
        self.say("Oh")
        self.agent.crash(3)

    def garbage(self, rest: str) -> Any:
        for line in ("Welcome to libfoo 1.0!", "42", "[]", "{", '{"id": {}, "result": 1}', "\0"):
            with self.agent.lock:
                print(line, flush=True)
        self.agent.send(id=1, error="no object")
        self.agent.send(id=77, result="never asked")
        self.agent.send(method="session/update", params=[])
        self.say("Still here.")
        return self.end()

    def flood(self, rest: str) -> Any:
        for number in range(int(rest)):
            self.say(f"{number} ")
        return self.end()

    def retract(self, rest: str) -> Any:
        self.say("Wrong.")
        self.say("[withdrawn]", "m2", _meta={"org.mini-me/retracted": True})
        self.say("Right.", "m3")
        return self.end()

    def tools(self, rest: str) -> Any:
        self.say(json.dumps(self.agent.tools))
        return self.end()

    def call(self, rest: str) -> Any:
        """Call tools of the client side by side; `rest` is a list of names and arguments."""
        results: dict[int, Any] = {}

        def one(number: int, name: str, arguments: Any) -> None:
            method = next((t["method"] for t in self.agent.tools if t["name"] == name), f"_{name}")
            params = {"sessionId": self.session, "toolCallId": "c1", "arguments": arguments}
            answer = self.agent.ask(method, params)
            results[number] = answer.get("result") or answer["error"]["code"]

        calls = json.loads(rest)
        threads = [
            threading.Thread(target=one, args=[number, *call]) for number, call in enumerate(calls)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.say(json.dumps([results[number] for number in range(len(calls))]))
        return self.end()


def fail_loudly(failure: threading.ExceptHookArgs) -> None:
    """End the process when a thread fails: a test shall not wait for an answer then."""
    threading.__excepthook__(failure)
    os._exit(70)


if __name__ == "__main__":
    threading.excepthook = fail_loudly
    FakeAgent().serve()
