"""`convert_units`, `text_stats` and `http_get_json`; and all of them together."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from loopback_site import LoopbackSite, Page
from minime_core.bundled import bundled
from minime_core.tools import Tool
from minime_wasm_host.places import Module
from minime_wasm_host.trusting import described, look_at
from module_folder import Home

FOLDER = bundled("wasm_tools")
NAMES = sorted(path.stem for path in FOLDER.glob("*/*.wasm"))


def convert(home: Home, value: Any, unit: str, to: str) -> str:
    arguments = {"value": value, "from": unit, "to": to}
    return home.call("convert_units", **arguments).text


@pytest.mark.parametrize(
    ("value", "unit", "to", "result"),
    [
        (1, "mile", "feet", "1 mi = 5280 ft"),
        (1, "mi", "km", "1 mi = 1.609344 km"),
        (12, "in", "ft", "12 in = 1 ft"),
        (100, "km/h", "m/s", "100 km/h is about 27.777777777778 m/s"),
        (90, "km/h", "m/s", "90 km/h = 25 m/s"),
        (98.6, "F", "C", "98.6 \u00b0F = 37 \u00b0C"),
        (-40, "celsius", "fahrenheit", "-40 \u00b0C = -40 \u00b0F"),
        (0, "K", "degC", "0 K = -273.15 \u00b0C"),
        (1, "GiB", "MB", "1 GiB = 1073.741824 MB"),
        (8, "Mbit", "MB", "8 Mbit = 1 MB"),
        (1, "MB", "Mb", "1 MB = 8 Mbit"),
        (1, "gallon", "liters", "1 gal = 3.785411784 L"),
        (2.5, "pounds", "kg", "2.5 lb = 1.133980925 kg"),
        (1, "kWh", "J", "1 kWh = 3600000 J"),
        (1, "acre", "square feet", "1 acre = 43560 ft2"),
        (3, "square feet", "m\u00b2", "3 ft2 = 0.27870912 m2"),
        (1, "week", "hours", "1 wk = 168 h"),
        (1, "year", "days", "1 yr is about 365.2425 d"),
        (180, "degrees", "radians", "180 \u00b0 is about 3.14159265359 rad"),
        (1, "MW", "mW", "1 MW = 1000000000 mW"),
        (1e-9, "m", "nm", "1e-09 m = 1 nm"),
        (1, "knots", "km/h", "1 kn = 1.852 km/h"),
        (1, "atm", "kPa", "1 atm = 101.325 kPa"),
        (0, "m", "km", "0 m = 0 km"),
    ],
)
def test_units_are_converted(shipped: Home, value: float, unit: str, to: str, result: str) -> None:
    assert convert(shipped, value, unit, to) == result


@pytest.mark.parametrize(
    ("unit", "to", "reason"),
    [
        ("kg", "m", "kg is a unit of mass, m one of length: these cannot be converted"),
        ("kilometrs", "m", "the unit 'kilometrs' is not known; did you mean km"),
        ("parsek", "m", "did you mean pc"),
        ("xyz", "m", "use a usual sign or an English word, such as km"),
        ("", "m", "the unit '' is not known"),
    ],
)
def test_a_unit_that_cannot_be_is_explained(shipped: Home, unit: str, to: str, reason: str) -> None:
    assert reason in convert(shipped, 1, unit, to)


@given(st.decimals(-(10**9), 10**9, places=3), st.sampled_from(["ft", "lb", "degF", "kB", "psi"]))
@hypothesis_settings(max_examples=30)
def test_there_and_back_again_is_the_same(shipped: Home, value: Any, unit: str) -> None:
    base = {"ft": "m", "lb": "g", "degF": "K", "kB": "bit", "psi": "Pa"}[unit]
    there = convert(shipped, float(value), unit, base)
    number = re.split(r" = | is about ", there)[1].split()[0]
    back = convert(shipped, float(number), base, unit)
    found = float(re.split(r" = | is about ", back)[1].split()[0])
    assert found == pytest.approx(float(value), rel=1e-9, abs=1e-6)


def stats(home: Home, text: str, **more: Any) -> list[str]:
    return home.call("text_stats", text=text, **more).text.split("\n")


def test_a_text_is_counted(shipped: Home) -> None:
    text = "How many r are in \u201cstrawberry\u201d? Three, of course.\nOver.\n"
    assert stats(shipped, text, find="r") == [
        f"characters: {len(text)} (without white space: 46, bytes: {len(text.encode())})",
        "words: 10",
        "sentences: 3",
        "lines: 2",
        "longest word: \u201cstrawberry\u201d (12)",
        "most frequent words: how 1, many 1, r 1, are 1, in 1",
        '"r": 8 times, at character '
        + ", ".join(str(n) for n, c in enumerate(text, 1) if c == "r"),
    ]


def test_letters_are_found_in_both_cases_when_asked(shipped: Home) -> None:
    assert stats(shipped, "\u00dcber \u00fcber", find="\u00fc")[-1].startswith('"\u00fc": 1 time,')
    text = "\u00dcber \u00fcber \u0416\u0436 \u03a9"
    both = stats(shipped, text, find="\u00fc", ignore_case=True)
    assert both[-1] == '"\u00fc": 2 times, at character 1, 6'


def test_what_is_not_there_is_found_no_times(shipped: Home) -> None:
    assert stats(shipped, "abc", find="x")[-1] == '"x": 0 times'


def test_of_many_places_the_first_are_named(shipped: Home) -> None:
    line = stats(shipped, "a" * 100, find="a")[-1]
    assert line.startswith('"a": 100 times, at character 1, 2, ')
    assert line.endswith(", 20, ...")


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=50))
@hypothesis_settings(max_examples=60)
def test_it_agrees_about_characters_and_bytes(shipped: Home, text: str) -> None:
    first = stats(shipped, text)[0]
    assert first.startswith(f"characters: {len(text)} (")
    assert first.endswith(f"bytes: {len(text.encode())})")


# HTTP.


def test_json_is_got_from_a_granted_host_with_a_secret(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "t0k3n-value")
    data = (FOLDER / "http_get_json" / "http_get_json.wasm").read_bytes()
    with LoopbackSite() as site:
        site.pages["/data"] = Page(b'{ "a" : [1, 2.50],\n "echo": "t0k3n-value" }')
        site.pages["/text"] = Page(b"plain")
        permissions = {"hosts": [site.origin], "secrets": {"TOKEN": {"env": "MY_TOKEN"}}}
        home.add("http_get_json", data, {"permissions": permissions})
        name = "http_get_json__http_get_json"
        text = home.call(name, url=f"{site.origin}/data").text
        assert text.endswith('\n{"a":[1,2.50],"echo":"(TOKEN)"}')
        assert site.asked[0].headers["authorization"] == "Bearer t0k3n-value"
        assert "status 404: not here" in home.call(name, url=f"{site.origin}/no").text
        assert "the answer is not JSON: plain" in home.call(name, url=f"{site.origin}/text").text
        forbidden = home.call(name, url="https://example.com/").text
        assert "status 403: https://example.com is not allowed to this tool" in forbidden


# All of them.


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_module_is_small_and_asks_for_nothing(name: str) -> None:
    path = FOLDER / name / f"{name}.wasm"
    assert path.stat().st_size <= 60_000
    candidate = look_at(Module(name=name, path=path, origin="shipped"))
    assert candidate.approval.grants.effects == frozenset()
    assert not candidate.approval.wasi
    assert candidate.wants_network == (name == "http_get_json")
    assert (FOLDER / name / "src" / "main.zig").is_file()


@pytest.mark.parametrize("name", NAMES)
def test_the_lock_holds_what_a_shipped_module_describes(home: Home, name: str) -> None:
    module = Module(name=name, path=FOLDER / name / f"{name}.wasm", origin="shipped")
    approval, description = home.run(described(look_at(module), print))
    assert description.notes == []
    lock = json.loads((FOLDER / "lock.json").read_text())[name]
    assert lock["module"]["sha256"] == approval.module.sha256
    told = [(tool["description"], tool["schema"]) for tool in lock["tools"]]
    assert told == [(tool.description, tool.schema) for tool in approval.tools]


def test_shipped_tools_have_short_names_and_no_effects(shipped: Home) -> None:
    tools: dict[str, Tool] = shipped.offered()
    assert sorted(tools) == [name for name in NAMES if name != "http_get_json"]
    assert {tool.effects for tool in tools.values()} == {frozenset()}


def test_a_shipped_module_that_was_tampered_with_does_not_run(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(FOLDER, copy)
    path = copy / "calculate" / "calculate.wasm"
    path.write_bytes(path.read_bytes().replace(b"division by zero", b"division by Zero"))
    monkeypatch.setattr("minime_wasm_host.places.bundled", lambda kind: copy)
    home.settings["enabled"] = ["calculate"]
    assert "changed since the user trusted it" in home.call("calculate", expression="1").text


@pytest.mark.full
def test_the_shipped_modules_are_built_from_their_sources() -> None:
    build = FOLDER / "src" / "build.py"
    done = subprocess.run([sys.executable, build, "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
