"""Tests of waiting that wait for nothing."""

from __future__ import annotations

import asyncio
from typing import Any


class InstantLoop(asyncio.SelectorEventLoop):
    """An event loop in which waiting takes no time: the clock jumps to when something is due."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        select = self._selector.select  # type: ignore[attr-defined]

        def jump(timeout: float | None) -> Any:
            self._now += timeout or 0
            return select(0)

        self._selector.select = jump  # type: ignore[attr-defined]

    def time(self) -> float:
        return self._now
