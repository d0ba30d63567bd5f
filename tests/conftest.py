"""The fixtures of Mini Me, and how many examples a property is tried with: more in CI."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from forked_mm import ForkedMm, MmParent
from minime_core.testing import FaultServer, Mm, Site

pytest_plugins = ["minime_core.testing.pytest_plugin"]

# How long an example takes, or to make one, says nothing on a busy machine; and how many are of
# no use, nothing when there are few.
untimed = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
settings.register_profile("quick", untimed, max_examples=15)
settings.register_profile("full", untimed, max_examples=100)
IS_FULL = bool(os.environ.get("MM_FULL_CORPUS"))
settings.load_profile("full" if IS_FULL else "quick")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave to CI what is marked `full`, and of what is marked `sample` all but every n-th case."""
    if IS_FULL:
        return
    seen: Counter[str] = Counter()
    left = [item for item in items if item.get_closest_marker("full") or _is_left(item, seen)]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in set(left)]


def _is_left(item: pytest.Item, seen: Counter[str]) -> bool:
    sample = item.get_closest_marker("sample")
    if sample is None:
        return False
    name = item.nodeid.partition("[")[0]
    seen[name] += 1
    return bool((seen[name] - 1) % sample.args[0])


@pytest.fixture
def home(mm_home: Path) -> Path:
    """A home of its own, and no variable that `mm` reads."""
    return mm_home


@pytest.fixture(scope="session")
def mm_parent() -> Iterator[MmParent]:
    """What `mm` is forked from."""
    parent = MmParent()
    yield parent
    parent.close()


@pytest.fixture
def mm(
    mm_home: Path, mm_site: Site, fault_server: FaultServer, tmp_path: Path, mm_parent: MmParent
) -> Mm:
    """`mm` as a process that starts quickly, as the fixture of the testing kit else."""
    project = tmp_path / "project"
    (project / ".mm").mkdir(parents=True)
    return ForkedMm(project, fault_server, mm_site, mm_parent)
