"""Labels without handwork: from a labels file, or from the site's own feed and sitemap."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

from lxml import etree

from sitecrawl.errors import LabelError
from sitecrawl.links.facts import PageFacts
from sitecrawl.links.training.dataset import CODES, Labels, codes
from sitecrawl.links.url_facts import URL_FEATURES, url_facts

_REMEDY = "give a labels file (JSON lines of url and label), an RSS or Atom feed, or a sitemap"
_FIXED = tuple(URL_FEATURES.index(f"last_u_{kind}") for kind in ("fixed", "author", "feed", "comment"))
_LISTED = tuple(
    URL_FEATURES.index(name)
    for name in ("last_u_section", "dir_u_section", "page_number", "query_page", "date_end", "root")
)


def normal(url: str) -> str:
    """URL in the form in which two spellings of one page compare equal.

    >>> normal("https://a.org/x/#top") == normal("http://a.org/x")
    True
    """
    return unquote(urldefrag(url)[0]).rstrip("/").partition("://")[2]


def read_labels(path: Path) -> dict[str, str]:
    """Labels file: JSON lines ``{"url": ..., "label": "article"|"section"|"other"}``. Raises LabelError where damaged."""
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf8").splitlines() if line.strip()]
        labels = {normal(row["url"]): row["label"] for row in rows}
        codes(labels.values())
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise LabelError(path, f"not a labels file ({type(error).__name__})", _REMEDY) from error
    return labels


def feed_urls(document: bytes, base: str) -> list[str]:
    """Article URLs of an RSS or Atom feed, page URLs of a sitemap; empty where the document is neither."""
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, huge_tree=False)
    try:
        root = etree.fromstring(document, parser=parser)
    except etree.XMLSyntaxError:
        return []
    if root is None:
        return []
    found = []
    for node in root.iter("{*}item", "{*}entry", "{*}url"):
        for child in node.iterchildren("{*}link", "{*}loc"):
            address = (child.get("href") or child.text or "").strip()
            if address and child.get("rel") in (None, "alternate"):
                found.append(urljoin(base, address))
    return found


def is_sitemap(document: bytes) -> bool:
    """Whether a document lists all kinds of pages rather than articles only."""
    return b"<urlset" in document[:4_000]


def label_links(facts: PageFacts, labels: dict[str, str]) -> Labels:
    """Codes of a page's links from a labels file; links it does not name are unknown, links to no page are other."""
    names = [labels.get(normal(url), "unknown" if url.startswith("http") else "other") for url in facts.urls]
    return codes(names)


def label_links_by_feed(facts: PageFacts, articles: Iterable[str], pages: Iterable[str] = ()) -> Labels:
    """Codes of a page's links from a feed (``articles``) and a sitemap (``pages``).

    A feed names articles, mostly the newest. Another link is an article where its URL has the pattern of at least two of
    the feed's and none of its own words names a section; a section where its URL says so; other where it leaves the
    site or is a well-known fixed page; unknown otherwise.
    """
    known = {normal(url) for url in articles}
    patterns: dict[str, int] = {}
    for url in known:
        pattern = url_facts(f"http://{url}").pattern
        patterns[pattern] = patterns.get(pattern, 0) + 1
    listed = {normal(url) for url in pages}
    return codes(_name(facts, url, (known, patterns, listed)) for url in facts.urls)


def _name(facts: PageFacts, url: str, truth: tuple[set[str], dict[str, int], set[str]]) -> str:
    known, patterns, listed = truth
    if not url.startswith("http"):
        return "other"
    key, fact = normal(url), url_facts(url)
    if key in known:
        return "article"
    if fact.domain != url_facts(facts.url).domain:
        return "other"
    if any(fact.values[place] for place in _LISTED):
        return "section"
    if any(fact.values[place] == 1.0 for place in _FIXED):
        return "other"
    alike = patterns.get(url_facts(f"http://{key}").pattern, 0) >= 2
    return "article" if alike and (not listed or key in listed) else "unknown"


def known_share(labels: Labels) -> float:
    """Share of the links that got a label."""
    return float((labels > CODES["unknown"]).mean()) if len(labels) else 0.0
