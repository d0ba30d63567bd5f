"""Load one plugin and print what came of it as JSON: `python -m minime_core.cli.trial NAME MODULE`.

A process of its own, since a plugin may end it, or never come back.
"""

from __future__ import annotations

import json
import sys

from minime_core.plugins import PluginHost, PluginInfo


def main() -> None:
    """Try the plugin that the command line names."""
    info = PluginInfo(name=sys.argv[1], module=sys.argv[2])
    PluginHost([info]).load()
    print(json.dumps({"hooks": info.hooks, "load_ms": info.load_ms, "error": info.error}))


if __name__ == "__main__":
    main()
