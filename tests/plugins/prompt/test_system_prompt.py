from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from minime_core.bundled import bundled
from minime_prompt.sections import SECTIONS

Send = Callable[..., Any]

SIZES = {"small": "qwen3-4b", "medium": "qwen3-8b", "large": "qwen3-32b"}
PLUGINS = ("builtin_tools", "guards", "prompt", "providers", "skills", "tool_formats")
NO_TOOLS = {"bash": False, "edit": False, "plan": False}


@pytest.mark.parametrize("model", SIZES.values(), ids=SIZES)
def test_prompt_and_four_tools_stay_within_the_budget(
    send: Send, project: Path, model: str
) -> None:
    sent = send(project, served=model)
    assert [tool["function"]["name"] for tool in sent.body["tools"]] == [
        "bash", "edit_file", "read_file", "write_file",
    ]  # fmt: skip
    # 1,150 tokens of Qwen's tokenizer: `benchmarks/prompt_size.py` counts four characters each.
    assert len(sent.system) + len(sent.tools) <= 4600


def test_prompt_tools_and_eight_skills_stay_within_the_budget(send: Send, project: Path) -> None:
    names = ["bg-jobs", "code-review", "debug-failure", "git-commit", "greetings", "run-tests"]
    names += ["what-time-is-it", "write-docs"]
    sent = send(project, served="qwen3-8b", skills={"enabled": names})
    assert all(f"\\n{name}: " in sent.tools for name in names)
    # 1,600 tokens are about 6,400 characters.
    assert len(sent.system) + len(sent.tools) <= 6400


def test_with_every_tool_and_shipped_skill_the_prompt_stays_within_the_budget(
    send: Send, project: Path
) -> None:
    tools = {"plan": True, "fetch_content": True}
    skills = sorted(path.parent.name for path in bundled("skills").glob("*/SKILL.md"))
    sent = send(project, served="qwen3-8b", builtin_tools=tools, skills={"enabled": skills})
    assert [tool["function"]["name"] for tool in sent.body["tools"]] == [
        "bash", "edit_file", "fetch_content", "plan", "read_file", "read_skill", "write_file",
    ]  # fmt: skip
    # 2,000 tokens are about 8,000 characters.
    assert len(sent.system) + len(sent.tools) <= 8000


def test_every_tool_with_those_of_all_shipped_modules_stays_within_the_budget(
    send: Send, project: Path
) -> None:
    modules = [path.parent.name for path in bundled("wasm_tools").glob("*/*.wasm")]
    skills = [path.parent.name for path in bundled("skills").glob("*/SKILL.md")]
    sent = send(
        project,
        served="qwen3-8b",
        plugins=(*PLUGINS, "wasm_host"),
        wasm_host={"enabled": modules},
        builtin_tools={"plan": True, "fetch_content": True},
        skills={"enabled": skills},
    )
    assert len(sent.body["tools"]) >= 7 + len(modules) > 7
    # 2,000 tokens: tools alone have 3.9 characters a token.
    assert len(sent.tools) <= 7800


def test_smaller_models_read_less(send: Send, project: Path) -> None:
    small, medium, large = (send(project, served=model).system for model in SIZES.values())
    assert len(small) < len(large) < len(medium)
    assert "BACKGROUND JOBS" not in small
    assert "Do not announce" in small
    assert "Do not announce" not in large


def test_the_size_can_be_set(send: Send, project: Path) -> None:
    small = send(project, served="qwen3-4b").system
    assert send(project, served="qwen3-32b", prompt={"size": "small"}).system == small


@pytest.mark.parametrize("model", SIZES.values(), ids=SIZES)
def test_the_rules_that_hold_for_every_model(send: Send, project: Path, model: str) -> None:
    system = send(project, served=model).system
    assert str(project) in system
    assert (
        "Never state what a file holds, what a command prints or how the repository stands unless "
        "a tool call in this answer returned it." in system
    )
    assert "Touch only what was asked for." in system
    assert "Run no git command" in system


def test_a_section_is_there_only_when_its_tool_is(send: Send, project: Path) -> None:
    def titles(**tools: bool) -> list[str]:
        system = send(project, builtin_tools={**tools, "plan": False}).system
        return [section.title for section in SECTIONS if f"{section.title}\n" in system]

    assert titles() == ["EVIDENCE", "FILES", "RULES", "BACKGROUND JOBS"]
    assert titles(bash=False) == ["EVIDENCE", "FILES", "RULES"]
    assert titles(edit=False) == ["EVIDENCE", "RULES", "BACKGROUND JOBS"]
    assert titles(bash=False, edit=False) == []


def test_without_tools_the_model_is_told_so(send: Send, project: Path) -> None:
    system = send(project, builtin_tools=NO_TOOLS).system
    assert system == "You are Mini Me. You have no tools here: say what you cannot do without them."


def test_the_skills_section_has_no_way_out(send: Send, project: Path) -> None:
    """A sentence that lets a model skip the skills costs what the section brings."""
    system = send(project, skills={"enabled": ["bg-jobs"]}).system
    section = system.partition("SKILLS\n")[2].partition("\n\n")[0]
    assert "FIRST" in section
    for way_out in ("if ", "unless", "otherwise", "when ", "may ", "can ", "optional", "no match"):
        assert way_out not in section.lower()


def test_the_prompt_is_the_same_for_the_whole_session(send: Send, project: Path) -> None:
    sent = send(project, "one", "two", "three")
    assert len({str(body["messages"][0]) for body in sent.bodies}) == 1
    assert len({str(body["tools"]) for body in sent.bodies}) == 1
    assert send(project, "one").system == sent.system


def test_a_system_prompt_of_ones_own_replaces_it(send: Send, project: Path) -> None:
    (project / "AGENTS.md").write_text("notes")
    sent = send(project, system="Be Bob.")
    assert sent.system == "Be Bob."
    assert sent.notices == []


# AGENTS.md


def test_notes_of_the_project_are_added_and_their_size_is_told(send: Send, project: Path) -> None:
    (project / "AGENTS.md").write_text("Use tabs.\n")
    sent = send(project)
    assert sent.system.endswith("\n\nPROJECT NOTES (AGENTS.md)\nUse tabs.")
    assert sent.notices == [f"{project}/AGENTS.md: 9 characters are in the prompt"]


def test_notes_of_the_repository_count_in_its_folders(send: Send, project: Path) -> None:
    (project / ".git").mkdir()
    (project / "AGENTS.md").write_text("Of the repository.")
    (project / "a/b").mkdir(parents=True)
    assert send(project / "a/b").system.endswith("Of the repository.")
    (project / "a/AGENTS.md").write_text("Of a.")
    assert send(project / "a/b").system.endswith("Of a.")


def test_notes_outside_of_a_repository_do_not_count(send: Send, project: Path) -> None:
    (project.parent / "AGENTS.md").write_text("Not of this project.")
    assert "Not of" not in send(project).system


def test_long_notes_are_cut_to_the_budget_and_that_is_told(send: Send, project: Path) -> None:
    (project / "AGENTS.md").write_text("word " * 2000)
    sent = send(project, n_ctx=32768, prompt={"agents_md": 500})
    notes = sent.system.partition("(AGENTS.md)\n")[2]
    assert len(notes) <= 500
    assert "left out; read AGENTS.md" in notes
    (notice,) = sent.notices
    assert notice.endswith("of 9999 characters are in the prompt (prompt.agents_md sets the limit)")


def test_in_a_small_window_notes_get_a_tenth_of_it(send: Send, project: Path) -> None:
    (project / "AGENTS.md").write_text("word " * 2000)
    notes = send(project, n_ctx=4096).system.partition("(AGENTS.md)\n")[2]
    assert 1000 < len(notes) <= 4096 * 0.1 * 3.5


@pytest.mark.parametrize("budget", [0, 500])
def test_notes_can_be_left_out_and_may_be_empty(send: Send, project: Path, budget: int) -> None:
    (project / "AGENTS.md").write_bytes(b"" if budget else b"notes")
    sent = send(project, prompt={"agents_md": budget})
    assert "AGENTS.md" not in sent.system
    assert sent.notices == []


def test_notes_that_are_no_text_or_no_file_do_no_harm(send: Send, project: Path) -> None:
    (project / "AGENTS.md").write_bytes(b"caf\xe9 \x00 end")
    assert send(project).system.endswith(
        "caf\N{REPLACEMENT CHARACTER} \N{REPLACEMENT CHARACTER} end"
    )
    (project / "AGENTS.md").unlink()
    (project / "AGENTS.md").mkdir()
    assert "NOTES" not in send(project).system
