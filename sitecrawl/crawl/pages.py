"""From an answer to a page, or to one line that says why there is no page."""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from html import escape
from urllib.parse import urldefrag, urlsplit

from sitecrawl.crawl.linked_pages import at_host
from sitecrawl.crawl.records import EMPTY_PAGE, NOT_YET, FetchedPage, Role
from sitecrawl.crawl.soft_errors import has_little_text
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import absolute
from sitecrawl.extract.fields import canonical_url
from sitecrawl.limits import LIMITS
from sitecrawl.urls.canonical import has_code_extension, is_page, url_key
from sitecrawl.urls.scope import bare_host, host_of, registered_domain

_SNIFF = (
    b"%PDF",
    b"\x89PNG",
    b"GIF8",
    b"\xff\xd8\xff",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"Rar!",
    b"WARC/",
)
_REFRESH = re.compile(  # HTML accepts quotes around the URL, and does not need the word before it
    r"(?:url\s*=|^\s*[\d.]+\s*[;,])\s*['\"]?(?!url\s*=)([^'\";\s]+)", re.I
)
_TITLES = ("title", "headline", "name")  # keys of JSON
_BEGIN = 1_000  # bytes of a body that tell what it is
_LITTLE = 200  # characters of a page that only sends its readers on
_PACKED = 16_384  # bytes that are unpacked at a time
_ROOTED, _NO_URL = (
    ("/", "http://", "https://"),
    re.compile(r"[\s<>]"),
)  # beginnings of URLs, and what is in none
_TEXT = (
    "html",
    "xml",
    "text/plain",
    "octet-stream",
)  # some servers send pages as octet-stream or plain text
_MOVED = (
    re.compile(  # a script that sets ``location`` to a complete URL, not to one that is composed
        r"\blocation(?:\.href)?\s*=\s*['\"]([^'\"\s]+)['\"](?!\s*\+)"
        r"|\blocation\.(?:replace|assign)\(\s*['\"]([^'\"\s]+)['\"](?!\s*\+)"
    )
)
_ROWS = re.compile(
    rb"<script(?=[^<>]*\btext/xml\b)[^<>]*+>\s*+(?=<datastore\b)|<!\[CDATA\[|\]\]>", re.I
)
"""What wraps the rows of a list that Jcms gives to a script, and the link to the next ones; many
authorities and universities of China publish in it."""
_HTML = re.compile(
    rb"<(?:!doctype|html|head|body|title|meta|table|div)\b", re.I
)  # any of these near the beginning

_FEED = re.compile(
    rb"\W*(?:<[?!][^<>]*>\s*)*<(?:rss|feed|rdf:RDF|urlset|sitemapindex)\b"
)  # the first element
_JSON_FEED = re.compile(rb'"version"\s*:\s*"https?:\\?/\\?/jsonfeed\.org')


def open_page(fetched: FetchedPage) -> tuple[Page | None, str]:
    """The page of an answer; None and the reason if it is empty or not HTML."""
    kind = fetched.content_type.casefold()
    named = _may_be_page(fetched, kind)
    if not named or is_binary(fetched.body):
        advice = (
            ": start from a page that lists articles" if fetched.context.role is Role.START else ""
        )
        return None, f"not HTML ({'a binary file' if named else kind.partition(';')[0]}){advice}"
    if not (fetched.body.strip() or fetched.refresh):
        return None, EMPTY_PAGE
    page = parse(fetched.body, fetched.url, kind or None)
    return (None, NOT_YET) if fetched.status == 202 and has_little_text(page) else (page, "")


def _may_be_page(fetched: FetchedPage, kind: str) -> bool:
    """Whether an answer says that it is a page, or looks like one. One whose URL ends like that of
    a program must say so: its text is a page of code else."""
    if has_code_extension(fetched.url):
        return "html" in kind or (not kind and is_html(fetched.body))
    return not kind or any(word in kind for word in _TEXT) or is_html(fetched.body)


def is_binary(body: bytes) -> bool:
    """Whether the first bytes are those of a document, picture or archive, or have zeros and no
    HTML (UTF-16 has both)."""
    start = body[:_BEGIN]
    return start[:8].lstrip().startswith(_SNIFF) or (
        b"\0" in start and not is_html(start.replace(b"\0", b""))
    )


def with_html_body(fetched: FetchedPage) -> FetchedPage:
    """An answer, decompressed if its page is compressed although no header says so, and as HTML if
    it is a list in JSON or holds rows of Jcms."""
    body = gunzipped(fetched.body)
    may_be_list = len(body) <= LIMITS.scroll_chars and body[:200].lstrip().startswith((b"{", b"["))
    if may_be_list and (listed := _listed(body)):
        html = listed.encode("utf-8", "replace")
        return replace(fetched, body=html, content_type="text/html; charset=utf-8")
    if b"<datastore" in body:
        return replace(fetched, body=_ROWS.sub(b"", body))
    return replace(fetched, body=body) if is_html(body) else fetched


def _listed(body: bytes) -> str:
    """A list in JSON, as "load more" gets it, as HTML: the HTML in its texts, and its URLs as
    links, each with the title beside it; empty if it is none."""
    found = list[str]()
    with suppress(ValueError, RecursionError):
        waiting = [json.loads(body)]
        while waiting and len(found) < LIMITS.links:
            value = waiting.pop()
            values = value if isinstance(value, dict) else dict(enumerate(value))
            waiting += [one for one in reversed(values.values()) if isinstance(one, dict | list)]
            texts = {key: text for key, text in values.items() if isinstance(text, str)}
            # each URL repeats it
            title = escape(next((texts[key][:300] for key in _TITLES if key in texts), ""))
            rooted = [text for text in texts.values() if text.startswith(_ROOTED)]
            urls = [text for text in rooted if not _NO_URL.search(text)][: LIMITS.links]
            found += [f'<li><a href="{escape(url)}">{title}</a></li>' for url in urls]
            found += [text for text in texts.values() if "</" in text]
    return "<!doctype html>" + "\n".join(found) if found else ""


def gunzipped(body: bytes) -> bytes:
    """The first ``LIMITS.body_bytes`` of a compressed body, up to the damage if it is damaged; any
    other body as it is."""
    if not body.startswith(b"\x1f\x8b"):
        return body
    plain = bytearray()
    reader = zlib.decompressobj(wbits=31)
    with suppress(zlib.error):
        for at in range(0, len(body), _PACKED):
            plain += reader.decompress(body[at : at + _PACKED], LIMITS.body_bytes - len(plain) + 1)
            if reader.eof or len(plain) > LIMITS.body_bytes:
                break
    return bytes(plain[: LIMITS.body_bytes])


def is_html(body: bytes) -> bool:
    return _HTML.search(body[:_BEGIN]) is not None


def is_feed(body: bytes) -> bool:
    """Whether a body is a feed or a sitemap, in XML or as a JSON Feed."""
    plain = gunzipped(body)
    if plain[:_BEGIN].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return _JSON_FEED.search(plain) is not None
    return _FEED.match(plain[:_BEGIN]) is not None


def refresh_target(page: Page, *, header: str = "") -> str | None:
    """The URL to which a page redirects its readers, by ``meta http-equiv=refresh``, by the
    ``header`` of the same name, or by a script that sets ``location``, perhaps to the URL that is the whole text of the page. A page with more
    than ``_LITTLE`` characters of text is read even if it redirects."""
    found = _REFRESH.search(page.metadata.first("refresh") or header)
    scripts = [] if found else _moving_scripts(page)
    if not (found or scripts):
        return None
    shown = " ".join(page.document.chunks[:_LITTLE]).split()
    if sum(map(len, shown)) + len(shown) > _LITTLE + 1:
        return None
    if found:
        return absolute(found[1], page.base_url)
    moved = [match[1] or match[2] for text in scripts for match in _MOVED.finditer(text)]
    if len(shown) == 1 and "/" in shown[0]:
        moved += shown
    return _first_other(page, moved)


def _first_other(page: Page, places: list[str]) -> str | None:
    """The first of the URLs that is not that of the page."""
    urls = (absolute(place, page.base_url) for place in places)
    return next((url for url in urls if url and url_key(url) != url_key(page.url)), None)


def _moving_scripts(page: Page) -> list[str]:
    """The scripts of a page that may set its location."""
    texts = (node.text or "" for node in page.root.iter("script"))
    return [text for text in texts if "location" in text]


def home_of(page: Page) -> str:
    """The URL of a start page on another host of its domain, or its canonical one, if no link leads
    to its own host; else empty."""
    own = host_of(page.url)
    places = Counter(urlsplit(url).netloc for url in _linked(page) if is_page(url))
    if not places or own in map(bare_host, places):
        return ""
    place = places.most_common(1)[0][0]
    home = bare_host(place)
    claimed = (host_of(page.base_url), host_of(canonical_url(page) or ""))
    is_own = home in claimed or registered_domain(home) == registered_domain(own)
    return at_host(page.url, place) if is_own else ""


def other_spelling(page: Page) -> str:
    """The URL of a page as one of its own links spells it in another way, as that of its index
    file; else empty."""
    urls = (urldefrag(url).url for url in _linked(page))
    own = url_key(page.url)
    return next((url for url in urls if url != page.url and url_key(url) == own), "")


def _linked(page: Page) -> Iterator[str]:
    for node in page.root.iter("a", "area"):
        if url := absolute(node.get("href") or "", page.base_url):
            yield url
