"""No request that the user did not ask for: schemes, private addresses in every spelling, redirects, DNS answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy.utils.project import get_project_settings

from sitecrawl.crawl.permissions import Permissions
from sitecrawl.urls.scope import is_private
from tests.crawl.runner import crawl, send, served
from tests.pages import article_page, listing_page


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "localhost", "a.localhost",
     "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "[fe80::1]", "[fd00::1]", "printer.local", "224.0.0.1"],
)  # fmt: skip
def test_private_hosts(host: str) -> None:
    assert is_private(host)


@pytest.mark.parametrize(
    "host", ["example.com", "8.8.8.8", "1.1.1.1", "[2606:4700::1111]", "local.example.com", "12345.example"]
)
def test_public_hosts(host: str) -> None:
    assert not is_private(host)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://127.0.0.1/", "private"),
        ("http://0x7f.1:8080/", "private"),
        ("https://[::1]/", "private"),
        ("ftp://example.com/", "scheme"),
        ("file:///etc/hostname", "scheme"),
        ("http://example.com/", ""),
        ("http://[bad/", "scheme"),
    ],
)
def test_what_is_refused(url: str, why: str) -> None:
    assert Permissions().refusal(url) == why


def test_the_users_own_host_and_port_are_let_through_and_no_other() -> None:
    own = Permissions.of(["http://127.0.0.1:8000/"])
    assert own.refusal("http://127.0.0.1:8000/a") == ""
    assert own.refusal("http://127.0.0.1/") == "private"
    assert own.refusal("http://127.0.0.2:8000/") == "private"
    assert own.plus("127.0.0.1:3128").refusal("http://127.0.0.1:3128/") == ""
    assert Permissions().refusal("http://127.0.0.1:8000/a") == "private", "one crawl's permissions are no other's"


def test_a_public_name_with_a_private_address_is_refused() -> None:
    own = Permissions.of(["http://intranet.example.com/"])
    assert own.may_connect("example.com", 80, "93.184.216.34")
    assert not own.may_connect("rebind.example.com", 80, "127.0.0.1")
    assert own.may_connect("intranet.example.com", 80, "10.0.0.5")
    assert not own.may_connect("intranet.example.com", 81, "10.0.0.5")


def test_links_and_redirects_into_the_house_are_not_followed(tmp_path: Path) -> None:
    with served({"/secret.html": article_page(1).encode()}) as house:
        inside = house.url.replace("127.0.0.1", "127.0.0.2") + "/secret.html"
        links = "".join(
            f'<div class="teaser"><h2><a href="{target}">Harbour bridge number {n} opens to cyclists</a></h2></div>'
            for n, target in enumerate([inside, "file:///etc/hostname", "/2024/05/away.html"])
        )
        pages = {f"/2024/05/a-{n}.html": article_page(n).encode() for n in range(6)}
        pages["/2024/05/away.html"] = lambda handler: send(handler, 302, b"", Location=inside)
        pages["/"] = listing_page(range(6)).replace('<div class="pager">', links + '<div class="pager">').encode()
        with served(pages) as site:
            run = crawl(f"{site.url}/", tmp_path / "out.jsonl", "-a", "scope=site")
        assert house.asked == []
    assert run.code == 0
    assert len(run.items) == 6


def test_settings_close_what_untrusted_pages_could_use() -> None:
    settings = get_project_settings()
    assert not settings.getbool("TELNETCONSOLE_ENABLED")
    assert settings.getbool("ROBOTSTXT_OBEY")
    assert settings.getint("DOWNLOAD_MAXSIZE") <= 16_000_000
    assert all(settings.getdict("DOWNLOAD_HANDLERS")[scheme] is None for scheme in ("file", "ftp", "s3"))
