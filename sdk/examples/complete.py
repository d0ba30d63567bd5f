"""Ask once, and wait for the whole answer."""

import asyncio
from pathlib import Path

import minime

HERE = Path(__file__).parent


async def main() -> None:
    async with minime.start(config=HERE / "agent.yaml", cwd=HERE) as agent:
        result = await agent.complete("What is this folder about? Read README.md.")
    print(result.text)
    print(f"[{result.stop_reason}, {result.usage.total_tokens if result.usage else '?'} tokens]")


asyncio.run(main())
