"""Show the answer, the thoughts and the calls while they come."""

import asyncio
from pathlib import Path

import minime
from minime import Done, Text, Thinking, ToolCall, ToolResult

HERE = Path(__file__).parent


async def main() -> None:
    async with minime.start(config=HERE / "agent.yaml", cwd=HERE) as agent:
        async for event in agent.stream("Which examples are there? Read README.md."):
            match event:
                case Text(text):
                    print(text, end="", flush=True)
                case Thinking(text):
                    print(f"({text})", end="", flush=True)
                case ToolCall(title=title):
                    print(f"\n> {title}")
                case ToolResult(status=status, output=output):
                    print(f"< {status}, {len(output)} characters")
                case Done(stop_reason=reason):
                    print(f"\n[{reason}]")


asyncio.run(main())
