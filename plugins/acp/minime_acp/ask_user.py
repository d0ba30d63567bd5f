"""The tool `ask_user`, for clients that can show a form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from acp import RequestError
from acp.meta import CLIENT_METHODS

from minime_acp.client import Client
from minime_core.tools import Arguments, Tool, ToolContext, ToolResult

NAME = "ask_user"


def ask_user_tool(client: Client, session_id: str, call_id: Callable[[], str]) -> Tool:
    """Return the tool.

    call_id: returns the id of the call that runs.
    """

    async def run(arguments: Arguments, context: ToolContext) -> ToolResult:
        params = {
            "mode": "form",
            "sessionId": session_id,
            "toolCallId": call_id(),
            "message": arguments["question"],
            "requestedSchema": _form(arguments.get("options") or []),
        }
        try:
            return _result(await client.request(CLIENT_METHODS["elicitation_create"], params))
        except (RequestError, ConnectionError) as error:
            return ToolResult(text=f"[{NAME}: the user could not be asked: {error}]", ok=False)

    return Tool(
        name=NAME,
        description=(
            "Ask the user ONE question when you cannot go on without the answer. Do not ask what "
            "you can find out yourself."
        ),
        schema={
            "type": "object",
            "properties": {
                "question": {"type": "string"},
                "options": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "answers to choose from, if there are few",
                },
            },
            "required": ["question"],
            "additionalProperties": False,
        },
        run=run,
        effects=frozenset(),
        title=lambda arguments: str(arguments["question"]),
    )


def _form(options: list[str]) -> dict[str, Any]:
    answer: dict[str, Any] = {"type": "string", "title": "Answer"}
    if options:
        answer["enum"] = list(dict.fromkeys(options))
    return {"type": "object", "properties": {"answer": answer}, "required": ["answer"]}


def _result(answer: Any) -> ToolResult:
    content = answer.get("content") if isinstance(answer, Mapping) else None
    if isinstance(content, Mapping) and answer.get("action") == "accept":
        return ToolResult(text=str(content.get("answer", "")) or f"[{NAME}: the answer is empty]")
    return ToolResult(text=f"[{NAME}: the user did not answer; go on without it]", ok=False)
