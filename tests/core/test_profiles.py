from __future__ import annotations

from pathlib import Path

import pytest

from minime_core.bundled import bundled
from minime_core.config import Config, Layer
from minime_core.errors import ConfigError
from minime_core.profiles import DEFAULT, Profiles
from minime_shared.origins import origins


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "profiles"
    folder.mkdir()
    write(folder, default="max_turns: 10\nsampling: {temperature: 0, top_p: 0.9}")
    return folder


def write(folder: Path, **profiles: str) -> None:
    folder.mkdir(exist_ok=True)
    for name, text in profiles.items():
        (folder / f"{name}.yaml").write_text(text)


def settings(profiles: Profiles, name: str) -> Config:
    return Config(profiles.load(name).layers)


def test_every_profile_extends_default(folder: Path) -> None:
    write(folder, small="sampling: {temperature: 1}")
    merged = settings(Profiles([folder]), "small")
    assert merged.settings.max_turns == 10
    assert merged.settings.sampling == {"temperature": 1, "top_p": 0.9}
    assert origins(merged)["sampling.temperature"] == (1, "profile small")
    assert origins(merged)["sampling.top_p"] == (0.9, "profile default")


def test_a_profile_extends_another_which_extends_another(folder: Path) -> None:
    write(folder, a="extends: b\nmax_turns: 1", b="extends: c\nmax_tokens: 2", c="max_tokens: 3")
    loaded = settings(Profiles([folder]), "a").settings
    assert (loaded.max_turns, loaded.max_tokens) == (1, 2)
    origins = [layer.origin for layer in Profiles([folder]).load("a").layers]
    assert origins == ["profile default", "profile c", "profile b", "profile a"]


@pytest.mark.parametrize(
    ("profiles", "circle"),
    [
        ({"a": "extends: a"}, "a -> a"),
        ({"a": "extends: b", "b": "extends: c", "c": "extends: a"}, "a -> b -> c -> a"),
        ({"a": "extends: b", "b": "extends: b"}, "a -> b -> b"),
        ({"a": "", "default": "extends: a"}, "a -> default -> a"),
    ],
)
def test_a_circle_is_told(folder: Path, profiles: dict[str, str], circle: str) -> None:
    write(folder, **profiles)
    with pytest.raises(ConfigError, match=f"in a circle: {circle}$"):
        Profiles([folder]).load("a")


def test_an_unknown_profile_is_told_with_the_nearest_one(folder: Path) -> None:
    write(folder, qwen3="")
    with pytest.raises(ConfigError, match=r"no profile 'qwen'; did you mean qwen3\?"):
        Profiles([folder]).load("qwen")
    with pytest.raises(ConfigError, match="no profile 'zzz'; `mm profiles list` shows them"):
        Profiles([folder]).load("zzz")
    with pytest.raises(ConfigError, match=r"no profile '\.\./default'"):
        Profiles([folder]).load("../default")


def test_an_unknown_parent_is_told(folder: Path) -> None:
    write(folder, a="extends: lost")
    with pytest.raises(ConfigError, match="no profile 'lost'"):
        Profiles([folder]).load("a")


@pytest.mark.parametrize("parent", ["[default]", "5", "{a: b}", "null", "true"])
def test_a_parent_that_is_no_name_is_told(folder: Path, parent: str) -> None:
    write(folder, a=f"extends: {parent}")
    with pytest.raises(ConfigError, match="profile a: extends has to be the name of a profile"):
        Profiles([folder]).load("a")


def test_what_is_about_the_profile_is_no_setting(folder: Path) -> None:
    write(folder, a="summary: x\nmatch: '*'\nextends: default\nmodel: m")
    assert settings(Profiles([folder]), "a").settings.model == "m"


def test_an_unknown_setting_in_a_profile_is_told(folder: Path) -> None:
    write(folder, a="max_turn: 1")
    with pytest.raises(ConfigError, match="profile a: unknown setting max_turn; did you mean"):
        settings(Profiles([folder]), "a")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("qwen3-27b", "specific"),
        ("Qwen/Qwen3-27B-GGUF:Q4_K_M", "specific"),
        ("qwen3-8b", "family"),
        ("QWEN", "family"),
        ("llama-3", None),
        ("", None),
    ],
)
def test_the_longest_fitting_pattern_wins_whatever_the_case(
    folder: Path, model: str, name: str | None
) -> None:
    write(folder, family="match: '*qwen*'", specific="match: ['*Qwen3*27b*', never]")
    assert Profiles([folder]).match(model) == name


def test_of_equal_patterns_the_first_name_wins(folder: Path) -> None:
    write(folder, b="match: ['*x*']", a="match: ['*x*']", c="match: ['*x*']")
    assert Profiles([folder]).match("xx") == "a"


@pytest.mark.parametrize("match", ["5", "{a: b}", "[1]", "[['*']]", "null", "true"])
def test_a_bad_match_is_told(folder: Path, match: str) -> None:
    write(folder, a=f"match: {match}")
    with pytest.raises(ConfigError, match="profile a: match has to be a list of patterns"):
        Profiles([folder]).match("x")


def test_a_profile_that_is_no_yaml_is_told_with_file_and_line(folder: Path) -> None:
    write(folder, a="a: b\nmatch: [")
    with pytest.raises(ConfigError, match=rf"^{folder}/a\.yaml, line \d: "):
        Profiles([folder]).match("x")


def test_a_later_place_replaces_a_profile(folder: Path, tmp_path: Path) -> None:
    write(folder, a="max_turns: 1\nmodel: gone")
    write(tmp_path / "user", a="max_turns: 2")
    loaded = settings(Profiles([folder, tmp_path / "user"]), "a").settings
    assert (loaded.max_turns, loaded.model) == (2, "")


def test_places_may_be_files_and_need_not_exist(folder: Path, tmp_path: Path) -> None:
    write(tmp_path / "other", one="", two="")
    (tmp_path / "other/notes.txt").touch()
    places = [tmp_path / "missing", folder, tmp_path / "other/one.yaml"]
    assert Profiles(places, project=tmp_path / "missing").names() == ["default", "one"]


def test_profiles_of_a_project_cannot_set_what_is_guarded(folder: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    write(project, mine="baseUrl: http://evil\npolicy: yolo\nguards: {off: true}\nmax_turns: 3")
    profiles = Profiles([folder], project=project, sections={"guards"})
    loaded = settings(profiles, "mine")
    assert loaded.settings.max_turns == 3
    assert (loaded.settings.base_url, loaded.settings.policy) == ("", "ask")
    assert not any("guards" in layer.values for layer in loaded.layers)


def test_profiles_of_a_project_cannot_undo_what_a_trusted_one_guards(
    folder: Path, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    write(folder, careful="policy: read-only\ndeny: [bash]\nmax_turns: 3\nmatch: '*x*'")
    write(project, careful="policy: yolo\ndeny: []\nmax_turns: 4\nmatch: '*y*'", default="model: m")
    profiles = Profiles([folder], project=project)
    loaded = settings(profiles, "careful").settings
    assert (loaded.policy, loaded.deny) == ("read-only", ["bash"])
    assert (loaded.max_turns, loaded.model) == (4, "m")
    assert profiles.match("y") == "careful"


def test_the_shipped_profiles_are_right() -> None:
    profiles = Profiles([bundled("profiles")])
    assert {DEFAULT, "qwen3-27b", "smollm2-135m"} <= {*profiles.names()}
    for name in profiles.names():
        assert Config(profiles.load(name).layers, ("guards", "prompt")).settings
    chosen = settings(profiles, DEFAULT).settings
    assert chosen.sampling == {"temperature": 0, "top_p": 0.9}
    assert (chosen.max_tokens, chosen.max_turns, chosen.parallel_tool_calls) == (4096, 10, False)
    assert profiles.match("Qwen3-27B-Instruct") == "qwen3-27b"


def test_why_a_profile_was_chosen_is_told(folder: Path, tmp_path: Path) -> None:
    write(folder, a="match: ['*qwen*']", b="match: ['*qwen3*']")
    profiles = Profiles([folder])
    assert profiles.why("Qwen3") == "'*qwen3*' matches 'Qwen3'"
    assert profiles.why("llama") == (
        "no profile matches 'llama'; choose one of `mm profiles list` with --profile"
    )


def test_of_equal_matches_the_winner_and_the_reason_are_told(folder: Path, tmp_path: Path) -> None:
    write(folder, a="match: '*n3*'", b="match: '*qw*'")
    assert Profiles([folder]).why("qwen3") == (
        "'*n3*' matches 'qwen3'; so does '*qw*' of b, but a comes first"
    )
    write(tmp_path / "user", z="match: '*en*'")
    nearer = Profiles([folder, tmp_path / "user"])
    assert nearer.match("qwen3") == "z"
    assert nearer.why("qwen3").endswith("so does '*n3*' of a, but z is nearer to the project")
    write(tmp_path / "project", zz="match: '*we*'")
    assert Profiles([folder, tmp_path / "user"], tmp_path / "project").match("qwen3") == "zz"


@pytest.mark.parametrize("pattern", ["*", "**", "?*", "", "-*-", "[!]*"])
def test_a_pattern_that_matches_everything_is_refused(folder: Path, pattern: str) -> None:
    write(folder, a=f"match: {pattern!r}")
    with pytest.raises(ConfigError, match=r"profile a: .* matches every model; what is for all"):
        Profiles([folder]).match("x")


def test_spaces_and_underscores_are_as_good_as_dashes(folder: Path) -> None:
    write(folder, a="match: '*gemma-4_26b*'")
    assert Profiles([folder]).match("Gemma 4 26B") == "a"


def test_of_a_path_the_file_counts_before_the_folders(folder: Path) -> None:
    write(folder, a="match: '*qwen*'", b="match: '*gemma-3-models*'")
    profiles = Profiles([folder])
    assert profiles.match("/gemma-3-models/qwen.gguf") == "a"
    assert profiles.match("C:\\gemma-3-models\\Qwen.GGUF") == "a"
    assert profiles.match("/gemma-3-models/model.gguf") == "b"
    assert profiles.match("qwen/gemma-3-models") == "b"


# Servers


ELSEWHERE = "provider: vllm\nbase_url: http://a/v1\nmodel: m\nmax_turns: 3"


def server(profiles: Profiles, *layers: tuple[str, dict[str, str]]) -> tuple[str, str, str]:
    config = profiles.with_server(Config([Layer(origin, values) for origin, values in layers]))
    return config.settings.provider, config.settings.base_url, config.settings.model


MINE = ("config.yaml", {"provider": "llamacpp", "base_url": "http://b/v1", "model": "x"})


@pytest.mark.parametrize(
    ("layers", "expected"),
    [
        # A flag or a variable replaces the file.
        ([MINE, ("--profile", {"profile": "away"})], ("vllm", "http://a/v1", "m")),
        ([MINE, ("MM_PROFILE", {"profile": "away"})], ("vllm", "http://a/v1", "m")),
        # Whatever stands before it, a flag is a flag.
        (
            [MINE, ("--model", {"model": "y"}), ("--profile", {"profile": "away"})],
            ("vllm", "http://a/v1", "y"),
        ),
        (
            [("config.yaml", {"profile": "away"}), ("--base-url", {"base_url": "http://c/v1"})],
            ("vllm", "http://c/v1", "m"),
        ),
        # Who chooses it in a file replaces what is below that file.
        ([MINE, (".mm/config.yaml", {"profile": "away"})], ("vllm", "http://a/v1", "m")),
        ([("config.yaml", {"profile": "away", "model": "y"})], ("vllm", "http://a/v1", "y")),
        # Nobody chose it.
        ([MINE], ("llamacpp", "http://b/v1", "x")),
        ([MINE, ("--profile", {"profile": ""})], ("llamacpp", "http://b/v1", "x")),
        ([MINE, ("--profile", {"profile": "small"})], ("llamacpp", "http://b/v1", "x")),
    ],
)
def test_a_profile_that_is_chosen_may_name_the_server(
    folder: Path, layers: list[tuple[str, dict[str, str]]], expected: tuple[str, str, str]
) -> None:
    write(folder, away=ELSEWHERE, small="max_turns: 2")
    assert server(Profiles([folder]), *layers) == expected


def test_what_else_a_profile_says_stays_below_the_users_files(folder: Path) -> None:
    write(folder, away=ELSEWHERE)
    profiles = Profiles([folder])
    config = Config(
        [Layer("config.yaml", {"max_turns": 5}), Layer("--profile", {"profile": "away"})]
    )
    merged = profiles.with_server(config).above(profiles.load("away").layers)
    assert merged.settings.max_turns == 5


def test_a_profile_of_a_project_names_no_server(folder: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    write(project, away=ELSEWHERE)
    chosen = ("--profile", {"profile": "away"})
    assert server(Profiles([folder], project), MINE, chosen)[:2] == ("llamacpp", "http://b/v1")
