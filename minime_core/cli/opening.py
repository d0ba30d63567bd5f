"""How the frontend that the command line names opens its sessions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from minime_core.assembly import Options, Warn, open_session
from minime_core.cli.loading import load_config
from minime_core.config import Config
from minime_core.events import Notice
from minime_core.plugins import PluginHost
from minime_core.session import Session


class Opener:
    """What a frontend opens sessions with.

    options: what the command line said; a frontend may open sessions with others.
    host, config: what `load_host` returned for them.
    """

    def __init__(self, options: Options, host: PluginHost, config: Config, warn: Warn) -> None:
        self.options = options
        self.host = host
        self._config = config
        self._warn = warn

    @asynccontextmanager
    async def open(self, options: Options | None = None) -> AsyncIterator[Session]:
        """Open a session that lasts for the `async with`. Raises as `open_session` does."""
        config = self._config
        if options is not None:
            config = load_config(options, config.sections, self._warn)
        session = await open_session(options or self.options, self.host, config, self._warn)
        try:
            yield session
        finally:
            await session.aclose()
            # What the end of the session brought to light, such as jobs that run on.
            for event in session.take_pending():
                if isinstance(event, Notice):
                    self._warn(event.text)
