"""`mm` in this process: for tests of commands, whose start would cost more than they do."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from minime_core.cli.main import run
from minime_core.testing import Mm, Outcome


class QuickMm(Mm):
    """Runs `mm` as `mm` would be run, in the same folder and with the same plugins."""

    def __init__(
        self, mm: Mm, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        super().__init__(mm.cwd, mm.server, mm.site)
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def run(
        self,
        *arguments: str | bytes,
        input: bytes | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Outcome:
        """Run `mm` to its end; nothing can be piped in."""
        assert input is None
        self._capsys.readouterr()
        with self._monkeypatch.context() as patch:
            patch.chdir(self.cwd)
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            code = run([*self.options, *map(str, arguments)])
        return Outcome(code, *self._capsys.readouterr())
