"""From an answer to a page, or to one line that says why there is none."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from urllib.parse import urlsplit, urlunsplit

from lxml import etree

from sitecrawl.crawl.records import FetchedPage
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import absolute
from sitecrawl.extract.fields import canonical_url
from sitecrawl.limits import LIMITS
from sitecrawl.urls.canonical import is_page
from sitecrawl.urls.scope import bare_host, host_of, registered_domain

_SNIFF = (b"%PDF", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\x03\x04", b"\x1f\x8b", b"Rar!")
_REFRESH = re.compile(r"url\s*=\s*['\"]?([^'\";\s]+)", re.I)
_STUB = 200
"""Characters of text above which a page is read although it sends its readers on."""
_TEXT = ("html", "xml", "text/plain", "octet-stream")


_FRAMES = 20
"""Frames of a page that are looked at."""
_SCRIPTED = etree.XPath(
    "//@onclick|//@onchange|//@data-href|//@data-url|//@data-link|//a/@href[starts-with(normalize-space(.), 'javascript:')]",
    smart_strings=False,
)
"""Attributes that lead to a page by script."""
_QUOTED = re.compile(r"['\"]((?:https?:/)?/[^'\"\s]+|[\w./-]+\.(?:s?html?|php|aspx?|jsp)\b[^'\"\s]*)['\"]", re.I)
_MOVED = re.compile(
    r"\blocation(?:\.href)?\s*=\s*['\"]([^'\"\s]+)['\"]|\blocation\.(?:replace|assign)\(\s*['\"]([^'\"\s]+)['\"]"
)


def page_of(fetched: FetchedPage) -> tuple[Page | None, str]:
    """The page of an answer; None and the reason when it is empty or no HTML."""
    kind = fetched.content_type.casefold()
    if (kind and not any(word in kind for word in _TEXT)) or fetched.body[:8].lstrip().startswith(_SNIFF):
        return None, f"not HTML ({kind.partition(';')[0] or 'a binary file'}): start from a page that lists articles"
    if not fetched.body.strip():
        return None, "the page is empty"
    return parse(fetched.body, fetched.url, kind or None), ""


def refresh_target(page: Page) -> str | None:
    """Where a page with next to no text of its own sends its readers: ``meta http-equiv=refresh``, or a script that sets ``location``."""
    found = _REFRESH.search(page.metadata.first("refresh") or "")
    if len(page.tree.text(0)) > _STUB:
        return None
    if found:
        return absolute(found[1], page.base_url)
    scripts = (node.text or "" for node in page.root.iter("script"))
    moved = next((match for text in scripts if (match := _MOVED.search(text))), None)
    return absolute(moved[1] or moved[2], page.base_url) if moved else None


def frames_of(page: Page) -> list[str]:
    """URLs of the pages of a frameset."""
    found = (absolute(node.get("src") or "", page.base_url) for node in page.root.iter("frame"))
    return list(dict.fromkeys(url for url in islice(found, _FRAMES) if url and is_page(url)))


def other_references(page: Page) -> list[str]:
    """URLs that a page leads to otherwise than by ``<a href>``: inner frames, image maps, lists of choices, scripted elements,
    the ``rel=next`` of its head."""
    hrefs = [page.metadata.links.get("next"), *(node.get("src") for node in page.root.iter("iframe"))]
    hrefs += [node.get("href") for node in page.root.iter("area")]
    hrefs += [value for node in page.root.iter("option") if "/" in (value := node.get("value") or "")]
    for text in _SCRIPTED(page.root):
        hrefs += _QUOTED.findall(text) if "'" in text or '"' in text else [text]
    urls = (absolute(href, page.base_url) for href in islice(hrefs, LIMITS.links) if href)
    return [url for url in dict.fromkeys(urls) if url and is_page(url)]


def home_of(page: Page) -> str:
    """The URL of a start page on the host where it is at home, if none of its links leads to its own: a host that the page calls
    its own, or another one of its domain. Empty otherwise."""
    urls = (absolute(node.get("href") or "", page.base_url) for node in page.root.iter("a", "area"))
    places = Counter(urlsplit(url).netloc for url in urls if url and is_page(url))
    own, place = host_of(page.url), places.most_common(1)[0][0] if places else ""
    home = bare_host(place)
    if not place or any(bare_host(other) == own for other in places):
        return ""
    claimed = (host_of(page.base_url), host_of(canonical_url(page) or ""))
    if home not in claimed and registered_domain(home) != registered_domain(own):
        return ""
    return urlunsplit(urlsplit(page.url)._replace(netloc=place))
