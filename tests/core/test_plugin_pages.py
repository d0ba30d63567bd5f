"""The pages for authors of plugins: their commands and their examples work."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from minime_core.testing import Mm

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"
EXAMPLES = re.findall(r"```python\n(.*?)```", (HOW_TO / "test-a-plugin.md").read_text(), re.DOTALL)
TESTS = [example for example in EXAMPLES if "def test_" in example]


def test_the_commands_of_the_page_work(mm: Mm) -> None:
    assert mm.site is not None
    page = (HOW_TO / "write-a-plugin.md").read_text()
    commands = [line.strip() for line in page.splitlines() if line.startswith("    mm ")]
    assert len(commands) == 5
    for command in commands:
        done = mm.run(*shlex.split(command)[1:])
        assert done.code == 0, (command, done)
        if command == "mm plugins new word-count":
            package = mm.cwd / "mm-plugin-word-count" / "mm_plugin_word_count"
            # What `pip install` would do.
            (mm.site.folder / package.name).symlink_to(package)
            mm.site.install("word_count", f"from {package.name} import *\n")


@pytest.mark.sample(3)
@pytest.mark.parametrize("example", TESTS, ids=lambda example: example.split("def ")[-1][:30])
def test_an_example_is_a_test_that_passes(example: str, request: pytest.FixtureRequest) -> None:
    names: dict[str, Any] = {}
    exec(compile(example, "example", "exec", dont_inherit=True), names)
    (test,) = (value for name, value in names.items() if name.startswith("test_"))
    wanted = test.__code__.co_varnames[: test.__code__.co_argcount]
    test(*map(request.getfixturevalue, wanted))
