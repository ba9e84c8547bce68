"""Targets of a page: its links by the page they lead to."""

from __future__ import annotations

import re
from itertools import compress

import numpy as np

from sitecrawl.links.facts import PageFacts
from sitecrawl.links.folders import site, split
from sitecrawl.links.groups import Ids
from sitecrawl.links.urls import URL_FEATURES, UrlFacts, url_facts

_ZEROS = re.compile(r"/0(?=\d+/)")
"""Some sites write one date both as 2009/9/1 and as 2009/09/01."""
_FILE, _FEED = URL_FEATURES.index("file"), URL_FEATURES.index("last_u_feed")
_PERSONS = frozenset(
    "author authors user users member members autor autors autore autores auteur auteurs szerzo szerzok".split()
)
"""Folders that hold a page a person."""
_ACTION = re.compile(r"[?&](?:share|replytocom)=")
"""Queries that do something with a page rather than name one."""


def targets_of(page: PageFacts) -> tuple[Ids, list[UrlFacts]]:
    """Target of each link (-1: none) and the facts of the targets' URLs without fragment.

    No target, and so never an article or a section: fragments of this page, schemes other than http, other people's sites,
    files and feeds, pages of persons, and queries that do something with a page.
    """
    own = url_facts(page.url)
    origins = f"http://{own.host}/", f"https://{own.host}/"
    named = [href[:1] != "#" and href.strip() != "" for href in page.hrefs]
    known: dict[str, int] = {}
    numbers: dict[str, int] = {}
    found: list[UrlFacts] = []
    for url in dict.fromkeys(compress(page.urls, named)):
        bare = url.partition("#")[0]
        numbers[url] = -1
        if bare.startswith(origins) or _is_of_site(bare, own.domain):
            facts = url_facts(bare)
            if _leads_to_page(bare, facts):
                numbers[url] = known.setdefault(_key(bare), len(found))
                if numbers[url] == len(found):
                    found.append(facts)
    of = [numbers[url] if leads else -1 for url, leads in zip(page.urls, named, strict=True)]
    return np.array(of, np.int64), found


def _key(url: str) -> str:
    """What URLs of one page have in common."""
    key = url.rstrip("/").partition("://")[2]
    return _ZEROS.sub("/", key) if "/0" in key else key


def _is_of_site(url: str, domain: str) -> bool:
    """Whether a URL is one of the web and of a domain, of any where that is empty."""
    return url.startswith("http") and (not domain or site(split(url)[0])[1] == domain)


def _leads_to_page(url: str, facts: UrlFacts) -> bool:
    """Whether a URL of the site without fragment may lead to a page."""
    if facts.stem.rpartition("/")[0].rpartition("/")[2] in _PERSONS:
        return False
    return not (facts.values[_FILE] or facts.values[_FEED] == 1.0 or ("?" in url and _ACTION.search(url)))
