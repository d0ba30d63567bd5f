from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_skills.skill import (
    MAX_BYTES,
    MAX_DESCRIPTION,
    MAX_KEYWORDS,
    Problem,
    Skill,
    read_skill,
)


def skill(folder: Path, text: str, name: str = "one.md") -> Skill:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    read = read_skill(file)
    assert isinstance(read, Skill)
    return read


def problem(path: Path) -> str:
    read = read_skill(path)
    assert isinstance(read, Problem)
    return read.text


def notes(skill: Skill) -> list[str]:
    return [problem.text for problem in skill.problems]


def test_a_header_gives_name_description_and_keywords(tmp_path: Path) -> None:
    text = (
        "---\nname: deploy-it\ndescription: Ship it.\nkeywords: push, live, en ligne\n---\n\n# Do\n"
    )
    read = skill(tmp_path, text)
    assert (read.name, read.description) == ("deploy-it", "Ship it.")
    assert read.keywords == ("push", "live", "en ligne")
    assert read.body == "# Do"
    assert read.entry == "deploy-it: Ship it. (push, live, en ligne)"
    assert notes(read) == []


def test_without_a_header_the_file_or_folder_gives_the_name(tmp_path: Path) -> None:
    assert skill(tmp_path, "text", "ship-it.md").name == "ship-it"
    folder = skill(tmp_path, "text", "ship-this/SKILL.md")
    assert (folder.name, folder.folder) == ("ship-this", tmp_path / "ship-this")
    assert skill(tmp_path, "text", "ship-it.md").folder is None


def test_a_byte_order_mark_and_dos_line_ends_hide_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes("\ufeff---\r\ndescription: d\r\n---\r\nbody\r\n".encode())
    read = read_skill(tmp_path / "a.md")
    assert isinstance(read, Skill)
    assert (read.description, read.body) == ("d", "body")


def test_headers_of_other_agents_are_read(tmp_path: Path) -> None:
    read = skill(
        tmp_path,
        "---\nname: pdf-forms\ndescription: >-\n  Fill\n  forms.\nkeywords: [pdf, form]\n"
        "license: MIT\nallowed-tools: [Read, Bash]\nmetadata: {version: 1.0}\n---\nbody\n",
        "pdf-forms/SKILL.md",
    )
    assert read.entry == "pdf-forms: Fill forms. (pdf, form)"
    assert notes(read) == []


def test_a_colon_too_many_does_not_spoil_a_header(tmp_path: Path) -> None:
    read = skill(tmp_path, "---\nname: x-y\ndescription: Use when: always\n---\nbody")
    assert read.entry == "x-y: Use when: always"
    assert notes(read) == ["the header is not YAML; it is read line by line"]


def test_a_header_without_an_end_is_said(tmp_path: Path) -> None:
    read = skill(tmp_path, "---\nname: other\nbody", "mine-own.md")
    assert read.name == "mine-own"
    assert "the header that `---` begins has no end" in notes(read)


@pytest.mark.parametrize("header", ["- a\n- b", "just words", "5", "null", "", "&a [*a]"])
def test_a_header_without_names_and_values_says_nothing(header: str, tmp_path: Path) -> None:
    read = skill(tmp_path, f"---\n{header}\n---\nbody", "mine-own.md")
    assert (read.name, read.description, read.body) == ("mine-own", "", "body")


@pytest.mark.parametrize(
    "name", ["../etc", "a/b", "/root", "..", "a\\b", "'; rm'", "x" * 65, "[1]", "{a: b}", "-x"]
)
def test_a_name_that_cannot_be_one_is_replaced_and_said(name: str, tmp_path: Path) -> None:
    read = skill(tmp_path, f"---\nname: {name}\ndescription: d\n---\nbody", "mine-own.md")
    assert read.name == "mine-own"
    if name[0] not in "[{":
        assert any("cannot be used; it is called 'mine-own'" in note for note in notes(read))


def test_only_the_first_keywords_are_shown_and_the_others_are_named(tmp_path: Path) -> None:
    words = [f"k{number}" for number in range(MAX_KEYWORDS + 2)]
    read = skill(
        tmp_path, f"---\ndescription: d\nkeywords: {', '.join(words)}\n---\nbody", "x-y.md"
    )
    assert read.entry == "x-y: d (k0, k1, k2, k3, k4, k5, k6, k7)"
    assert notes(read) == ["only 8 keywords are shown; these are not: k8, k9"]


def test_a_long_description_is_cut_at_a_word_and_said(tmp_path: Path) -> None:
    read = skill(tmp_path, f"---\ndescription: {'word ' * 60}\n---\nbody", "x-y.md")
    assert len(read.entry) <= len("x-y: ") + MAX_DESCRIPTION
    assert read.entry.endswith("word…")
    assert "the description has 299 characters; the model is shown the first 200" in notes(read)


def test_a_missing_description_is_said(tmp_path: Path) -> None:
    assert notes(skill(tmp_path, "body", "x-y.md")) == [
        "it has no description: the model sees the name alone and picks blindly"
    ]


@pytest.mark.parametrize("name", ["greetings", "Greet", "parser", "users", "config", "test"])
def test_a_name_that_code_uses_is_warned_of(name: str, tmp_path: Path) -> None:
    read = skill(tmp_path, "---\ndescription: d\n---\nbody", f"{name}.md")
    assert notes(read) == [
        f"code is full of things named {name!r}: requests about those will load the skill"
    ]


@pytest.mark.parametrize("name", ["run-tests", "bg-jobs", "vulcan-salute", "review"])
def test_other_names_are_not_warned_of(name: str, tmp_path: Path) -> None:
    assert notes(skill(tmp_path, "---\ndescription: d\n---\nbody", f"{name}.md")) == []


def test_a_description_cannot_break_out_of_its_line(tmp_path: Path) -> None:
    read = skill(tmp_path, '---\ndescription: "a\\nb\\e[31m\\u202e c"\n---\nbody', "x-y.md")
    assert read.entry == "x-y: a b[31m c"


def test_files_that_are_no_skills_are_left_out_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "latin.md").write_bytes(b"caf\xe9")
    (tmp_path / "big.md").write_text("x" * (5 << 20))
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "circle.md").symlink_to(tmp_path / "circle.md")
    assert problem(tmp_path / "latin.md") == "is not UTF-8 text; it is left out"
    assert problem(tmp_path / "big.md") == (
        f"has 5242880 bytes, more than {MAX_BYTES}; it is left out"
    )
    assert problem(tmp_path / "pipe.md") == "is no file; it is left out"
    assert problem(tmp_path / "folder.md") == "is no file; it is left out"
    assert problem(tmp_path / "circle.md").startswith("cannot be read: Too many levels")
    assert problem(tmp_path / "missing.md").startswith("cannot be read: No such file")


def test_a_header_that_blows_up_is_read_at_once(tmp_path: Path) -> None:
    bomb = ["a0: &a0 [x]"]
    bomb += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    read = skill(tmp_path, "---\n" + "\n".join(bomb) + "\nname: *a29\n---\nbody", "x-y.md")
    assert read.name == "x-y"


@given(st.text())
def test_any_text_is_a_skill(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    read = skill(tmp_path_factory.mktemp("skills"), text.replace("\r", ""), "x-y.md")
    assert "\n" not in read.entry


@given(st.text())
def test_any_header_is_a_skill_with_a_usable_name(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    header = text.replace("\r", "")
    read = skill(tmp_path_factory.mktemp("skills"), f"---\nname: {header}\n---\nb", "x-y.md")
    assert "/" not in read.name
    assert "\n" not in read.entry
