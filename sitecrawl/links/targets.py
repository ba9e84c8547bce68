"""Targets of a page: its links by the page they lead to, and how those stand to the page and to one another."""

from __future__ import annotations

import re
from collections import Counter
from itertools import compress
from operator import attrgetter

import numpy as np

from sitecrawl.links.facts import PageFacts
from sitecrawl.links.groups import Ids, Matrix
from sitecrawl.links.url_facts import UrlFacts, host_and_domain, url_facts
from sitecrawl.urls.pattern import split_url

_ZEROS = re.compile(r"/0(?=\d+/)")
"""Some sites write one date both as 2009/9/1 and as 2009/09/01."""
RELATION_FEATURES = (
    *("same_host", "same_domain", "child", "depth_more", "same_pattern", "same_shape", "same_folder"),
    *("self", "family", "family_share"),
)
_SELF, _FAMILY, _SHARE = map(RELATION_FEATURES.index, ("self", "family", "family_share"))
_DEEPEST = 32
"""Levels of a path that are compared; a path with more of them is a trap."""
_KIND = attrgetter("above", "pattern")
"""What targets that stand alike to the page have in common."""


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
    return url.startswith("http") and (not domain or host_and_domain(split_url(url)[0])[1] == domain)


def relation_values(page: UrlFacts, targets: list[UrlFacts]) -> Matrix:
    """Targets x ``RELATION_FEATURES``. A family is the number of other targets below a target's path (as a logarithm):
    a section is a parent of its articles.
    """
    kinds = list(map(_KIND, targets))
    alike = dict(zip(kinds, targets, strict=True))
    numbers = dict(zip(alike, range(len(alike)), strict=True))
    relations = np.array([_relation(page, target) for target in alike.values()], np.float32)
    below = _below(targets)
    found = np.empty((len(targets), len(RELATION_FEATURES)), np.float32)
    found[:, :_SELF] = relations.take([numbers[kind] for kind in kinds], axis=0)
    found[:, _SELF] = [target.key == page.key for target in targets]
    found[:, _SHARE] = [below.get(target.home, 0) for target in targets]
    found[:, _FAMILY] = np.log1p(found[:, _SHARE])
    found[:, _SHARE] /= len(targets)
    return found


def _below(targets: list[UrlFacts]) -> dict[str, int]:
    """Number of targets below those that others lie below, so far as they lie ``_DEEPEST`` levels deep at most."""
    homes = {target.home for target in targets}
    found: Counter[str] = Counter()
    for (above, host), count in Counter((target.above, target.host) for target in targets).items():
        place, root = above, len(host) + 1
        while len(place) > root and place.count("/") <= _DEEPEST:
            if place in homes:
                found[place] += count
            place = place[: place.rfind("/", 0, -1) + 1]
    return found


def _relation(page: UrlFacts, target: UrlFacts) -> tuple[float, ...]:
    """The features that compare one target with the page, in order."""
    deeper = max(-3, min(3, target.depth - page.depth))
    inside = target.above.startswith(page.folder)
    return (
        target.host == page.host,
        target.domain == page.domain,
        inside and len(page.folder) > len(page.host) + 1,
        deeper,
        target.pattern == page.pattern,
        target.host == page.host and target.shape == page.shape,
        inside,
    )
