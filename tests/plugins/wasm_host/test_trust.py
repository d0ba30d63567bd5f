"""Trust: given by the user alone, for files as they are, kept where no project can write."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from minime_core.paths import state_folder
from module_folder import Home
from module_text import saying


def test_a_new_module_is_untrusted_and_gives_nothing(home: Home) -> None:
    home.put("it", saying("hi"))
    assert home.found()["it"].state == "untrusted"
    assert home.offered() == {}


def test_a_trusted_module_gives_its_tools(home: Home) -> None:
    home.add("it", saying("hi"))
    found = home.found()["it"]
    assert (found.state, found.is_active) == ("trusted", True)
    tool = home.offered()["it__run"]
    assert (tool.description, tool.effects, tool.kind) == ("Run it.", frozenset(), "other")


def test_a_copy_elsewhere_is_not_trusted(home: Home) -> None:
    home.add("it", saying("hi"))
    user = home.folder / ".config" / "mini-me" / "tools"
    user.mkdir(parents=True)
    (user / "other.wasm").write_bytes(saying("hi"))
    assert home.found()["other"].state == "untrusted"


def test_a_change_withdraws_trust_and_the_old_file_gets_it_back(home: Home) -> None:
    path = home.put("it", saying("hi"))
    home.trust("it")
    path.write_bytes(saying("something else"))
    assert home.found()["it"].state == "changed"
    assert home.offered() == {}
    path.write_bytes(saying("hi"))
    assert home.found()["it"].state == "trusted"


def test_a_file_that_is_touched_is_read_once_and_known_again(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = home.put("it", saying("hi"))
    home.trust("it")
    os.utime(path, ns=(1, 1))
    assert home.found()["it"].state == "trusted"
    monkeypatch.setattr("minime_wasm_host.survey.read_module", lambda path: 1 / 0)
    assert home.found()["it"].state == "trusted"


def test_a_state_folder_that_cannot_be_written_does_no_harm(home: Home) -> None:
    path = home.put("it", saying("hi"))
    home.trust("it")
    os.utime(path, ns=(1, 1))
    (state_folder() / "wasm.new").mkdir()
    assert home.found()["it"].state == "trusted"


def test_a_module_that_cannot_be_read_any_more_is_changed(home: Home) -> None:
    path = home.put("it", saying("hi"))
    home.trust("it")
    path.unlink()
    path.mkdir()
    assert home.found()["it"].state == "changed"


def test_a_cloned_project_cannot_bring_its_own_trust(home: Home) -> None:
    home.add("it", saying("hi"))
    pins = (state_folder() / "wasm.json").read_text()
    # All that a repository may hold: pins beside the module, in `.mm`, in a folder like the state.
    for folder in (home.tools, home.tools.parent, home.project / ".local/state/mini-me"):
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("wasm.json", "trusted.json", "lock.json"):
            (folder / name).write_text(pins)
    (state_folder() / "wasm.json").unlink()
    assert home.found()["it"].state == "untrusted"
    assert home.offered() == {}


def test_a_sidecar_with_a_pin_is_refused(home: Home) -> None:
    from minime_wasm_host.refusal import Refused

    with pytest.raises(Refused, match="unknown key sha256; trust is kept in your own state"):
        home.add("it", saying("hi"), {"sha256": "00" * 32})


@pytest.mark.parametrize(
    "pins",
    [
        b"",
        b"\xff",
        b"[]",
        b'{"trusted": []}',
        b'{"trusted": {"KEY": 7}}',
        b'{"trusted": {"KEY": {}}}',
        b'{"trusted": {"KEY": {"module": {"sha256": "x", "size": "big"}}}}',
        b'{"trusted": {"KEY": {"module": {"sha256": "x", "size": 1}, "limits": {"fresh": 0}}}}',
        b"[" * 100_000,
    ],
)
def test_notes_that_are_damaged_trust_nothing(home: Home, pins: bytes) -> None:
    path = home.put("it", saying("hi"))
    state_folder().mkdir(parents=True)
    file = state_folder() / "wasm.json"
    file.write_bytes(pins.replace(b"KEY", str(path).encode()))
    assert home.found()["it"].state == "untrusted"


def test_damaged_notes_are_replaced(home: Home) -> None:
    state_folder().mkdir(parents=True)
    (state_folder() / "wasm.json").write_bytes(b"{")
    home.add("it", saying("hi"))
    assert home.found()["it"].state == "trusted"


def test_the_notes_are_readable_by_their_owner_alone(home: Home) -> None:
    home.add("it", saying("hi"))
    assert state_folder().stat().st_mode & 0o077 == 0


def test_what_was_approved_holds_whatever_the_module_describes_later(home: Home) -> None:
    home.add("it", saying("hi"))
    notes = json.loads((state_folder() / "wasm.json").read_text())
    (approval,) = notes["trusted"].values()
    assert [tool["name"] for tool in approval["tools"]] == ["it__run"]
    approval["tools"][0]["description"] = "As approved."
    (state_folder() / "wasm.json").write_text(json.dumps(notes))
    assert home.offered()["it__run"].description == "As approved."


# Folders.


def put(folder: Path, name: str = "it") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.wasm").write_bytes(saying("hi"))


def origins(home: Home) -> list[tuple[str, str]]:
    from minime_wasm_host.module_tools import found_modules

    found = found_modules(home.config, home.project)
    return [(f.module.name, f.module.origin) for f in found if f.module.origin != "shipped"]


def test_modules_are_found_in_all_folders(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    put(home.tools, "in_project")
    put(home.tools / "in_folder", "in_folder")
    put(home.tools / "other_name", "not_found")
    put(home.folder / ".config/mini-me/tools", "of_user")
    put(home.folder / "named", "named")
    put(home.folder / "variable", "variable")
    home.settings["folders"] = ["../named"]
    monkeypatch.setenv("MM_WASM", f"~/variable{os.pathsep}/no/such/folder")
    assert origins(home) == [
        ("named", "named"),
        ("variable", "named"),
        ("in_folder", "project"),
        ("in_project", "project"),
        ("of_user", "user"),
    ]


def test_of_two_modules_of_one_name_the_nearer_gives_its_tools(home: Home) -> None:
    put(home.folder / ".config/mini-me/tools")
    home.add("it", saying("hi"))
    from minime_wasm_host.module_tools import found_modules
    from minime_wasm_host.places import Module
    from minime_wasm_host.store import Store
    from minime_wasm_host.trusting import described, look_at

    path = home.folder / ".config/mini-me/tools/it.wasm"
    user = Module(name="it", path=path, origin="user")
    approval, _ = home.run(described(look_at(user), print))
    Store().approve(user, approval)

    def active() -> list[str]:
        return [f.module.origin for f in found_modules(home.config, home.project) if f.is_active]

    assert active() == ["project"]
    # An untrusted one takes nothing away.
    home.put("it", saying("new"))
    assert active() == ["user"]
    assert list(home.offered()) == ["it__run"]


def test_two_sidecars_cannot_share_a_name(home: Home) -> None:
    for name in ("a", "b"):
        home.add(name, saying(name), {"tools": [{"name": "run", "rename": "same"}]})
    assert list(home.offered()) == ["same"]
    assert home.call("same").text.endswith("\na")


# Switches.


def test_settings_switch_modules(home: Home) -> None:
    home.add("it", saying("hi"))
    home.settings["disabled"] = ["it"]
    assert home.offered() == {}
    home.settings["enabled"] = ["it"]
    assert home.offered() == {}
    home.settings["disabled"] = []
    assert list(home.offered()) == ["it__run"]


# The notice.


class Session:
    """As much of a session as the announcement needs."""

    def __init__(self, home: Home) -> None:
        self.config = home.config
        self.cwd = home.project
        self.notices: list[str] = []

    def notice(self, text: str) -> None:
        self.notices.append(text)


def notices(home: Home) -> list[str]:
    from minime_wasm_host.announcing import announce

    session = Session(home)
    announce(session)  # type: ignore[arg-type]
    return session.notices


def test_nothing_is_said_when_all_is_trusted(home: Home) -> None:
    home.add("it", saying("hi"))
    assert notices(home) == []


def test_modules_that_wait_for_trust_are_named(home: Home) -> None:
    home.add("changed", saying("hi"))
    home.put("changed", saying("ho, ho"))
    for n in range(7):
        home.put(f"new{n}", saying("hi"))
    untrusted, changed = notices(home)
    assert "new0, new1, new2, new3, new4 and 2 more (`mm tools trust NAME`" in untrusted
    assert "changed since you trusted them and are not used: changed (" in changed


def test_a_disabled_module_is_not_spoken_of(home: Home) -> None:
    home.put("it", saying("hi"))
    home.settings["disabled"] = ["it"]
    assert notices(home) == []
