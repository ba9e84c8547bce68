"""Targets of a page: its links by the page they lead to."""

from __future__ import annotations

import re

import numpy as np

from sitecrawl.links.facts import PageFacts
from sitecrawl.links.groups import Ids
from sitecrawl.links.urls import URL_FEATURES, url_facts

_ZEROS = re.compile(r"/0(?=\d+/)")
"""Some sites write one date both as 2009/9/1 and as 2009/09/01."""
_FILE, _FEED = URL_FEATURES.index("file"), URL_FEATURES.index("last_u_feed")
_PERSON = re.compile(r"/(?:authors?|users?|members?|autore?s?|auteurs?|szerzok?)/[^/]+/?$")
"""Folders that hold a page a person."""
_ACTION = re.compile(r"[?&](?:share|replytocom)=")
"""Queries that do something with a page rather than name one."""


def targets_of(page: PageFacts) -> tuple[Ids, list[str]]:
    """Target of each link (-1: none) and the targets' URLs without fragment.

    No target, and so never an article or a section: fragments of this page, schemes other than http, other people's sites,
    files and feeds, pages of persons, and queries that do something with a page.
    """
    known: dict[str, int] = {}
    urls: list[str] = []
    keys: dict[str, int] = {}
    domain = url_facts(page.url).domain
    of = []
    for href, url in zip(page.hrefs, page.urls, strict=True):
        number = -1 if href[:1] == "#" or not href.strip() else keys.get(url, -2)
        if number == -2:
            bare = url.partition("#")[0]
            number = -1
            if _leads_to_page(bare, domain):
                number = known.setdefault(_ZEROS.sub("/", bare.rstrip("/").partition("://")[2]), len(urls))
                if number == len(urls):
                    urls.append(bare)
            keys[url] = number
        of.append(number)
    return np.array(of, np.int64), urls


def _leads_to_page(url: str, domain: str) -> bool:
    """Whether a URL without fragment may lead to a page of the site."""
    if url[:4] != "http":
        return False
    facts = url_facts(url)
    if facts.domain != domain and domain:
        return False
    if _PERSON.search(f"/{facts.stem}"):
        return False
    return not (facts.values[_FILE] or facts.values[_FEED] == 1.0 or ("?" in url and _ACTION.search(url)))
