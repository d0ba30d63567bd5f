from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_core.cli.mentions import expand_mentions


@pytest.fixture(scope="module")
def cwd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cwd = tmp_path_factory.mktemp("cwd").resolve()
    for name in ("notes.txt", "with space.txt", "ä.txt", "a", "v1.2", "odd]name"):
        (cwd / name).write_text("SECRET")
    (cwd / "src").mkdir()
    (cwd / "src/main.py").write_text("SECRET")
    (cwd / "link").symlink_to("notes.txt")
    (cwd / "dangling").symlink_to("nowhere")
    (cwd / "loop").symlink_to("loop")
    return cwd


@pytest.mark.parametrize(
    ("prompt", "expanded"),
    [
        ("@notes.txt", "<notes.txt>"),
        ("read @notes.txt", "read <notes.txt>"),
        ("read @notes.txt and @a", "read <notes.txt> and <a>"),
        ("@notes.txt, please", "<notes.txt>, please"),
        ("what is @notes.txt?", "what is <notes.txt>?"),
        ("see @notes.txt...", "see <notes.txt>..."),
        ("is it @notes.txt?!).", "is it <notes.txt>?!)."),
        ("(see @notes.txt)", "(see <notes.txt>)"),
        ("(@notes.txt)", "(<notes.txt>)"),
        ("[@notes.txt]", "[<notes.txt>]"),
        ("'@notes.txt'", "'<notes.txt>'"),
        ('say "@notes.txt"', 'say "<notes.txt>"'),
        ("@v1.2.", "<v1.2>."),
        ("@ä.txt", "<ä.txt>"),
        ("@odd]name", "<odd]name>"),
        ("@src/main.py:", "<src/main.py>:"),
        ("@./src/../notes.txt", "<notes.txt>"),
        ("@link", "<notes.txt>"),
        ('@"with space.txt"', "<with space.txt>"),
        ('@"with space.txt", @a', "<with space.txt>, <a>"),
        ("a\n@a\tb", "a\n<a>\tb"),
    ],
)
def test_a_mentioned_file_is_named_with_its_whole_path(
    prompt: str, expanded: str, cwd: Path
) -> None:
    expected = expanded.replace("<", f"[attached file: {cwd}/").replace(">", "]")
    assert expand_mentions(prompt, cwd) == expected


def test_a_mentioned_folder_is_called_one(cwd: Path) -> None:
    assert expand_mentions("@src/, @.", cwd) == (
        f"[attached folder: {cwd}/src], [attached folder: {cwd}]"
    )


def test_an_absolute_path_and_one_below_home_are_found(
    cwd: Path, home: Path, tmp_path: Path
) -> None:
    (home / "mine").touch()
    assert expand_mentions(f"@{cwd}/a", tmp_path) == f"[attached file: {cwd}/a]"
    assert expand_mentions("@~/mine", tmp_path) == f"[attached file: {home}/mine]"


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "@",
        "@ a",
        "@@a",
        '@""',
        '@"missing file"',
        '@"a',
        "mail me@a or x.y@notes.txt",
        "a@a",
        "@property\ndef a(): ...",
        "@dataclass(frozen=True)",
        "npm i @scope/package@1.0",
        "@notes.txtx",
        "@notes",
        "@notes.txt's",
        "@src/missing.py",
        "@a/b",
        "@dangling",
        "@loop",
        "@~nobody-of-that-name/x",
        "@\0",
        "@~\0b",
        "@a\0b",
        "@" + "x" * 100_000,
        "@" + "." * 100_000,
        "@" + "/" * 3 + "x" * 5000,
        '@"' + "x" * 100_000 + '"',
        "@" + os.fsdecode(b"\xff\xfe"),
        "@\ud800",
    ],
)
def test_what_names_no_file_stays_as_it_is(prompt: str, cwd: Path) -> None:
    assert expand_mentions(prompt, cwd) == prompt


@given(st.text(), st.sampled_from(["@", '@"', "(@", " @a", "@src/", "@~"]))
def test_no_prompt_is_refused_and_no_content_put_in(cwd: Path, text: str, beginning: str) -> None:
    assert "SECRET" not in expand_mentions(beginning + text, cwd)
