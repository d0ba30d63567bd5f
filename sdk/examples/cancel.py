"""Give a turn three seconds; the next question knows nothing of what was cancelled.

Another limit can be given: python cancel.py 0.5
"""

import asyncio
import sys
from pathlib import Path

import minime

HERE = Path(__file__).parent


async def main(seconds: float) -> None:
    async with minime.start(config=HERE / "agent.yaml", cwd=HERE) as agent:
        story = await agent.complete("Tell me a very long story.", timeout=seconds)
        print(f"{story.text}\n[{story.stop_reason}]")
        answer = await agent.complete("What is 6 times 7?")
        print(f"{answer.text}\n[{answer.stop_reason}]")


asyncio.run(main(float(sys.argv[1]) if len(sys.argv) > 1 else 3.0))
