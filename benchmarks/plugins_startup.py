"""What installed plugins of others add to the start of `mm`."""

from __future__ import annotations

import startup
from client import Client
from figures import Figure
from minime_core.testing import Site

PLUGINS = 20
STARTS = 3
"""Starts of each kind, of which the best one counts."""
SOURCE = """
from minime_core import Tool, ToolResult, hookimpl

async def run(arguments, context):
    return ToolResult(text="")

@hookimpl
def mm_register_tools():
    schema = {"type": "object", "properties": {}}
    return Tool(name=f"module_{__name__}", description="", schema=schema, run=run, effects=set())
"""

FIGURES = (
    Figure(key="plugins", title="20 installed plugins, added to the start", unit="ms", limit=60),
)


def sample(client: Client) -> dict[str, float]:
    """Return CPU seconds until the question is sent: those with plugins less those without."""
    site = Site(client.work / "site")
    for number in range(PLUGINS):
        site.install(f"trivial{number}", SOURCE)
    environment = {"PYTHONPATH": str(site.folder)}
    # The first start in a new home does more than all others, and compiles the plugins.
    startup.until_question(client, PLUGINS, environment)
    without = min(startup.until_question(client)[0] for _ in range(STARTS))
    those = [startup.until_question(client, PLUGINS, environment)[0] for _ in range(STARTS)]
    return {"plugins": min(those) - without}
