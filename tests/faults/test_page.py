from __future__ import annotations

from fault_scenarios.page import PAGE, page


def test_the_page_of_faults_is_that_of_the_suite() -> None:
    assert PAGE.read_text() == page(), "`make docs` writes it anew"
