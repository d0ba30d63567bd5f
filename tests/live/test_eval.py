"""A short routing evaluation with the model inside the process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from live_mm import Mm
from live_packages import package_folder

pytestmark = pytest.mark.live


def test_a_small_evaluation_comes_to_its_end_and_is_saved(
    tmp_path: Path, smollm2_file: Path
) -> None:
    package_folder("openvino_genai")
    mm = Mm(tmp_path, "--provider", "embedded")
    done = mm.run("eval", "routing", "--first", "2", "--save", "result.json")
    assert done.code in (0, 1), done
    result = json.loads((mm.folder / "result.json").read_text())
    kinds = [case["kind"] for case in result["runs"][0]]
    assert len(kinds) == 2
    # A model that cannot write a call makes the numbers incomplete, and that is said.
    assert done.code == int("error" in kinds)
