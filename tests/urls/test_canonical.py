"""URLs joined without a parser are those that the parser gives."""

from __future__ import annotations

from contextlib import suppress
from urllib.parse import urljoin

import pytest

from sitecrawl.urls.canonical import absolute_url, url_key

BASES = (
    "http://a.org",
    "http://a.org/",
    "http://a.org/x/y.html?z=/q",
    "http://a.org/x//y/z",
    "http://a.org/x/../y/z",
    "https://a.org:80/x/y;p=1#f/g",
    "http://a.org?x/y",
    "http://[bad",
    "",
)
REFERENCES = "a / /a/b.html /?a=b a?b=c#d #x ?a=b a/b/ a//b .a ../a a/../b ~x %20 a:b http: //x.org/a /a?b=c&d x? x# /."
URLS = "http://a.org http://a.org/ https://B.org/x? http://a.org/x/../y https:x http:/x http://u:p@a.org/x http://a.org/x#t"


@pytest.mark.parametrize("base", BASES)
def test_join_gives_what_urljoin_gives(base: str) -> None:
    for reference in (*REFERENCES.split(), *URLS.split(), ""):
        wanted = ""
        with suppress(ValueError):
            wanted = urljoin(base, reference)
        assert absolute_url(base, reference) == wanted, reference


@pytest.mark.parametrize(
    "name",
    "utm_x mtm_source hsa_cam gclid msclkid twclid gbraid gad_source _hsenc mkt_tok ref_src wt.mc_id pk_campaign itm_source oly_enc_id vero_id ysclid dclid gclsrc igsh irclickid ml_subscriber_hash ga_source _gl xtor".split(),
)
def test_tracking_parameters(name: str) -> None:
    assert url_key(f"http://example.com/a?{name}=x7&id=5") == "example.com/a?id=5"


def test_an_index_file_with_nothing_but_tracking_is_its_folder() -> None:
    keys = {
        url_key(f"http://example.com/a/{end}")
        for end in ("", "index.html", "index.html?utm_source=x", "?spm=1#top")
    }
    assert keys == {"example.com/a"}
    assert url_key("http://example.com/a/index.html?p=2") == "example.com/a/index.html?p=2"
