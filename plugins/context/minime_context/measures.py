"""What a session knows of sizes, in one place."""

from __future__ import annotations

from dataclasses import dataclass

from minime_context.meter import Meter
from minime_context.sizes import Sizes
from minime_context.window import Window


@dataclass(frozen=True, slots=True)
class Measures:
    """Bytes, tokens, and the window."""

    sizes: Sizes
    meter: Meter
    window: Window

    @property
    def all(self) -> tuple[Sizes, Meter, Window]:
        return self.sizes, self.meter, self.window
