"""`mm tools`, as a user runs it."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from minime_core.cli.main import run
from module_folder import Home
from module_text import Text, export, mcp, saying


@pytest.fixture
def mm(home: Home, capsys: pytest.CaptureFixture[str]) -> Mm:
    return Mm(capsys)


class Mm:
    """Runs `mm tools`; `code`, `out` and `err` are what came of it."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.code = 0
        self.out = self.err = ""

    def __call__(self, *arguments: str) -> str:
        self.code = run(["tools", *arguments])
        self.out, self.err = self._capsys.readouterr()
        return self.out


def test_from_a_new_file_to_a_call(home: Home, mm: Mm) -> None:
    home.put("hello", saying("Hello, you."))
    assert "hello                project  untrusted" in mm("list")
    assert "`mm tools trust hello` asks it for its tools" in mm("show", "hello")
    out = mm("trust", "hello", "--yes")
    assert "tool        hello__run (" in out
    assert "may         compute, and nothing else" in out
    assert out.endswith("hello is trusted as it is now\n")
    assert "hello__run" in mm("list")
    assert mm("test", "hello").endswith("\nHello, you.\n")
    assert mm.code == 0
    assert "it__run" not in mm("untrust", "hello")
    assert "untrusted" in mm("list")


def test_the_question_before_trust_shows_all_that_it_means(
    home: Home, mm: Mm, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home.folder / "data").mkdir()
    described = {
        "tools": [{"name": "get", "description": "Get\x1b[2J it.", "inputSchema": {}}],
        "mm": {"wants": {"hosts": ["wanted.example"]}},
    }
    permissions = {
        "hosts": ["*.example.org"],
        "paths": [{"host": "../../../data", "guest": "/data", "mode": "rw"}],
        "config": {"UNITS": "metric"},
        "secrets": {"KEY": {"env": "WEATHER_KEY"}},
    }
    home.put("it", mcp("unreachable", tools=json.dumps(described)), {"permissions": permissions})
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda prompt: "n")
    out = mm("trust", "it")
    for line in (
        "sidecar     it.yaml",
        "contract    mcp",
        "may         send requests to *.example.org",
        f"may         read and WRITE {home.folder}/data, as /data",
        "may         know UNITS=metric",
        "may         know the secret KEY, from the variable WEATHER_KEY",
        "may         send these secrets to each host that the `*` stands for",
        "tool        it__get (",
        ": Get it.",
        "it asks for hosts: wanted.example (granted by a sidecar alone)",
        "It stays untrusted.",
    ):
        assert line in out
    assert "\x1b" not in out
    assert home.offered() == {}


def test_a_limit_that_the_system_does_not_enforce_is_said(
    home: Home, mm: Mm, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.put("it", saying("hi"))
    monkeypatch.setattr(
        "minime_wasm_host.commands.listing.UNENFORCED", {sys.platform: ["worker_mb"]}
    )
    assert "note        this system does not enforce limits.worker_mb" in mm("show", "it")


def test_enter_means_no(home: Home, mm: Mm, monkeypatch: pytest.MonkeyPatch) -> None:
    home.put("it", saying("hi"))
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda prompt: "")
    mm("trust", "it")
    assert home.offered() == {}


def test_without_an_answer_it_stays_untrusted(
    home: Home, mm: Mm, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.put("it", saying("hi"))
    monkeypatch.setattr("sys.stdin", io.StringIO())
    mm("trust", "it")
    said = "mm: it stays untrusted; where nobody can answer, `--yes` does\n"
    assert (mm.code, mm.err) == (130, said)
    assert home.offered() == {}


def test_a_file_that_is_no_module_says_so_everywhere(home: Home, mm: Mm) -> None:
    home.put("bad", b"{}")
    reason = "bad.wasm: it is no WebAssembly module but JSON"
    assert f"bad                  project  unusable   {reason}" in mm("list")
    assert mm("show", "bad") == f"bad: unusable, {reason}\n"
    mm("trust", "bad", "--yes")
    assert (mm.code, mm.err) == (2, f"mm: {reason}\n")


def test_a_mistake_in_a_sidecar_is_told_before_anything_runs(home: Home, mm: Mm) -> None:
    home.put("it", saying("hi"), {"permission": {}})
    mm("trust", "it", "--yes")
    assert "unknown key permission; did you mean permissions?" in mm.err


def test_an_unknown_name_is_told_with_the_nearest(home: Home, mm: Mm) -> None:
    home.put("weather", saying("hi"))
    mm("show", "wether")
    assert mm.code == 2
    assert "no WASM module 'wether'; did you mean weather? (modules lie in .mm/tools" in mm.err


def test_a_module_is_named_by_its_path_too(home: Home, mm: Mm) -> None:
    home.put("it", saying("hi"))
    assert "trusted as it is now" in mm("trust", ".mm/tools/it.wasm", "--yes")


def test_a_module_is_switched_off_and_on(home: Home, mm: Mm) -> None:
    home.add("it", saying("hi"))
    assert mm("disable", "it") == "it is off\n"
    assert home.offered() == {}
    assert "it                   project  off" in mm("list")
    assert mm("enable", "it").startswith("it is on: it__run (")
    assert list(home.offered()) == ["it__run"]


def test_a_module_can_be_switched_before_it_is_trusted(home: Home, mm: Mm) -> None:
    home.put("it", saying("hi"))
    assert mm("disable", "it") == "it is off\n"
    assert "It is disabled; `mm tools enable it`" in mm("trust", "it", "--yes")
    assert home.offered() == {}
    home.put("more", saying("hi"))
    assert "gives its tools once you trust it" in mm("enable", "more")


def test_a_setting_that_says_otherwise_is_named(home: Home, mm: Mm) -> None:
    home.add("it", saying("hi"))
    config = home.folder / ".config" / "mini-me" / "config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text("wasm_host: {disabled: [it]}")
    assert "the setting wasm_host.disabled names it" in mm("enable", "it")
    config.write_text("wasm_host: {enabled: [it]}")
    assert "the setting wasm_host.enabled names it" in mm("disable", "it")


def test_the_list_as_json_has_costs_and_states(home: Home, mm: Mm) -> None:
    home.add("it", saying("hi"))
    listed = json.loads(mm("list", "--json"))
    tools = {tool["name"]: tool for tool in listed["tools"]}
    assert tools["it__run"]["plugin"] == "wasm_host"
    assert {"bash", "read_file"} <= tools.keys()
    module = next(row for row in listed["modules"] if row["name"] == "it")
    assert module["state"] == "on"
    assert module["cost"] == tools["it__run"]["cost"]
    wire = (
        '{"type":"function","function":{"name":"it__run","description":"Run it.",'
        '"parameters":{"type":"object","properties":{}}}}'
    )
    assert module["cost"] == len(wire)


# Trying.


def two(home: Home) -> None:
    data = Text(a="from a", b="from b").build(
        export("a", "(call $say {a})"), export("b", "(call $fail {b})")
    )
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    entries = [{"name": "a", "input_schema": schema}, {"name": "b"}]
    home.add("it", data, {"tools": entries})


def test_a_tool_is_tried_by_its_name(home: Home, mm: Mm) -> None:
    two(home)
    assert mm("test", "it__a", '{"n": 1}').endswith("\nfrom a\n")
    assert mm("test", "it__b") == "[it__b: failed: from b]\n"
    assert mm.code == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("it",), "it has more tools: it__a, it__b"),
        (("it__a", "{}"), "wrong arguments: arguments: 'n' is a required property; expected {n}"),
        (("it__a", "{"), "the arguments are not JSON"),
        (("it__a", "[1]"), "the arguments have to be a JSON object"),
        (("it__c",), "no WASM module 'it__c'"),
        (("new",), "new is not trusted: mm tools trust new"),
    ],
)
def test_a_trial_that_cannot_be_says_why(
    home: Home, mm: Mm, arguments: tuple[str, ...], reason: str
) -> None:
    two(home)
    home.put("new", saying("hi"))
    mm("test", *arguments)
    assert mm.code == 2
    assert reason in mm.err


def test_a_trial_leaves_no_worker(home: Home, mm: Mm) -> None:
    from module_folder import workers

    home.add("it", saying("hi"))
    mm("test", "it")
    assert workers() == set()


# Shipped modules.


def test_shipped_modules_are_off_until_they_are_wanted(home: Home, mm: Mm) -> None:
    assert "calculate            shipped  off" in mm("list")
    assert home.offered() == {}
    assert "calculate is on: calculate (" in mm("enable", "calculate")
    assert list(home.offered()) == ["calculate"]


@pytest.mark.parametrize(("command", "instead"), [("trust", "enable"), ("untrust", "disable")])
def test_shipped_modules_need_no_trust(home: Home, mm: Mm, command: str, instead: str) -> None:
    mm(command, "calculate")
    assert mm.err == f"mm: calculate is a part of Mini Me; `mm tools {instead} calculate`\n"


def test_a_folder_can_be_named_for_one_run(
    home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MM_WASM", "")
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "there.wasm").write_bytes(saying("hi"))
    assert run(["--wasm", str(folder), "tools", "list"]) == 0
    assert "there                named    untrusted" in capsys.readouterr().out


# Projects.


@pytest.mark.parametrize("language", ["c", "zig", "rust", "assemblyscript", "tinygo"])
def test_a_project_is_written_whole(home: Home, mm: Mm, language: str) -> None:
    assert "new_tool/README.md says how to build it" in mm("new", language, "new_tool")
    files = [path for path in Path("new_tool").rglob("*") if path.is_file()]
    assert Path("new_tool/README.md") in files
    assert not [path for path in files if "TOOLNAME" in str(path) + path.read_text()]
    assert any("new_tool" in path.read_text() for path in files)


def test_a_project_does_not_replace_a_folder(home: Home, mm: Mm) -> None:
    Path("new_tool").mkdir()
    mm("new", "c", "new_tool")
    assert (mm.code, list(Path("new_tool").iterdir())) == (2, [])
    assert "is there already" in mm.err


@pytest.mark.parametrize("name", ["../x", "a b", "", "Big", "a" * 41, "-x"])
def test_a_project_has_a_plain_name(home: Home, mm: Mm, name: str) -> None:
    mm("new", "c", "--", name)
    assert mm.code == 2
