"""Requests that modules send: what is allowed, and what is not."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopback_site import LoopbackSite, Page, redirect
from minime_shared.web_address import is_public
from minime_wasm_host.addresses import Address, Pattern, fitting
from minime_wasm_host.grants import Grants
from minime_wasm_host.http_requests import MAX_REDIRECTS, Requests
from minime_wasm_host.limits import Limits
from module_folder import Home
from module_text import Text, export


@pytest.fixture
def site() -> Iterator[LoopbackSite]:
    with LoopbackSite() as site:
        site.pages["/"] = Page(b"hello", headers=(("x-flavour", "sweet"),))
        yield site


def ask(
    url: str, *hosts: str, method: str = "GET", body: bytes = b"", headers: Any = None
) -> tuple[int, str, dict[str, str]]:
    """Return status, text and headers of the answer to a module that may ask `hosts`."""
    asked = {"url": url, "method": method, "headers": headers or {}}
    return ask_raw(json.dumps(asked).encode(), *hosts, body=body)


def ask_raw(head: bytes, *hosts: str, body: bytes = b"") -> tuple[int, str, dict[str, str]]:
    async def answer() -> tuple[bytes, bytes]:
        until = asyncio.get_running_loop().time() + 60
        return await Requests(Grants(hosts=hosts), Limits(http_kb=64), until).answer(head, body)

    about, text = asyncio.run(answer())
    told = json.loads(about)
    return told["status"], text.decode(), told["headers"]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Names and the IP addresses that they are resolved to."""
    known: dict[str, list[str]] = {}
    real = asyncio.BaseEventLoop.getaddrinfo

    async def getaddrinfo(self: Any, host: str, port: int, **more: Any) -> Any:
        if host not in known:
            return await real(self, host, port, **more)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (n, port)) for n in known[host]]

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", getaddrinfo)
    return known


# What is granted.


def test_a_granted_origin_answers(site: LoopbackSite) -> None:
    status, text, headers = ask(
        f"{site.origin}/", site.origin, method="POST", body=b"data", headers={"X-Key": "k"}
    )
    assert (status, text, headers["x-flavour"]) == (200, "hello", "sweet")
    asked = site.asked[0]
    assert (asked.method, asked.body, asked.headers["x-key"]) == ("POST", b"data", "k")


def test_a_status_that_is_an_error_is_handed_on(site: LoopbackSite) -> None:
    assert ask(f"{site.origin}/no", site.origin)[:2] == (404, "not here")


def test_headers_that_are_ours_cannot_be_set(site: LoopbackSite) -> None:
    headers = {"Host": "evil.example", "Content-Length": "9", "Accept-Encoding": "br", "A": "b"}
    assert ask(f"{site.origin}/", site.origin, headers=headers)[0] == 200
    asked = site.asked[0].headers
    assert asked["host"] == f"127.0.0.1:{site.port}"
    assert asked["accept-encoding"] == "identity"
    assert asked["a"] == "b"


def test_a_proxy_of_the_user_is_not_used(
    site: LoopbackSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert ask(f"{site.origin}/", site.origin)[0] == 200


# What is not.


def test_without_a_grant_nothing_is_sent(site: LoopbackSite) -> None:
    status, text, _ = ask(f"{site.origin}/")
    assert (status, text) == (403, f"{site.origin} is not allowed to this tool; its hosts: none")
    assert site.asked == []


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:{port}/",
        "http://127.1:{port}/",
        "http://2130706433:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "https://127.0.0.1:{port}/",
        "http://127.0.0.1:1/",
        "http://user:pw@127.0.0.1:{port}/",
        "file:///etc/passwd",
        "ftp://127.0.0.1/",
        "http:///",
        "http://127.0.0.1:99999/",
        "",
        "\x00",
        "http://" + "a" * 9000,
    ],
)
def test_another_origin_than_the_granted_one_is_refused(site: LoopbackSite, url: str) -> None:
    assert ask(url.format(port=site.port), site.origin)[0] == 403
    assert site.asked == []


def test_a_redirect_to_another_host_is_not_followed(site: LoopbackSite) -> None:
    site.pages["/away"] = redirect(f"http://localhost:{site.port}/")
    status, text, _ = ask(f"{site.origin}/away", site.origin)
    assert status == 403
    assert text.startswith(f"http://localhost:{site.port} is not allowed to this tool")
    assert [asked.path for asked in site.asked] == ["/away"]


def test_a_redirect_on_the_same_host_is_followed(site: LoopbackSite) -> None:
    site.pages["/away"] = redirect("/")
    status, text, _ = ask(f"{site.origin}/away", site.origin, headers={"X-Key": "k"})
    assert (status, text) == (200, "hello")
    assert site.asked[1].headers["x-key"] == "k"


@pytest.mark.parametrize(
    ("status", "method", "body"), [(302, "GET", b""), (303, "GET", b""), (307, "POST", b"data")]
)
def test_a_redirect_keeps_the_method_as_the_rules_say(
    site: LoopbackSite, status: int, method: str, body: bytes
) -> None:
    site.pages["/away"] = redirect("/", status)
    ask(f"{site.origin}/away", site.origin, method="POST", body=b"data")
    assert (site.asked[1].method, site.asked[1].body) == (method, body)


def test_another_granted_host_does_not_see_the_keys(site: LoopbackSite) -> None:
    with LoopbackSite() as other:
        other.pages["/"] = Page(b"other")
        site.pages["/away"] = redirect(f"{other.origin}/")
        headers = {"Authorization": "Bearer k", "X-Api-Key": "k", "Accept": "text/plain"}
        status, text, _ = ask(f"{site.origin}/away", site.origin, other.origin, headers=headers)
        assert (status, text) == (200, "other")
        assert "authorization" not in other.asked[0].headers
        assert "x-api-key" not in other.asked[0].headers
        assert other.asked[0].headers["accept"] == "text/plain"


def test_redirects_in_a_circle_end(site: LoopbackSite) -> None:
    site.pages["/round"] = redirect("/round")
    assert ask(f"{site.origin}/round", site.origin)[1] == f"more than {MAX_REDIRECTS} redirects"


@pytest.mark.parametrize("location", ["file:///etc/passwd", "http://[", "javascript:x"])
def test_a_redirect_to_what_is_no_address_is_refused(site: LoopbackSite, location: str) -> None:
    site.pages["/away"] = redirect(location)
    assert ask(f"{site.origin}/away", site.origin)[0] in (403, 502)
    assert len(site.asked) == 1


def test_a_name_on_a_private_network_is_refused(names: dict[str, list[str]]) -> None:
    names["api.example.com"] = ["127.0.0.1"]
    status, text, _ = ask("https://api.example.com/", "api.example.com")
    assert (status, text) == (
        403,
        "api.example.com is on a private network (127.0.0.1), which its sidecar does not allow",
    )


def test_a_name_with_one_private_address_of_many_is_refused(names: dict[str, list[str]]) -> None:
    names["a.example.org"] = ["93.184.216.34", "169.254.169.254"]
    assert ask("https://a.example.org/", "*.example.org")[0] == 403


def test_a_private_name_that_is_granted_as_an_origin_answers(
    site: LoopbackSite, names: dict[str, list[str]]
) -> None:
    names["home.test"] = ["127.0.0.1"]
    origin = f"http://home.test:{site.port}"
    assert ask(f"{origin}/", origin)[:2] == (200, "hello")
    assert site.asked[0].headers["host"] == f"home.test:{site.port}"


# What goes wrong.


def test_an_answer_that_is_too_large_is_cut_off(site: LoopbackSite) -> None:
    site.pages["/large"] = Page(b"x" * 100_000)
    status, text, _ = ask(f"{site.origin}/large", site.origin)
    assert (status, text) == (502, "the answer is larger than limits.http_kb in the sidecar")


def test_nobody_there_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        origin = f"http://127.0.0.1:{listener.getsockname()[1]}"
    status, text, _ = ask(f"{origin}/", origin)
    assert status == 502
    assert text.startswith("127.0.0.1: ")


def test_a_name_that_there_is_not_is_told() -> None:
    assert (
        ask("https://nowhere.invalid/", "nowhere.invalid")[1] == "there is no host nowhere.invalid"
    )


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"nonsense",
        b"[]",
        b"{}",
        b'{"url": 5}',
        b'{"url": "https://a.example/", "method": "TRACE"}',
        b'{"url": "https://a.example/", "headers": {"a b": "c"}}',
        b'{"url": "https://a.example/", "headers": {"a": "b\\r\\nc: d"}}',
        b'{"url": "https://a.example/", "headers": 7}',
        b"[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_what_is_no_request_is_refused(head: bytes) -> None:
    assert ask_raw(head, "a.example")[0] == 403


@given(st.binary(max_size=60))
def test_any_request_gets_an_answer(head: bytes) -> None:
    assert ask_raw(head)[0] == 403


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes a certificate with openssl")
def test_the_certificate_has_to_be_that_of_the_name(
    tmp_path: Path, names: dict[str, list[str]]
) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=pinned.test"
    subprocess.run(
        [*command.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    said: list[str | None] = []
    context.sni_callback = lambda connection, name, _: said.append(name)
    names["pinned.test"] = ["127.0.0.1"]
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def shake_hands() -> None:
            connection, _ = listener.accept()
            with connection, pytest.raises(OSError, match=r"(?i)alert|eof|reset"):
                context.wrap_socket(connection, server_side=True).recv(1)

        thread = threading.Thread(target=shake_hands)
        thread.start()
        origin = f"https://pinned.test:{listener.getsockname()[1]}"
        status, text, _ = ask(f"{origin}/", origin)
        thread.join()
    assert said == ["pinned.test"]
    assert (status, text.startswith("pinned.test: ")) == (502, True)
    assert "certificate verify failed" in text


# Patterns.


@pytest.mark.parametrize(
    ("pattern", "url", "fits"),
    [
        ("a.example", "https://a.example/x?y=1", True),
        ("a.example", "https://A.EXAMPLE./", True),
        ("a.example", "https://a.example:443/", True),
        ("a.example", "http://a.example/", False),
        ("a.example", "https://a.example:8443/", False),
        ("a.example", "https://b.a.example/", False),
        ("a.example", "https://a.example.evil.example/", False),
        ("*.a.example", "https://b.a.example/", True),
        ("*.a.example", "https://c.b.a.example/", True),
        ("*.a.example", "https://a.example/", False),
        ("*.a.example", "https://nota.example/", False),
        ("münchen.example", "https://xn--mnchen-3ya.example/", True),
        ("https://a.example:8443", "https://a.example:8443/", True),
        ("http://[::1]:80", "http://[0:0:0:0:0:0:0:1]/", True),
    ],
)
def test_a_pattern_is_for_whole_hosts(pattern: str, url: str, fits: bool) -> None:
    assert Pattern.parse(pattern).fits(Address.parse(url)) is fits
    assert (fitting([pattern], Address.parse(url)) is not None) is fits


@pytest.mark.parametrize(
    "number",
    [
        "10.0.0.1",
        "100.64.0.1",
        "127.0.0.1",
        "169.254.169.254",
        "192.168.1.1",
        "224.0.0.1",
        "240.0.0.1",
        "0.0.0.0",
        "::1",
        "::",
        "fe80::1",
        "fc00::1",
        "fec0::1",
        "ff02::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "2002:a00:1::",
    ],
)
def test_private_addresses_are_known_in_all_forms(number: str) -> None:
    assert not is_public(ipaddress.ip_address(number))


@pytest.mark.parametrize("number", ["1.1.1.1", "2606:4700::1111", "64:ff9b::101:101"])
def test_public_addresses_are_known(number: str) -> None:
    assert is_public(ipaddress.ip_address(number))


# From inside of a module.

ASK = """
(local $answer i64)
(local.set $answer (call $http_request {request} {body}))
(if (i32.eq (call $http_status_code) (i32.const 200))
  (then (return (call $say (local.get $answer)))))
(call $fail (local.get $answer))
"""


def asking(home: Home, url: str, *hosts: str, body: str = "(i64.const 0)", **more: Any) -> str:
    text = Text(request=json.dumps({"url": url, "method": "POST"}), large="x" * 3000)
    data = text.build(export("ask", ASK.replace("{body}", body)))
    sidecar = {"permissions": {"hosts": [*hosts]}, "tools": [{"name": "ask"}], **more}
    home.add("it", data, sidecar)
    return home.call("it__ask").text


def test_a_module_asks_through_the_host(home: Home, site: LoopbackSite) -> None:
    assert asking(home, f"{site.origin}/", site.origin).endswith("\nhello")
    assert home.offered()["it__ask"].effects == {"network"}


def test_a_module_and_its_model_hear_why_a_host_is_forbidden(
    home: Home, site: LoopbackSite
) -> None:
    site.pages["/away"] = redirect("http://localhost:1/")
    assert asking(home, f"{site.origin}/away", site.origin) == (
        "[it__ask: failed: http://localhost:1 is not allowed to this tool; "
        f"its hosts: {site.origin}]"
    )


def test_a_body_that_is_too_large_is_not_sent(home: Home, site: LoopbackSite) -> None:
    text = asking(home, f"{site.origin}/", site.origin, body="{large}", limits={"http_kb": 2})
    assert text == "[it__ask: failed: the request is larger than limits.http_kb in the sidecar]"
    assert site.asked == []


def test_an_answer_that_does_not_come_ends_with_the_call(home: Home, site: LoopbackSite) -> None:
    gate = threading.Event()
    site.pages["/slow"] = Page(b"late", gate=gate)
    text = asking(home, f"{site.origin}/slow", site.origin, limits={"timeout_ms": 400})
    assert "took longer than 0.4 s" in text
    gate.set()
    site.pages["/slow"] = Page(b"early")
    assert home.call("it__ask").text.endswith("\nearly")


def test_a_module_that_waits_for_an_answer_is_not_entered_again(
    home: Home, site: LoopbackSite
) -> None:
    gate = threading.Event()
    slow = site.pages["/slow"] = Page(b"late", gate=gate)
    text = Text(request=json.dumps({"url": f"{site.origin}/slow", "method": "POST"}), quick="quick")
    data = text.build(
        export("ask", ASK.replace("{body}", "(i64.const 0)")), export("say", "(call $say {quick})")
    )
    tools = [{"name": "ask"}, {"name": "say"}]
    home.add("it", data, {"permissions": {"hosts": [site.origin]}, "tools": tools})

    async def both() -> list[str]:
        ask = asyncio.ensure_future(home.calling("it__ask"))
        assert await asyncio.to_thread(slow.reached.wait, 30)
        say = asyncio.ensure_future(home.calling("it__say"))
        for _ in range(10):
            await asyncio.sleep(0)
        assert not say.done()
        gate.set()
        return [(await call).text.splitlines()[-1] for call in (ask, say)]

    assert home.run(both()) == ["late", "quick"]
