from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from minime_core.cli.main import run
from minime_evals.comparing import FORMAT

ABOUT = {"model": "m", "profile": "qwen3", "catalogue": "a", "sampling": {"temperature": 0.6}}


def save(path: str, *runs: dict[str, str], **about: Any) -> str:
    rows = [[{"prompt": p, "kind": kind} for p, kind in run.items()] for run in runs]
    Path(path).write_text(json.dumps({"format": FORMAT, "about": {**ABOUT, **about}, "runs": rows}))
    return path


def compared(before: str, after: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert run(["eval", "compare", before, after]) == 0
    return capsys.readouterr().out.splitlines()


def test_what_moved_is_shown(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = save("a.json", {"one": "miss", "two": "hit", "three": "wrong", "four": "miss"})
    after = save("b.json", {"one": "hit", "two": "hit", "three": "hit", "four": "hit"})
    assert compared(before, after, capsys) == [
        'miss → hit  "one"',
        'wrong → hit  "three"',
        'miss → hit  "four"',
        "before: 4 cases · hit 1 · wrong 1 · miss 2  25 % right",
        "after:  4 cases · hit 4  100 % right",
    ]


def test_what_was_not_the_same_is_shown_first(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = save("a.json", {"one": "hit"})
    after = save("b.json", {"one": "hit"}, model="n", catalogue="b")
    assert compared(before, after, capsys)[:2] == ["differs: model: m → n", "differs: catalogue"]


def test_one_case_more_or_less_is_no_difference(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = save("a.json", {"one": "miss", "two": "hit"})
    after = save("b.json", {"one": "hit", "two": "hit"})
    assert compared(before, after, capsys)[-1].startswith("One case is no difference")


def test_several_runs_are_shown_together(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = save("a.json", {"one": "miss"}, {"one": "hit"}, {"one": "miss"})
    after = save("b.json", {"one": "hit"}, {"one": "hit"}, {"one": "hit"})
    assert compared(before, after, capsys)[0] == 'hit:1 miss:2 → hit  "one"'


def test_cases_of_one_side_alone_are_shown(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, after = save("a.json", {"old": "hit"}), save("b.json", {"new": "error"})
    lines = compared(before, after, capsys)
    assert lines[:2] == ['hit → (not asked)  "old"', '(not asked) → error  "new"']


def test_what_moved_can_be_had_as_json(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = save("a.json", {"one": "miss", "two": "hit"})
    after = save("b.json", {"one": "hit", "two": "hit"}, model="n")
    assert run(["eval", "compare", "--json", before, after]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "conditions": {"model": ["m", "n"]},
        "outcomes": {"one": ["miss", "hit"]},
    }


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "5", "{}", '{"format": "mini-me routing 1"}', "\ufeff{}", "[" * 5000]
    + [json.dumps({"format": FORMAT, "about": {}, "runs": runs}) for runs in (5, [5], [[5]])]
    + [json.dumps({"format": FORMAT, "about": {}, "runs": [[{"prompt": "p", "kind": "x"}]]})],
)
def test_what_is_no_result_is_told(
    content: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "a.json").write_text(content)
    assert run(["eval", "compare", "a.json", "a.json"]) == 2
    assert capsys.readouterr().err.startswith("mm: a.json is no")


def test_a_result_can_be_compared_with_itself(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same = save("a.json", {"one": "hit"})
    assert compared(same, same, capsys) == [
        "before: 1 cases · hit 1  100 % right",
        "after:  1 cases · hit 1  100 % right",
    ]
