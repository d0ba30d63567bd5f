"""Figures: what is reported, and how samples become one number."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

REFERENCE = 0.120
"""CPU seconds of `import httpx` on the machine for which the limits in seconds are stated."""

SECONDS = {"x": 1.0, "s": 1.0, "ms": 1e-3}
"""The units of CPU time, in seconds."""

Unit = Literal["x", "s", "ms", "MB", "chars", "tokens", "bytes", "each", "ratio"]
Samples = Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number that is reported.

    key: the name of its samples, which are in seconds for CPU times, else in `unit`.
    unit: `x` is units of `import httpx`, `each` a count.
    limit: what it may be at most, in `unit`; None when nothing is promised.
    """

    key: str
    title: str
    unit: Unit
    limit: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A figure with its number.

    value: the median in the figure's unit.
    ratio: for CPU times, the median in units of `import httpx`.
    ratio_limit: for CPU times, the limit in units of `import httpx`.
    """

    figure: Figure
    value: float
    ratio: float | None = None
    ratio_limit: float | None = None

    @property
    def holds(self) -> bool | None:
        """Whether it is within its limit, None when it has none. Of CPU times the ratio counts."""
        if self.figure.limit is None:
            return None
        if self.ratio is not None and self.ratio_limit is not None:
            return self.ratio <= self.ratio_limit
        return self.value <= self.figure.limit


def summarise(figure: Figure, samples: Sequence[Samples], bases: Sequence[float]) -> Measured:
    """Return a figure from the samples of all rounds.

    bases: CPU seconds of `import httpx` in each round. A CPU time is compared inside its round,
        since the speed of a shared machine drifts.
    """
    values = [sample[figure.key] for sample in samples]
    scale = SECONDS.get(figure.unit)
    if scale is None:
        return Measured(figure=figure, value=statistics.median(values))
    ratio = statistics.median(value / base for value, base in zip(values, bases, strict=True))
    if figure.unit == "x":
        return Measured(figure=figure, value=ratio, ratio=ratio, ratio_limit=figure.limit)
    return Measured(
        figure=figure,
        value=statistics.median(values) / scale,
        ratio=ratio,
        ratio_limit=None if figure.limit is None else figure.limit * scale / REFERENCE,
    )
