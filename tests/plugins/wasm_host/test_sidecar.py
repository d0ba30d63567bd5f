from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from minime_wasm_host.approval import MAX_SIDECAR
from minime_wasm_host.grants import Folder, Grants
from minime_wasm_host.limits import Limits
from minime_wasm_host.refusal import Refused
from minime_wasm_host.sidecar import Sidecar, approved_grants, read_sidecar
from module_folder import Home

FULL = """
version: 1
permissions:
  hosts: [api.example.com, "*.example.org", "http://127.0.0.1:8080"]
  paths: [{host: ./data, guest: /data}, {host: ./out, guest: /out, mode: rw}]
  config: {UNITS: metric}
  secrets: {API_KEY: {env: WEATHER_KEY}}
limits: {timeout_ms: 500, fresh: true}
tools:
  - {name: now, rename: weather}
"""


def read(tmp_path: Path, text: str) -> Sidecar:
    path = tmp_path / "it.yaml"
    path.write_text(text)
    return read_sidecar(path)[0]


def refusal(tmp_path: Path, text: str) -> str:
    def grants() -> None:
        approved_grants(read(tmp_path, text).permissions, tmp_path / "it.yaml")

    with pytest.raises(Refused) as refused:
        grants()
    assert str(refused.value).startswith(str(tmp_path / "it.yaml"))
    return str(refused.value)


def test_a_full_sidecar_is_read(tmp_path: Path) -> None:
    for name in ("data", "out"):
        (tmp_path / name).mkdir()
    sidecar = read(tmp_path, FULL)
    grants = approved_grants(sidecar.permissions, tmp_path / "it.yaml")
    assert grants.hosts == ("api.example.com", "*.example.org", "http://127.0.0.1:8080")
    assert grants.folders == (
        Folder(host=str(tmp_path / "data"), guest="/data", mode="ro"),
        Folder(host=str(tmp_path / "out"), guest="/out", mode="rw"),
    )
    assert (grants.config, grants.secrets) == ({"UNITS": "metric"}, {"API_KEY": "WEATHER_KEY"})
    assert grants.effects == {"network", "read", "write"}
    assert sidecar.limits == Limits(timeout_ms=500, fresh=True)
    assert sidecar.tools[0].rename == "weather"


def test_an_empty_sidecar_allows_nothing(tmp_path: Path) -> None:
    sidecar = read(tmp_path, "# nothing yet\n")
    assert approved_grants(sidecar.permissions, tmp_path / "it.yaml").effects == frozenset()
    assert sidecar.limits == Limits()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("permission: {}", "unknown key permission; did you mean permissions?"),
        ("permissions: {host: [a.example]}", "unknown key permissions.host; did you mean hosts?"),
        ("limits: {timeout: 5}", "unknown key limits.timeout; did you mean timeout_ms?"),
        ("limits: {zzz: 5}", "unknown key limits.zzz; it can be timeout_ms, load_ms"),
        (
            "permissions: {paths: [{host: /, guest: /d, mod: ro}]}",
            "unknown key permissions.paths.0.mod; did you mean mode?",
        ),
        (
            "permissions: {secrets: {K: {environ: X}}}",
            "unknown key permissions.secrets.K.environ; did you mean env?",
        ),
        ("tools: [{nam: x}]", "unknown key tools.0.nam; did you mean name?"),
        ("tools: [{}]", "tools.0.name is missing"),
        ("sha256: 00ff", "trust is kept in your own state folder"),
        ("version: 2", "version: it has to be 1"),
        ("permissions: {config: {N: 5}}", "permissions.config.N: it has to be text; put it in"),
        ("permissions: {secrets: {K: X}}", "permissions.secrets.K: it has to be a dictionary"),
        ("permissions: {paths: [{host: /, guest: /d, mode: w}]}", "it has to be 'ro' or 'rw'"),
        ("limits: {timeout_ms: 0}", "timeout_ms is 0; it can be 1 to 600000"),
        ("limits: {worker_mb: 999999}", "worker_mb is 999999; it can be 1 to 4096"),
        ("limits: {memory_mb: lots}", "limits.memory_mb: it has to be a valid integer"),
        ("permissions: {hosts: ['*']}", "'*' is no host"),
        ("permissions: {hosts: ['*.com']}", "'*.com' is too wide"),
        ("permissions: {hosts: ['a.example/x']}", "is no host: write a name such as"),
        ("permissions: {hosts: ['https://a.example/x']}", "has a path"),
        ("permissions: {hosts: ['ftp://a.example']}", "neither http nor https"),
        ("permissions: {hosts: ['a.example:8080']}", "or an origin such as http://127.0.0.1:8080"),
        ("permissions: {paths: [{host: ./no, guest: /d}]}", "is no folder"),
        ("permissions: {paths: [{host: ., guest: d}]}", "guest is 'd'; it has to be a path such"),
        ("permissions: {paths: [{host: ., guest: /a/../b}]}", "it has to be a path such as /data"),
        ("tools: [{name: x, input: yaml}]", "input of x is neither json nor arg:NAME"),
        ("tools: 5", "tools: it has to be"),
        ("[1, 2]", "has to hold settings"),
        ("a: [", "line 2"),
        ("a: &a [x]\nb: " + "[" * 5 + "*a" + "]" * 5, "unknown key"),
    ],
)
def test_a_mistake_is_named_with_what_is_meant(tmp_path: Path, text: str, reason: str) -> None:
    assert reason in refusal(tmp_path, text)


def test_aliases_that_blow_up_are_refused(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40)]
    assert "more than" in refusal(tmp_path, "\n".join(lines))


def test_a_huge_sidecar_is_refused_unread(tmp_path: Path) -> None:
    assert "larger than 256 KB" in refusal(tmp_path, "#" * (MAX_SIDECAR + 1))


OURS = (
    *("", ".config", ".config/mini-me", ".cache", ".cache/mini-me/wasm/compiled"),
    *(".local/state/mini-me", ".local/state/mini-me/more"),
)


@pytest.mark.parametrize("inside", OURS)
def test_a_folder_that_holds_what_is_believed_is_not_granted_for_writing(
    home: Home, inside: str
) -> None:
    with pytest.raises(Refused, match="holds what you trust"):
        granted_for_writing(home, inside)


@pytest.mark.parametrize("inside", [".config/mini-me/tools/data", ".cache/other", "project"])
def test_another_folder_is_granted_for_writing(home: Home, inside: str) -> None:
    assert granted_for_writing(home, inside).effects == {"read", "write"}


def granted_for_writing(home: Home, inside: str) -> Grants:
    target = home.folder / inside
    target.mkdir(parents=True, exist_ok=True)
    grant = {"host": str(target), "guest": "/x", "mode": "rw"}
    path = home.tools / "it.yaml"
    path.write_text(yaml.safe_dump({"permissions": {"paths": [grant]}}))
    return approved_grants(read_sidecar(path)[0].permissions, path)


def test_a_link_to_a_folder_is_granted_by_its_real_name(home: Home) -> None:
    real = home.folder / "real"
    real.mkdir()
    (home.tools / "link").symlink_to(real)
    path = home.tools / "it.yaml"
    entry: dict[str, Any] = {"permissions": {"paths": [{"host": "link", "guest": "/x"}]}}
    path.write_text(yaml.safe_dump(entry))
    grants = approved_grants(read_sidecar(path)[0].permissions, path)
    assert grants.folders[0].host == str(real)
