"""The routing evaluation, with the fault server as the model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from minime_core.cli.main import run
from minime_core.errors import UserError
from minime_core.testing.fault_server import FaultServer
from minime_core.testing.http1 import Request
from minime_core.testing.replies import status, text, tool_call
from minime_core.testing.steps import Reply
from minime_evals.cases import SHIPPED, Case, read_cases, wanted
from minime_evals.outcome import MARKS

SHIPPED_CASES = read_cases(SHIPPED)
WANTED = {case.prompt: case.want for case in SHIPPED_CASES}


@pytest.fixture
def server(project: Path) -> Iterator[FaultServer]:
    with FaultServer(model="qwen3-8b", n_ctx=8192) as server:
        yield server
        assert server.problems == []


def evaluate(server: FaultServer, *arguments: str) -> int:
    given = ("--provider", "llamacpp", "--base-url", server.base_url)
    return run([*given, "eval", "routing", "--save", "result.json", *arguments])


def result(project: Path) -> dict[str, Any]:
    saved: dict[str, Any] = json.loads((project / "result.json").read_text())
    return saved


def asked(request: Request) -> str:
    return str(request.json["messages"][-1]["content"])


def choosing(choose: Callable[[str], str | None]) -> Callable[[Request], Reply]:
    """Return a model that loads the skill that `choose` returns for a prompt."""

    def respond(request: Request) -> Reply:
        skill = choose(asked(request))
        return text("Here.") if skill is None else tool_call("read_skill", {"name": skill})

    return respond


def kinds(project: Path) -> list[str]:
    return [row["kind"] for run in result(project)["runs"] for row in run]


# The shipped cases


def test_there_are_enough_shipped_cases() -> None:
    assert len(SHIPPED_CASES) >= 30
    assert len(WANTED) == len(SHIPPED_CASES)
    assert [case.want for case in SHIPPED_CASES].count(None) >= 6
    assert all(re.fullmatch(r"pair \d+, by (language|concept|need)", c.note) for c in SHIPPED_CASES)


def test_shipped_cases_come_in_pairs_that_differ_by_one_thing() -> None:
    pairs: dict[str, list[Case]] = {}
    for case in SHIPPED_CASES:
        pairs.setdefault(case.note, []).append(case)
    for note, (one, other) in pairs.items():
        assert (one.want == other.want) is ("need" not in note)


def test_shipped_cases_do_not_use_the_words_of_the_catalogue(
    server: FaultServer, project: Path
) -> None:
    server.respond = choosing(WANTED.__getitem__)
    assert evaluate(server, "--first", "1") == 0
    entries = re.findall(
        r"^([\w-]+): .*\((.*)\)$", result(project)["about"]["catalogue"], re.MULTILINE
    )
    words = {name: [name, *keywords.split(", ")] for name, keywords in entries}
    for prompt, want in WANTED.items():
        for word in words.get(want or "", []):
            assert re.search(rf"\b{re.escape(word)}\b", prompt, re.IGNORECASE) is None, prompt


def test_every_shipped_skill_is_wanted_by_a_case(server: FaultServer, project: Path) -> None:
    assert len(wanted(SHIPPED_CASES)) == 9


# Running


def test_a_model_that_chooses_well_hits_everything(
    server: FaultServer, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.respond = choosing(WANTED.__getitem__)
    assert evaluate(server) == 0
    assert kinds(project) == ["hit"] * len(SHIPPED_CASES)
    out = capsys.readouterr().out
    assert out.count("✓ hit") == len(SHIPPED_CASES)
    assert f"{len(SHIPPED_CASES)} cases · hit {len(SHIPPED_CASES)}  100 % right" in out
    # One request a case: its first call decides.
    assert len(server.chat_requests) == len(SHIPPED_CASES)


def test_the_result_can_be_had_as_json(
    server: FaultServer, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.respond = choosing(WANTED.__getitem__)
    assert evaluate(server, "--first", "2", "--json") == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == result(project)
    assert "2 cases" in err


def test_each_case_is_asked_as_the_first_one(server: FaultServer, project: Path) -> None:
    server.respond = choosing(WANTED.__getitem__)
    assert evaluate(server) == 0
    bodies = [request.json for request in server.chat_requests]
    assert [len(body["messages"]) for body in bodies] == [2] * len(bodies)
    assert len({str(body["tools"]) + str(body["messages"][0]) for body in bodies}) == 1
    names = [tool["function"]["name"] for tool in bodies[0]["tools"]]
    assert names == ["bash", "edit_file", "read_file", "read_skill", "write_file"]


def test_outcomes_are_told_apart_and_printed_as_they_come(
    server: FaultServer, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "cases.yaml").write_text(
        "- {prompt: hit, want: Bg-Jobs}\n- {prompt: wrong, want: bg-jobs}\n"
        "- {prompt: miss, want: bg-jobs}\n- {prompt: extra, want: null}\n"
        "- {prompt: none, want: null}\n- {prompt: quoted, want: bg-jobs, pair: 1, by: quotes}\n"
        "- {prompt: other tool, want: bg-jobs}\n"
    )
    (project / ".mm/skills").mkdir(parents=True)
    (project / ".mm/skills/Bg-Jobs.md").write_text("---\ndescription: d\n---\nb")
    (project / ".mm/skills/bg-jobs.md").write_text("---\ndescription: d\n---\nb")
    chosen = {"hit": "bg-jobs", "wrong": "other", "extra": "bg-jobs", "quoted": ' "BG-jobs"'}

    def respond(request: Request) -> Reply:
        if asked(request) == "other tool":
            return tool_call("bash", {"command": "touch ran"})
        return choosing(chosen.get)(request)

    server.respond = respond
    assert evaluate(server, "--cases", "cases.yaml") == 0
    assert kinds(project) == ["hit", "wrong", "miss", "extra", "hit", "hit", "miss"]
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("[2/7] ≠ wrong want=bg-jobs         got=other")
    assert lines[5].endswith('"quoted"  ← pair 1, by quotes')
    assert "7 cases · hit 3 · wrong 1 · miss 2 · extra 1  42 % right" in lines
    assert not (project / "ran").exists()


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (status(400, {"error": {"message": "bad template"}}), "bad template"),
        (tool_call("read_skill", '{"name": "bg'), "read_skill"),
        (tool_call("read_skill", {}), "read_skill"),
        (tool_call("no_such_tool", {"a": 1}), "no_such_tool"),
        (text(""), "the turn ended: empty"),
    ],
)
def test_a_failed_turn_makes_the_numbers_incomplete(
    reply: Reply,
    error: str,
    server: FaultServer,
    project: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    server.respond = reply
    assert evaluate(server, "--first", "1") == 1
    (row,) = result(project)["runs"][0]
    assert row["kind"] == "error"
    assert error in row["error"]
    assert "incomplete: turns failed" in capsys.readouterr().out


def test_an_error_does_not_spoil_the_cases_after_it(server: FaultServer, project: Path) -> None:
    prompts = [case.prompt for case in SHIPPED_CASES[:3]]

    def respond(request: Request) -> Reply:
        if asked(request) == prompts[1]:
            return status(400, {"error": {"message": "bad"}})
        return choosing(WANTED.__getitem__)(request)

    server.respond = respond
    assert evaluate(server, "--first", "3") == 1
    assert kinds(project) == ["hit", "error", "hit"]


def test_all_cases_can_be_asked_several_times(
    server: FaultServer, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.respond = choosing(WANTED.__getitem__)
    assert evaluate(server, "--runs", "2", "--first", "2") == 0
    assert [len(rows) for rows in result(project)["runs"]] == [2, 2]
    assert "run 2 of 2" in capsys.readouterr().out


def test_what_the_numbers_depend_on_is_saved(server: FaultServer, project: Path) -> None:
    server.respond = choosing(WANTED.__getitem__)
    assert evaluate(server, "--first", "1") == 0
    about = result(project)["about"]
    assert (about["model"], about["profile"], about["thinking"]) == ("qwen3-8b", "qwen3", "on")
    assert about["sampling"]["temperature"] == 0.6
    assert about["system_characters"] > 500
    assert "bg-jobs: " in about["catalogue"]


def test_without_a_name_the_result_goes_to_the_users_state(
    server: FaultServer, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.respond = choosing(WANTED.__getitem__)
    given = ("--provider", "llamacpp", "--base-url", server.base_url)
    assert run([*given, "eval", "routing", "--first", "1"]) == 0
    (saved,) = (home / ".local/state/mini-me/evals").iterdir()
    assert saved.name.startswith("routing-qwen3-8b-")
    assert f"saved: {saved}" in capsys.readouterr().out


def test_ones_own_cases_need_ones_own_skills(
    server: FaultServer, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "cases.yaml").write_text("- {prompt: p, want: bg-jobs}\n")
    assert evaluate(server, "--cases", "cases.yaml") == 2
    assert "no skill is on" in capsys.readouterr().err
    (project / ".mm/skills").mkdir(parents=True)
    (project / ".mm/skills/ship-it.md").write_text("---\ndescription: d\n---\nb")
    assert evaluate(server, "--cases", "cases.yaml") == 2
    assert "the cases want skills that are not on: bg-jobs" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "has to be a list of cases"),
        ("{}", "has to be a list of cases"),
        ("[", "is not YAML"),
        ("- hello", "case 1: it needs `prompt` and `want`"),
        ("- {prompt: p}", "case 1: it needs `prompt` and `want`"),
        ("- {prompt: p, want: x}\n- {prompt: p, want: x, wnat: y}", "case 2: it needs"),
        ("- {prompt: 5, want: x}", "case 1: prompt has to be text"),
        ("- {prompt: ' ', want: x}", "case 1: prompt has to be text"),
        ("- {prompt: p, want: [x]}", "case 1: want has to be the name of a skill"),
    ],
)
def test_mistakes_in_a_file_of_cases_are_told(content: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "cases.yaml").write_text(content)
    with pytest.raises(UserError, match=reason) as error:
        read_cases(tmp_path / "cases.yaml")
    assert "\n" not in str(error.value)


def test_every_outcome_has_its_own_mark() -> None:
    assert len(set(MARKS.values())) == len(MARKS) == 5


def test_what_a_model_writes_cannot_steer_the_terminal(
    server: FaultServer, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.respond = choosing(lambda prompt: "a\x1b[2J\nb" + "c" * 500)
    assert evaluate(server, "--first", "1") == 0
    line = capsys.readouterr().out.splitlines()[0]
    assert "got=a\N{REPLACEMENT CHARACTER}[2j bccc" in line
    assert len(line) < 400
