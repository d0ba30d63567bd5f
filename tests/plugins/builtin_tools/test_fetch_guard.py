"""Machines that may not be reached, in all the forms in which they can be written."""

from __future__ import annotations

import ipaddress
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from minime_builtin_tools.web import guard
from minime_shared.web_address import is_public
from tool_caller import Caller
from web_site import Site, plain, redirect

FETCH = {"builtin_tools": {"fetch_content": True}}
PRIVATE = {"builtin_tools": {"fetch_content": True, "fetch_private": True}}


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        site.pages["/"] = plain()
        yield site


@pytest.mark.parametrize(
    "number",
    ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "64:ff9b::101:101", "2002:101:101::1"],
)
def test_public_addresses_are_public(number: str) -> None:
    assert is_public(ipaddress.ip_address(number))


@pytest.mark.parametrize(
    "number",
    [
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.1",
        "127.8.9.1",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.1",
        "192.0.2.1",
        "192.168.1.1",
        "198.18.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::1",
        "100::1",
        "2001:db8::1",
        "2001:0:7f00:1::",
        "2002:7f00:1::",
        "2002:a9fe:a9fe::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ],
)
def test_no_other_address_is_public(number: str) -> None:
    assert not is_public(ipaddress.ip_address(number))


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost.",
        "LOCALHOST",
        "127.0.0.1",
        "127.0.0.1.",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "017700000001",
        "0177.0.0.1",
        "0",
        "0.0.0.0",
        "①②⑦.0.0.1",
        "127。0。0。1",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[0:0:0:0:0:ffff:127.0.0.1]",
    ],
)
@pytest.mark.parametrize("scheme", ["http://", ""])
def test_this_machine_is_not_reached_however_it_is_written(
    tools: Caller, site: Site, host: str, scheme: str
) -> None:
    tools.configure(**FETCH)
    result = tools("fetch_content", url=f"{scheme}{host}:{site.port}/")
    assert result.text.startswith("[fetch_content: error 2 (cannot reach): ")
    assert "fetch_private" in result.text
    assert site.asked == []


@pytest.mark.parametrize(
    "url",
    ["http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/", "http://2852039166/"],
)
def test_metadata_services_are_not_reached(tools: Caller, url: str) -> None:
    tools.configure(**FETCH)
    result = tools("fetch_content", url=url)
    assert "is on a private network" in result.text


def test_the_user_can_allow_private_machines(tools: Caller, site: Site) -> None:
    tools.configure(**PRIVATE)
    assert tools("fetch_content", url=site.url).ok


@pytest.fixture
def half_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count 127.0.0.1 among the public addresses, and no other private one."""
    real = is_public
    loopback = ipaddress.ip_address("127.0.0.1")
    monkeypatch.setattr(guard, "is_public", lambda number: number == loopback or real(number))


@pytest.mark.usefixtures("half_open")
@pytest.mark.parametrize(
    "target",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://127.0.0.2:{port}/",
        "http://[::1]:{port}/",
        "//10.0.0.1/",
        "http://0x7f.2/",
    ],
)
def test_a_redirect_does_not_lead_to_a_private_machine(
    tools: Caller, site: Site, target: str
) -> None:
    tools.configure(**FETCH)
    site.pages["/go"] = redirect(target.format(port=site.port))
    result = tools("fetch_content", url=f"{site.url}/go")
    assert result.text.startswith("[fetch_content: error 2 (cannot reach): ")
    assert "is on a private network" in result.text
    assert site.asked == ["/robots.txt", "/go"]


@pytest.mark.usefixtures("half_open")
def test_robots_txt_does_not_lead_to_a_private_machine_either(tools: Caller, site: Site) -> None:
    tools.configure(**FETCH)
    site.pages["/robots.txt"] = redirect("http://169.254.169.254/")
    result = tools("fetch_content", url=site.url)
    assert "is on a private network" in result.text


def resolving(monkeypatch: pytest.MonkeyPatch, name: str, *answers: list[str]) -> list[str]:
    """Answer the questions for `name` in turn, the last one again and again; return them."""
    asked: list[str] = []
    real = socket.getaddrinfo

    def getaddrinfo(host: Any, port: Any, *arguments: Any, **more: Any) -> Any:
        if host not in (name, name.encode()):
            return real(host, port, *arguments, **more)
        numbers = answers[min(len(asked), len(answers) - 1)]
        asked.append(name)
        kind = (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "")
        return [(*kind, (number, port)) for number in numbers]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return asked


@pytest.mark.usefixtures("half_open")
def test_the_connection_goes_to_the_address_that_was_checked(
    tools: Caller, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools.configure(**FETCH)
    # One question for robots.txt, one for the page; whoever asked again would be led astray.
    asked = resolving(monkeypatch, "rebinding.test", ["127.0.0.1"], ["127.0.0.1"], ["127.0.0.2"])
    result = tools("fetch_content", url=f"http://rebinding.test:{site.port}/")
    assert result.ok
    assert asked == ["rebinding.test"] * 2
    assert site.hosts == [f"rebinding.test:{site.port}"] * 2


@pytest.mark.usefixtures("half_open")
def test_a_name_with_one_private_address_is_refused(
    tools: Caller, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools.configure(**FETCH)
    resolving(monkeypatch, "mixed.test", ["127.0.0.1", "10.0.0.1"])
    result = tools("fetch_content", url=f"http://mixed.test:{site.port}/")
    assert "mixed.test is on a private network (10.0.0.1)" in result.text
    assert site.asked == []


@pytest.mark.usefixtures("half_open")
def test_the_next_address_of_a_name_is_tried(
    tools: Caller, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools.configure(**PRIVATE)
    resolving(monkeypatch, "two.test", ["127.0.0.3", "127.0.0.1"])
    assert tools("fetch_content", url=f"http://two.test:{site.port}/").ok


def test_a_name_that_does_not_exist_is_told(tools: Caller) -> None:
    tools.configure(**FETCH)
    assert tools("fetch_content", url="https://nowhere.invalid/").text == (
        "[fetch_content: error 2 (cannot reach): there is no host nowhere.invalid]"
    )


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes a certificate with openssl")
def test_the_certificate_has_to_be_that_of_the_name(
    tools: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=pinned.test"
    subprocess.run(
        [*command.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    names: list[str | None] = []
    context.sni_callback = lambda connection, name, _: names.append(name)
    resolving(monkeypatch, "pinned.test", ["127.0.0.1"])
    tools.configure(**PRIVATE)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def shake_hands() -> None:
            connection, _ = listener.accept()
            with connection, pytest.raises(OSError, match=r"(?i)alert|eof|reset"):
                context.wrap_socket(connection, server_side=True).recv(1)

        thread = threading.Thread(target=shake_hands)
        thread.start()
        url = f"https://pinned.test:{listener.getsockname()[1]}/"
        result = tools("fetch_content", url=url)
        thread.join()
    assert names == ["pinned.test"]
    assert result.text.startswith("[fetch_content: error 2 (cannot reach): pinned.test: ")
    assert "certificate verify failed" in result.text
