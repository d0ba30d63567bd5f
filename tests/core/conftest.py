from __future__ import annotations

import pytest

from minime_core.testing import Site


@pytest.fixture
def site(mm_site: Site) -> Site:
    """A folder of installed distributions with plugins, on the path of this process."""
    return mm_site
