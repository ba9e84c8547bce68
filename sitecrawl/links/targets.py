"""Targets of a page: its links by the page they lead to."""

from __future__ import annotations

import re
from itertools import compress

import numpy as np

from sitecrawl.links.facts import PageFacts
from sitecrawl.links.folders import site, split
from sitecrawl.links.groups import Ids
from sitecrawl.links.urls import UrlFacts, url_facts

_ZEROS = re.compile(r"/0(?=\d+/)")
"""Some sites write one date both as 2009/9/1 and as 2009/09/01."""


def targets_of(page: PageFacts) -> tuple[Ids, list[UrlFacts]]:
    """Target of each link (-1: none) and the facts of the targets' URLs.

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
        numbers[url] = -1
        if url.startswith(origins) or _is_of_site(url, own.domain):
            facts = url_facts(url)
            if facts.leads:
                key = facts.key
                numbers[url] = known.setdefault(_ZEROS.sub("/", key) if "/0" in key else key, len(found))
                if numbers[url] == len(found):
                    found.append(facts)
    of = [numbers[url] if leads else -1 for url, leads in zip(page.urls, named, strict=True)]
    return np.array(of, np.int64), found


def _is_of_site(url: str, domain: str) -> bool:
    """Whether a URL is one of the web and of a domain, of any where that is empty."""
    return url.startswith("http") and (not domain or site(split(url)[0])[1] == domain)
