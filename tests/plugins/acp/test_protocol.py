"""JSON-RPC: what is no request is answered as the protocol has it, and the agent lives on."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_client import Client, Refused, connected
from minime_acp.jsonrpc import Endpoint
from minime_core.assembly import Options
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.replies import text

Run = Callable[..., Any]


async def first_error(client: Client) -> dict[str, Any]:
    [message] = await client.until(lambda: [m for m in client.heard if "error" in m])
    return dict(message)


async def is_alive(client: Client) -> bool:
    answer = await client.ask("initialize", protocolVersion=1, clientCapabilities={})
    return bool(answer["protocolVersion"] == 1)


@pytest.mark.parametrize(
    ("line", "code", "number"),
    [
        (b"hello", -32700, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method"', -32700, None),
        (b"\xff\xfe\x00", -32700, None),
        (b"[" * 100_000, -32700, None),
        (b"42", -32600, None),
        (b"[]", -32600, None),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "initialize"}]', -32600, None),
        (b"null", -32600, None),
        (b'"initialize"', -32600, None),
        (b"{}", -32600, None),
        (b'{"id": 5}', -32600, 5),
        (b'{"id": 5, "method": 7}', -32600, 5),
        (b'{"id": true, "method": "initialize"}', -32600, None),
        (b'{"id": {}, "method": "initialize"}', -32600, None),
        (b'{"id": 5, "method": "session/dance"}', -32601, 5),
        (b'{"id": "x", "method": "_org.other/thing", "params": {}}', -32601, "x"),
        (b'{"id": 5, "method": "session/new", "params": [1]}', -32602, 5),
        (b'{"id": 5, "method": "session/new"}', -32602, 5),
        (b'{"id": 5, "method": "session/prompt", "params": {"sessionId": 7}}', -32602, 5),
        (b'{"id": null, "method": "session/dance"}', -32601, None),
    ],
)
def test_a_bad_line_gets_its_error_and_the_agent_lives_on(
    connect: Any, run: Run, line: bytes, code: int, number: Any
) -> None:
    async def scenario() -> None:
        async with connect() as client:
            client.write(line + b"\n")
            message = await first_error(client)
            assert (message["error"]["code"], message["id"]) == (code, number)
            assert await is_alive(client)

    run(scenario())


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"  ",
        b'{"method": "session/dance", "params": {}}',
        b'{"method": "$/progress"}',
        b'{"method": "_org.other/thing"}',
        b'{"method": "session/cancel", "params": {"sessionId": "unknown"}}',
        b'{"method": "session/cancel", "params": 7}',
        b'{"method": "$/cancel_request"}',
        b'{"id": 99, "result": {}}',
        b'{"id": "x", "error": {"code": 1, "message": "m"}}',
        b'{"id": null, "error": "odd"}',
    ],
)
def test_what_is_no_request_is_not_answered(connect: Any, run: Run, line: bytes) -> None:
    async def scenario() -> None:
        async with connect() as client:
            before = len(client.heard)
            client.write(line + b"\n")
            assert await is_alive(client)
            assert len(client.heard) == before + 1

    run(scenario())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.one_of(
            st.binary(max_size=40).filter(lambda data: b"\n" not in data),
            st.recursive(
                st.none() | st.booleans() | st.integers() | st.text(max_size=9),
                lambda inner: (
                    st.lists(inner, max_size=3)
                    | st.dictionaries(
                        st.sampled_from(["id", "method", "params", "result", "error", "x"]),
                        inner | st.sampled_from(["initialize", "session/list", "session/cancel"]),
                        max_size=5,
                    )
                ),
                max_leaves=8,
            ).map(lambda value: json.dumps(value).encode()),
        ),
        max_size=8,
    )
)
def test_no_sequence_of_lines_ends_the_agent(
    home: Any, tmp_path: Any, run: Run, lines: list[bytes]
) -> None:
    async def scenario() -> None:
        async with connected(Options(cwd=tmp_path, flags={}), tmp_path) as client:
            for line in lines:
                client.write(line + b"\n")
            client.send(id="end", method="initialize", params={"protocolVersion": 1})
            [answer] = await client.until(lambda: [m for m in client.heard if m.get("id") == "end"])
            assert answer["result"]["protocolVersion"] == 1

    run(scenario())


def test_what_is_in_meta_is_no_parameter(connect: Any, run: Run, server: FaultServer) -> None:
    server.respond = text("Yes.")

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new(_meta={"cwd": "/", "session_id": "other"})
            answer = await client.ask(
                "session/prompt",
                sessionId=session,
                prompt=[{"type": "text", "text": "hi"}],
                _meta={"session_id": "other", "prompt": []},
                newerField={"x": 1},
            )
            assert answer["stopReason"] == "end_turn"

    run(scenario())


def test_an_error_of_ours_is_an_answer_and_a_trace_on_stderr(
    connect: Any, run: Run, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*arguments: Any) -> Any:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("minime_acp.agent.stored_sessions", broken)

    async def scenario() -> None:
        async with connect() as client:
            with pytest.raises(Refused, match="-32603: ZeroDivisionError: a bug"):
                await client.ask("session/list")
            assert await is_alive(client)

    run(scenario())
    assert "Traceback" in capfd.readouterr().err


def test_a_line_of_megabytes_is_read_and_sent(connect: Any, run: Run, server: FaultServer) -> None:
    server.respond = text("Yes.")
    data = "x" * (8 << 20)

    async def scenario() -> None:
        async with connect() as client:
            session = await client.new()
            image = {"type": "image", "data": data, "mimeType": "image/png"}
            words = {"type": "text", "text": "what is this?"}
            answer = await client.ask("session/prompt", sessionId=session, prompt=[words, image])
            assert answer["stopReason"] == "end_turn"

    run(scenario())


def test_requests_begin_in_the_order_of_the_wire(run: Run) -> None:
    begun: list[str] = []

    class Wire:
        def __init__(self) -> None:
            self.lines = [
                json.dumps({"id": n, "method": str(n)}).encode() + b"\n" for n in range(50)
            ]

        async def read(self) -> bytes:
            return self.lines.pop(0) if self.lines else b""

        async def write(self, line: bytes) -> None:
            pass

    async def handle(method: str, params: Any, is_notification: bool) -> Any:
        begun.append(method)

    async def scenario() -> None:
        endpoint = Endpoint(Wire(), handle)  # type: ignore[arg-type]
        await endpoint.run()
        await endpoint.aclose()

    run(scenario())
    assert begun == [str(number) for number in range(len(begun))]
