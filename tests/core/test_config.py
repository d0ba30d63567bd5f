from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_core.assembly import Options
from minime_core.cli.loading import load_config
from minime_core.config import Config, Layer, convert, read_yaml
from minime_core.errors import ConfigError
from minime_core.paths import config_folder
from minime_core.settings import Seconds, Settings, setting
from minime_shared.origins import origins


def config(*layers: dict[str, Any], sections: tuple[str, ...] = ()) -> Config:
    return Config([Layer(f"layer {n}", values) for n, values in enumerate(layers, 1)], sections)


def one_line(error: pytest.ExceptionInfo[ConfigError]) -> str:
    text = str(error.value)
    assert "\n" not in text
    assert len(text) < 400
    return text


# Layers


def test_without_layers_everything_has_its_default() -> None:
    empty = config()
    assert empty.settings == Settings()
    assert {origin for _, origin in origins(empty).values()} == {"default"}


def test_a_later_layer_replaces_a_value() -> None:
    merged = config({"model": "a", "max_turns": 3}, {"model": "b"})
    assert (merged.settings.model, merged.settings.max_turns) == ("b", 3)
    assert origins(merged)["model"] == ("b", "layer 2")
    assert origins(merged)["max_turns"] == (3, "layer 1")


def test_mappings_are_merged_key_by_key_and_lists_are_replaced() -> None:
    merged = config(
        {"sampling": {"temperature": 0, "top_p": 0.9}, "deny": ["bash"]},
        {"sampling": {"temperature": 1}, "deny": []},
    )
    assert merged.settings.sampling == {"temperature": 1, "top_p": 0.9}
    assert merged.settings.deny == []
    assert origins(merged)["sampling.temperature"] == (1, "layer 2")
    assert origins(merged)["sampling.top_p"] == (0.9, "layer 1")


def test_layers_below_give_way() -> None:
    merged = config({"model": "mine"}).above([Layer("profile", {"model": "its", "max_turns": 4})])
    assert (merged.settings.model, merged.settings.max_turns) == ("mine", 4)


@pytest.fixture
def project(home: Path, tmp_path: Path) -> Path:
    project = tmp_path / "project"
    (project / ".mm").mkdir(parents=True)
    config_folder().mkdir(parents=True)
    return project


def test_every_place_overrules_those_before_it(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user, own = config_folder() / "config.yaml", project / ".mm/config.yaml"
    extra = project / "extra.yaml"
    places = [user, own, extra]
    for count, place in enumerate(places, 1):
        place.write_text(f"max_turns: {count}\nmodel: m{count}\n")
    options = Options(cwd=project, flags={})

    def origin(options: Options) -> tuple[Any, str]:
        return origins(load_config(options, (), pytest.fail))["max_turns"]

    assert origin(options) == (2, str(own))
    with_file = Options(cwd=project, flags={}, config_file=extra)
    assert origin(with_file) == (3, str(extra))
    monkeypatch.setenv("MM_MAX_TURNS", "4")
    assert origin(with_file) == (4, "MM_MAX_TURNS")
    flagged = Options(cwd=project, flags={"max_turns": "5"}, config_file=extra)
    assert origin(flagged) == (5, "--max-turns")
    own.unlink()
    monkeypatch.delenv("MM_MAX_TURNS")
    assert origin(options) == (1, str(user))


@pytest.mark.parametrize("name", [field.name for field in fields(Settings)])
def test_every_setting_without_parts_can_come_from_the_environment(
    name: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts: dict[type, tuple[str, Any]] = {
        str: ("x", "x"),
        int: ("600", 600),
        bool: ("true", True),
        list: ("a, b(c *) ,", ["a", "b(c *)"]),
    }
    default = getattr(Settings(), name)
    words = {"tool_mode": "text", "policy": "yolo", "thinking": "on", "images": "on"}
    text, value = texts.get(type(default), ("x", None))
    if name in words:
        text = value = words[name]
    monkeypatch.setenv(f"MM_{name.upper()}", text)
    if name == "examples" or isinstance(default, dict):
        with pytest.raises(ConfigError, match=f"MM_{name.upper()}: {name} has to be a mapping"):
            load_config(Options(cwd=project, flags={}), (), pytest.fail)
    else:
        loaded = load_config(Options(cwd=project, flags={}), (), pytest.fail)
        assert origins(loaded)[name] == (value, f"MM_{name.upper()}")


# Trust

GUARDED = {
    "provider": "openai",
    "base_url": "http://evil",
    "api_key_env": "SECRET",
    "api_key_command": "cat /etc/passwd",
    "extra_body": {"x": 1},
    "policy": "yolo",
    "allow": ["*"],
    "deny": [],
    "disabled_plugins": ["guards"],
    "profile": "theirs",
}


def test_these_settings_are_guarded() -> None:
    assert {f.name for f in fields(Settings) if f.metadata["guarded"]} == GUARDED.keys()


@pytest.mark.parametrize("name", GUARDED)
def test_a_project_that_is_not_trusted_cannot_set_what_is_guarded(name: str, project: Path) -> None:
    (config_folder() / "config.yaml").write_text("deny: [bash]\npolicy: read-only\n")
    own = project / ".mm/config.yaml"
    camel = "".join(part if n == 0 else part.title() for n, part in enumerate(name.split("_")))
    own.write_text(f"{camel}: {GUARDED[name]!r}\nmax_turns: 3\nplugin: {{x: 1}}\n")
    warnings: list[str] = []
    loaded = load_config(Options(cwd=project, flags={}), ("plugin",), warnings.append)
    assert loaded.settings.deny == ["bash"]
    assert loaded.settings.policy == "read-only"
    assert loaded.settings.max_turns == 3
    assert origins(loaded)[name if name != "extra_body" else "model"][1] != str(own)
    assert not any("plugin" in layer.values for layer in loaded.layers)
    (warning,) = warnings
    assert f"{own} is not trusted: " in warning
    assert name in warning
    assert "plugin" in warning


# Names and spellings


@pytest.mark.parametrize("key", ["baseUrl", "base_url", "baseURL", "BaseUrl", "BASE_URL"])
def test_snake_case_and_camel_case_both_work(key: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"{key}: http://x/v1\n")
    assert read_yaml(tmp_path / "a.yaml") == {"base_url": "http://x/v1"}


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("modle", "did you mean model?"),
        ("max_turn", "did you mean max_turns?"),
        ("providrs", "did you mean provider?"),
        ("gaurds", "did you mean guards?"),
        ("zzz", "`mm config show` lists the settings"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_one(key: str, hint: str) -> None:
    with pytest.raises(ConfigError) as error:
        config({key: 1}, sections=("guards",))
    assert one_line(error) == f"layer 1: unknown setting {key}; {hint}"


# Sections of plugins


@dataclass(frozen=True, kw_only=True)
class PluginSettings:
    retries: int = setting(2, "how often to ask again", least=0)
    wait: Seconds = setting(Seconds(1.0), "how long to wait")
    names: list[str] = setting(help="names", make=list)


def test_a_plugin_has_a_section_with_the_same_rules() -> None:
    layers = {"guards": {"retries": 1, "wait": "2m"}}, {"guards": {"retries": "3"}}
    section = config(*layers, sections=("guards",)).section("guards", PluginSettings)
    assert section == PluginSettings(retries=3, wait=Seconds(120.0))


def test_keys_of_a_section_may_be_in_camel_case() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Declared:
        long_name: int = setting(0)

    assert config({"p": {"longName": 1}}, sections=("p",)).section("p", Declared).long_name == 1


def test_a_missing_section_has_its_defaults() -> None:
    assert config(sections=("guards",)).section("guards", PluginSettings) == PluginSettings()


@pytest.mark.parametrize(
    ("section", "reason"),
    [
        ({"retrys": 1}, "layer 1: unknown setting guards.retrys; did you mean retries?"),
        ({"retries": -1}, "layer 1: guards.retries is -1; the least is 0"),
        ({"wait": "soon"}, "layer 1: guards.wait is 'soon'; it has to be a duration such as 30s"),
        (None, "layer 1: guards has to hold settings of that plugin"),
        ("x", "layer 1: guards has to hold settings of that plugin"),
    ],
)
def test_mistakes_in_a_section_are_told(section: Any, reason: str) -> None:
    with pytest.raises(ConfigError) as error:
        config({"guards": section}, sections=("guards",)).section("guards", PluginSettings)
    assert one_line(error).startswith(reason)


def test_a_plugin_cannot_hide_a_setting_by_its_name() -> None:
    assert config({"model": "m"}, sections=("model",)).settings.model == "m"


# Values

WRONG: list[tuple[Any, list[Any]]] = [
    (str, [1, 1.5, True, None, ["a"], {"a": 1}]),
    (int, [1.5, True, None, "", "many", "1.5", [1], float("nan"), "9" * 5000]),
    (float, [True, None, "", "warm", [1], float("nan"), float("inf"), "nan", "-inf"]),
    (bool, [1, 0.0, None, "", "maybe", [True]]),
    (Literal["a", "b"], ["c", None, 1, [], {"a": 1}]),
    (dict[str, float], ["x", 1, None, [1], {"a": "x"}, {"a": True}]),
    (list[str], [1, None, {"a": 1}, [1], [None]]),
    (list[dict[str, Any]], ["x", [1], [["a"]], 5]),
    (
        Seconds,
        [-1, True, None, "", "s", "5x", "1d", "m5", "-5s", "1.5.5", "5 s", [1], float("nan")],
    ),
]


@pytest.mark.parametrize(
    ("wanted", "value"), [(wanted, value) for wanted, values in WRONG for value in values]
)
def test_a_value_of_the_wrong_kind_is_told_with_its_place(wanted: Any, value: Any) -> None:
    with pytest.raises(ConfigError) as error:
        convert(value, wanted, "file: key")
    assert one_line(error).startswith("file: key")


@pytest.mark.parametrize(
    ("wanted", "value", "expected"),
    [
        (str, "", ""),
        (int, "-5", -5),
        (int, 7, 7),
        (float, 20, 20),
        (float, "0.5", 0.5),
        (float, 0.25, 0.25),
        (bool, "TRUE", True),
        (bool, "no", False),
        (bool, "0", False),
        (bool, True, True),
        (Literal["a", "b"], "b", "b"),
        (dict[str, float], {}, {}),
        (dict[str, float], {"top_k": 20, "p": "0.5"}, {"top_k": 20, "p": 0.5}),
        (dict[str, Any], {1: [None]}, {"1": [None]}),
        (list[str], "a, b,,c ", ["a", "b", "c"]),
        (list[str], [], []),
        (Seconds, 1.5, 1.5),
        (Seconds, 30, 30.0),
        (Seconds, "30", 30.0),
        (Seconds, "30s", 30.0),
        (Seconds, "0.5s", 0.5),
        (Seconds, "5m", 300.0),
        (Seconds, "1h30m", 5400.0),
        (Seconds, "1h2m3.5s", 3723.5),
        (Seconds, 0, 0.0),
    ],
)
def test_values_are_read_as_what_the_setting_wants(wanted: Any, value: Any, expected: Any) -> None:
    converted = convert(value, wanted, "file: key")
    assert converted == expected
    assert type(converted) is type(expected)


@given(st.text(), st.sampled_from([wanted for wanted, _ in WRONG]))
def test_any_text_is_a_value_or_a_config_error(text: str, wanted: Any) -> None:
    with suppress(ConfigError):
        convert(text, wanted, "key")


@pytest.mark.parametrize(
    ("name", "value"),
    [("max_turns", 0), ("max_tokens", -1), ("max_output", 10), ("preview_lines", -1)],
)
def test_numbers_have_a_least_value(name: str, value: int) -> None:
    with pytest.raises(ConfigError, match=f"layer 1: {name} is {value}; the least is"):
        config({name: value})


# Files


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("model: [a\nb: c", r", line 2: "),
        ("a: b\n\tc: d", r", line 2: found a tab character|, line 2: found character '\\t'"),
        ("model: 'x", r", line 1: found unexpected end of stream"),
        ("a: b: c", r", line 1: mapping values are not allowed"),
        ("a: 1\n---\nb: 2", r", line 2: but found another document"),
        ("a: *x", r", line 1: found undefined alias"),
        ("!!python/object:os.system {}", r", line 1: could not determine a constructor"),
        ("- a\n- b", r"has to hold settings, one `name: value` a line"),
        ("just text", r"has to hold settings"),
        ("5", r"has to hold settings"),
        ("2024-01-01", r"has to hold settings"),
        ("model: 2024-01-01", r"2024-01-01 is neither text, number, list nor mapping"),
        ("extra_body: {a: !!binary aGk=}", r"is neither text, number, list nor mapping"),
        ("a: !!set {x}", r"is neither text, number, list nor mapping"),
        ('a: !!int ""', r"not settings in YAML"),
        ("a: !!bool x", r"not settings in YAML"),
        ("a: !!timestamp x", r"not settings in YAML"),
        ("a: " + "9" * 5000, r"not settings in YAML"),
        ("a: " + "[" * 50_000 + "]" * 50_000, r"nesting|not settings in YAML"),
        ("a: &a [*a, *a]", r"holds more than 10000 values"),
        ("? [a]\n: b", r"unhashable"),
        ("a: \x07", r"control characters are not allowed"),
    ],
)
def test_mistakes_in_a_file_are_told_with_their_line(
    text: str, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=reason) as error:
        read_yaml(path)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


def test_aliases_that_blow_up_are_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    bomb = ["a0: &a0 [x]"]
    bomb += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    path.write_text("\n".join(bomb))
    with pytest.raises(ConfigError, match="holds more than 10000 values"):
        read_yaml(path)


def test_a_value_of_any_size_is_shown_short(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        config({"model": [["x" * 1000] * 9] * 900})
    one_line(error)


def test_bytes_that_are_no_text_are_told(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_bytes(b"a: \xff\xfe\xff")
    with pytest.raises(ConfigError, match=f"^{path}"):
        read_yaml(path)


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "null"])
def test_an_empty_file_sets_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(text)
    assert read_yaml(tmp_path / "a.yaml") == {}


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot read .*a\.yaml: No such file or directory"):
        read_yaml(tmp_path / "a.yaml")
    with pytest.raises(ConfigError, match=r"cannot read .*: Is a directory"):
        read_yaml(tmp_path)
