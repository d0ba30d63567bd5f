"""Offer the agent functions of this program: a list of things to do."""

import asyncio
from pathlib import Path

import minime

HERE = Path(__file__).parent
todos: list[str] = []


def add_todo(text: str) -> str:
    """Add one thing to the list of things to do."""
    todos.append(text)
    return f"added: {text}"


def list_todos() -> str:
    """Return the list of things to do."""
    return "\n".join(todos) or "nothing to do"


async def main() -> None:
    async with minime.start(
        config=HERE / "agent.yaml",
        cwd=HERE,
        tools=[add_todo, list_todos],
        on_permission=lambda call: call.title.startswith("client: "),
    ) as agent:
        question = "Add 'buy milk' to my list, then tell me what is on it."
        print((await agent.complete(question)).text)
    print(f"The list of this program: {todos}")


asyncio.run(main())
