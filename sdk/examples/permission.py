"""Decide in this program what the agent may run: a command is refused, then allowed."""

import asyncio
from pathlib import Path

import minime
from minime import ALLOW, REJECT, Decision, ToolCall

HERE = Path(__file__).parent
allowed: set[str] = set()


async def ask(call: ToolCall) -> Decision:
    decision = ALLOW if call.input.get("command") in allowed else REJECT
    print(f"{call.title}: {decision.option}")
    return decision


async def main() -> None:
    async with minime.start(config=HERE / "agent.yaml", cwd=HERE, on_permission=ask) as agent:
        for question in ("Run pwd.", "Run pwd again, please."):
            print((await agent.complete(question)).text)
            allowed.add("pwd")


asyncio.run(main())
