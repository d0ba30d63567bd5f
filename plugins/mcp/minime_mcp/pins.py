"""The tools that the user enabled, as they were then, in a file of their own state folder."""

from __future__ import annotations

from minime_core.codec import from_plain, to_plain
from minime_core.paths import state_folder
from minime_mcp.offered import OfferedTool
from minime_mcp.servers import Server
from minime_shared.state_file import mapping, read_state, write_state


class Pins:
    """Enabled tools by server. Changes are written at once."""

    def __init__(self) -> None:
        self._file = state_folder() / "mcp.json"
        self._servers = read_state(self._file)

    def of(self, server: Server) -> dict[str, OfferedTool]:
        """Return the enabled tools by the names that the server gives them.

        There are none when another server had the name.
        """
        known = mapping(self._servers.get(server.name))
        if known.get("identity") != server.identity:
            return {}
        pins = {}
        for inner, plain in mapping(known.get("tools")).items():
            try:
                pins[inner] = from_plain(OfferedTool, plain)
            except (ValueError, TypeError):
                # Of another version, or edited: it is enabled no more.
                continue
        return pins

    def enable(self, server: Server, tool: OfferedTool) -> None:
        """Pin a tool as it is. Raises UserError."""
        self._put(server, {**self.of(server), tool.inner: tool})

    def disable(self, server: Server, inner: str) -> bool:
        """Forget a tool; return whether it was enabled. Raises UserError."""
        pins = self.of(server)
        was_enabled = pins.pop(inner, None) is not None
        if was_enabled:
            self._put(server, pins)
        return was_enabled

    def _put(self, server: Server, pins: dict[str, OfferedTool]) -> None:
        tools = {inner: to_plain(tool) for inner, tool in pins.items()}
        self._servers[server.name] = {"identity": server.identity, "tools": tools}
        write_state(self._file, self._servers)
