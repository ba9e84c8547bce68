"""The filtering proxy of the browser: what passes, what does not, and the user's own proxy behind
it."""

from __future__ import annotations

import asyncio
import socket
from typing import Any
from urllib.parse import urlsplit

import pytest

from sitecrawl.crawl.permissions import Permissions
from sitecrawl.extras.browser import filtering_proxy
from sitecrawl.extras.browser.filtering_proxy import FilteringProxy
from tests.crawl.runner import served


@pytest.fixture(autouse=True)
def _no_exceptions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "")


def ask(
    request: str,
    proxies: dict[str, str] | None = None,
    addresses: list[str] | None = None,
    typed: str = "",
    own: Permissions | None = None,
) -> tuple[str, int]:
    """What a proxy answers to a request, and how often it refused; ``addresses`` are what every
    name resolves to, ``typed`` is the URL that the user named."""
    refused: list[None] = []

    async def resolve(host: str, port: int, **_: Any) -> list[Any]:
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
            for address in addresses or [host]
        ]

    async def run() -> str:
        asyncio.get_running_loop().getaddrinfo = resolve  # type: ignore[method-assign, assignment]
        proxy = FilteringProxy(
            proxies or {}, own or Permissions.of([typed]), refused=lambda: refused.append(None)
        )
        where = urlsplit(await proxy.open())
        reader, writer = await asyncio.open_connection(where.hostname, where.port)
        writer.write(request.encode())
        answer = await asyncio.wait_for(reader.read(), 10)
        writer.close()
        await proxy.close()
        return answer.decode()

    return asyncio.run(run()), len(refused)


def test_a_page_of_the_users_host_passes() -> None:
    with served({"/a?b=1": b"inside"}) as site:
        head = f"GET {site.url}/a?b=1 HTTP/1.1\r\nHost: x\r\nProxy-Connection: keep-alive\r\n\r\n"
        answer, refused = ask(head, typed=site.url)
    assert answer.startswith("HTTP/1.1 200")
    assert (answer.endswith("inside"), refused) == (True, 0)


def test_a_tunnel_to_the_users_host_passes() -> None:
    with served({"/": b"inside"}) as site:
        tunnel = f"CONNECT {site.url[7:]} HTTP/1.1\r\n\r\n"
        answer, _ = ask(
            f"{tunnel}GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", typed=site.url
        )
    assert answer.startswith("HTTP/1.1 200 Connection established")
    assert answer.endswith("inside")


@pytest.mark.parametrize(
    "target",
    [
        "GET http://{}/ HTTP/1.1",
        "CONNECT {} HTTP/1.1",
        "GET http://0x7f.1:{port}/ HTTP/1.1",
        "CONNECT [::1]:{port} HTTP/1.1",
        "GET ftp://example.com/ HTTP/1.1",
        "GET / HTTP/1.1",
    ],
)
def test_what_the_user_did_not_name_is_refused(target: str) -> None:
    with served({"/": b"inside"}) as site:
        port = urlsplit(site.url).port
        answer, refused = ask(target.format(site.url[7:], port=port) + "\r\nHost: x\r\n\r\n")
        assert site.asked == []
    assert answer.startswith("HTTP/1.1 403")
    assert refused == 1


def test_another_port_of_the_users_host_is_refused() -> None:
    with served({"/": b"inside"}) as site:
        answer, refused = ask(
            f"GET {site.url}/ HTTP/1.1\r\nHost: x\r\n\r\n", typed="http://127.0.0.1:9/"
        )
        assert site.asked == []
    assert (answer[:12], refused) == ("HTTP/1.1 403", 1)


@pytest.mark.parametrize("typed", ["", "http://rebind.example.com/"])
def test_a_mixed_answer_counts_as_its_public_part(
    monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    dialled = list[str]()

    async def dial(address: str, port: int) -> Any:
        dialled.append(address)
        raise OSError

    monkeypatch.setattr(filtering_proxy, "_dial", dial)
    own = Permissions.of([typed])
    for addresses in (["127.0.0.1", "93.184.216.34"], ["127.0.0.1"]):
        ask("CONNECT rebind.example.com:80 HTTP/1.1\r\n\r\n", addresses=addresses, own=own)
    assert dialled == ["93.184.216.34"]


@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["10.0.0.1", "::1"]])
def test_a_public_name_with_a_private_address_is_refused(addresses: list[str]) -> None:
    answer, refused = ask("CONNECT rebind.example.com:80 HTTP/1.1\r\n\r\n", addresses=addresses)
    assert (answer[:12], refused) == ("HTTP/1.1 403", 1)


@pytest.mark.parametrize(
    "head", ["nonsense\r\n\r\n", "GET http://[bad/ HTTP/1.1\r\n\r\n", "\r\n\r\n", "X" * 100_000]
)
def test_nonsense_is_answered(head: str) -> None:
    answer, _ = ask(head)
    assert answer.startswith("HTTP/1.1 502")


def test_the_users_proxy_gets_what_passes() -> None:
    with served({"http://news.example.com/a": b"by proxy"}) as proxy:
        known = proxy.url.replace("http://", "http://me:secret@")
        answer, refused = ask(
            "GET http://news.example.com/a HTTP/1.1\r\nHost: x\r\n\r\n", {"http": known}
        )
        private, once = ask("GET http://10.0.0.1/ HTTP/1.1\r\nHost: x\r\n\r\n", {"http": known})
        assert proxy.asked == ["http://news.example.com/a"]
    assert (answer.endswith("by proxy"), refused) == (True, 0)
    assert (private[:12], once) == ("HTTP/1.1 403", 1)


@pytest.mark.parametrize(
    "request_line", ["GET http://public.example/ HTTP/1.1", "CONNECT public.example:80 HTTP/1.1"]
)
def test_a_name_that_moves_into_the_house_is_refused(request_line: str) -> None:
    """The user typed the name; at the start it was public."""
    own = Permissions.of(["http://public.example/"])
    assert own.allowed("public.example", 80, addresses=["93.184.216.34"])
    answer, refused = ask(f"{request_line}\r\n\r\n", addresses=["127.0.0.1"], own=own)
    assert answer.startswith("HTTP/1.1 403")
    assert refused == 1
