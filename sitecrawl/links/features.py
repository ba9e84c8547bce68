"""Features of the targets of a page: facts in, a matrix out. One row a target, since links to one URL share a label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sitecrawl.links.anchors import ATTRIBUTES
from sitecrawl.links.columns import (
    CORE,
    CORE_AT,
    CORE_URL_AT,
    FEATURES,
    RELATIVE_AT,
    SAYS_AT,
)
from sitecrawl.links.facts import PageFacts
from sitecrawl.links.groups import Grouping, Ids, Matrix, compact, counts, maxima, number, percentiles, reduce_groups
from sitecrawl.links.regions import REGIONS
from sitecrawl.links.relations import relation_values
from sitecrawl.links.similarity import path_similarities
from sitecrawl.links.targets import targets_of
from sitecrawl.links.texts import TEXT_FLAGS
from sitecrawl.links.urls import UrlFacts, url_facts


@dataclass(slots=True)
class Targets:
    """Targets of one page. ``of`` gives the target of each link, -1 for links that lead to no page of the web;
    ``matrix`` is targets x ``FEATURES``; ``groupings`` its groups, in the order of ``GROUPINGS``;
    ``facts`` of each target's URL; ``first`` the link that stands for it.
    """

    of: Ids
    matrix: Matrix
    groupings: tuple[Grouping, ...]
    facts: list[UrlFacts]
    first: Ids


def target_features(page: PageFacts) -> Targets:
    """Targets of a page's links and their features."""
    of, urls = targets_of(page)
    facts = [url_facts(url) for url in urls]
    if not urls:
        return Targets(of, np.zeros((0, len(FEATURES)), np.float32), (), [], np.zeros(0, np.int64))
    rows = np.flatnonzero(of >= 0)
    links = link_matrix(page)[rows]
    best = reduce_groups(links, of[rows], np.maximum)
    least = reduce_groups(links[:, CORE_AT], of[rows], np.minimum)
    first = rows[_principal(links[:, 0], of[rows])]
    own = np.frombuffer(b"".join([f.values for f in facts]), np.float32).reshape(len(facts), -1)
    url = np.hstack([own, relation_values(url_facts(page.url), facts)])
    groupings = _groupings(page, of, first, facts)
    core = np.hstack([best[:, CORE_AT], url[:, CORE_URL_AT]])
    grouped = [_grouped(core, ids) for ids in groupings]
    context = _context(page, core, np.bincount(of[rows]).astype(np.float32))
    says = _says(best, url)
    matrix = np.hstack([best, least, url, says, says, context, *grouped])
    matrix[:, RELATIVE_AT] -= matrix[:, RELATIVE_AT].mean(axis=0)
    return Targets(of, matrix, groupings, facts, first)


def _says(best: Matrix, url: Matrix) -> Matrix:
    """Columns of ``SAYS``: 1 where any of a kind's marks is certain."""
    marks = np.hstack([best, url])
    return np.stack([(marks[:, at] >= 1.0).any(axis=1) for at in SAYS_AT], axis=1).astype(np.float32)


def link_matrix(page: PageFacts) -> Matrix:
    """Features of every link, links x ``LINK_FEATURES``."""
    return np.hstack(
        [
            _measures(page),
            _bits(page.column("text_flags"), len(TEXT_FLAGS)),
            _bits(page.column("mask"), len(REGIONS)),
            _bits(page.column("near"), len(REGIONS)),
            _attribute_bits(page.column("attributes")),
        ]
    )


def _measures(page: PageFacts) -> Matrix:
    c = page.column
    n, total = len(page.urls), max(1, page.total)
    words, size = np.log1p(c("words")), c("size").astype(np.float32)
    best = np.log1p(np.maximum(c("words"), np.maximum(c("alt_words"), np.where(c("words") == 0, c("title_words"), 0))))
    record, listed = compact(c("record")), c("record") >= 0
    longest = size >= maxima(size[:, None], record)[:, 0]
    heading = (c("near") | c("own")) >> REGIONS.index("heading") & 1
    path = c("path")
    columns = (
        *(words, np.log1p(size), np.log1p(c("title_words")), np.log1p(c("alt_words"))),
        *(c("images") > 0, c("words") == 0, heading),
        *(np.log1p(c("record_size")), np.log1p(np.maximum(0, c("record_size") - size))),
        *(np.log1p(c("record_links")), size / np.maximum(1, c("record_size")), np.minimum(3, c("record_dates"))),
        *(
            (c("record_dates") == 1) & listed,
            c("record_images") > 0,
            c("record_headings") > 0,
            np.log1p(c("heading_size")),
        ),
        *(np.log1p(c("ordinal")), np.log1p(c("list_size")), np.log1p(c("outer_size")), np.log1p(c("outer_links"))),
        *(c("outer_dates") / np.maximum(1, c("outer_links")), np.log1p(np.maximum(0, c("parent_size") - size))),
        *(size / np.maximum(1, c("parent_size")), c("offset") / total, np.log1p(c("depth")), np.arange(n) / n, listed),
        *(percentiles(words), longest & (size > 0), np.log1p(counts(compact(c("text_id"))))),
        *(path_similarities(page.paths, path)[path], np.log1p(counts(compact(path))), best),
    )
    return np.stack([np.asarray(column, np.float32) for column in columns], axis=1)


def _bits(flags: Ids, width: int) -> Matrix:
    return (flags[:, None] >> np.arange(width) & 1).astype(np.float32)


def _attribute_bits(flags: Ids) -> Matrix:
    return _bits(flags, len(ATTRIBUTES))


def _principal(words: Matrix, of: Ids) -> Ids:
    """Row of the link with most words of each target, the first of equals."""
    order = np.lexsort((np.arange(len(of)), -words, of))
    starts = np.searchsorted(of[order], np.arange(int(of.max()) + 1))
    return order[starts]


def _groupings(page: PageFacts, of: Ids, first: Ids, facts: list[UrlFacts]) -> tuple[Grouping, ...]:
    """Groups of a target: its lists, links of its path and regions, URLs of its pattern, URLs of its shape."""
    rows = np.flatnonzero(of >= 0)
    lists = compact(page.column("record_list"))
    styles = compact(page.column("path") * 2**33 ^ page.column("mask"))
    alone = np.arange(len(facts))
    patterns, shapes = number(f.pattern for f in facts), number((f.domain, f.shape) for f in facts)
    places = [(ids[rows], ids[first]) for ids in (lists, styles)]
    linked = [Grouping(of[rows], *_renumber(ids, own)) for ids, own in places]
    return (*linked, Grouping(alone, patterns, patterns), Grouping(alone, shapes, shapes))


def _renumber(ids: Ids, own: Ids) -> tuple[Ids, Ids]:
    """Ids without gaps, though links that lead to no page are left out."""
    known, dense = np.unique(ids, return_inverse=True)
    return dense.astype(np.int64), np.searchsorted(known, own)


def _grouped(core: Matrix, group: Grouping) -> Matrix:
    """Size of each target's group, its portion of the page, means of the core features, spread of the text lengths."""
    mean = group.means(core)
    square = group.means(core[:, :1] ** 2)
    spread = np.sqrt(np.maximum(0, square - mean[:, :1] ** 2))
    size = group.sizes[:, None]
    stats: Matrix = np.hstack([np.log1p(size), size / len(group.ids), mean, spread])[group.own]
    return stats


def _context(page: PageFacts, core: Matrix, links_to: Matrix) -> Matrix:
    """What the page is like, the same for every target but for the number of links to it."""
    n = len(core)
    words = core[:, CORE.index("words")]
    values = (
        np.log1p(n),
        words.mean(),
        (words > np.log1p(4)).mean(),
        url_facts(page.url).depth,
        core[:, CORE.index("record_dated")].mean(),
    )
    return np.hstack([np.log1p(links_to)[:, None], np.tile(np.array(values, np.float32), (n, 1))])
