"""Features of the targets of a page: facts in, a matrix out. One row a target, since links to one URL share a label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sitecrawl.links.anchors import ATTRIBUTES
from sitecrawl.links.columns import (
    AT,
    CONTRASTED_AT,
    CORE,
    CORE_AT,
    FEATURES,
    LINK_CORE_AT,
    MEASURES,
    RELATIVE_AT,
    SAYS_AT,
    SAYS_OF,
)
from sitecrawl.links.facts import PageFacts
from sitecrawl.links.groups import Groups, Ids, Matrix, build_groups, starts_of
from sitecrawl.links.measures import link_measures
from sitecrawl.links.regions import REGIONS
from sitecrawl.links.relations import relation_values
from sitecrawl.links.targets import targets_of
from sitecrawl.links.texts import TEXT_FLAGS
from sitecrawl.links.urls import UrlFacts, url_facts

_MASKS = {"text_flags": TEXT_FLAGS, "mask": REGIONS, "near": REGIONS, "attributes": ATTRIBUTES}
"""Columns of bits, each of which is a feature."""
_BITS_AT = [64 * mask + bit for mask, names in enumerate(_MASKS.values()) for bit in range(len(names))]
_MEASURED = [at for at in LINK_CORE_AT if at < len(MEASURES)]
_FLAGGED = [at - len(MEASURES) for at in LINK_CORE_AT if at >= len(MEASURES)]
_LEAST_MEASURED = [AT["least"].start + n for n, at in enumerate(LINK_CORE_AT) if at < len(MEASURES)]
_LEAST_FLAGGED = [AT["least"].start + n for n, at in enumerate(LINK_CORE_AT) if at >= len(MEASURES)]
_WORDS, _DATED = CORE.index("words"), CORE.index("record_dated")
_LONG = np.log1p(4)
"""Words of a text, as a logarithm, above which it is long."""


@dataclass(slots=True)
class Targets:
    """Targets of one page. ``of`` gives the target of each link, -1 for links that lead to no page of the web;
    ``matrix`` is targets x ``FEATURES``; ``groups`` their groups by each of ``GROUPINGS`` (None without targets);
    ``facts`` of each target's URL; ``first`` the link that stands for it.
    """

    of: Ids
    matrix: Matrix
    groups: Groups | None
    facts: list[UrlFacts]
    first: Ids


def target_features(page: PageFacts) -> Targets:
    """Targets of a page's links and their features."""
    of, facts = targets_of(page)
    if not facts:
        return Targets(of, np.zeros((0, len(FEATURES)), np.float32), None, [], np.zeros(0, np.int64))
    rows = np.flatnonzero(of >= 0)
    rows = rows[np.lexsort((-page.column("words")[rows], of[rows]))]
    starts = starts_of(of[rows])
    matrix = np.empty((len(facts), len(FEATURES)), np.float32)
    _fill_link_features(matrix, page, rows, starts)
    matrix[:, AT["url"]] = np.frombuffer(b"".join([f.values for f in facts]), np.float32).reshape(len(facts), -1)
    matrix[:, AT["relation"]] = relation_values(url_facts(page.url), facts)
    matrix[:, AT["says"]] = matrix[:, AT["says_more"]] = (matrix[:, SAYS_AT] >= 1.0) @ SAYS_OF
    matrix[:, AT["links_to"]] = np.log1p(np.bincount(of[rows]).astype(np.float32))[:, None]
    core = matrix[:, CORE_AT]
    matrix[:, AT["page"]] = _context(page, core)
    groups = _groups(page, of, rows, (starts, facts))
    matrix[:, AT["grouped"]] = _grouped(core, groups)
    relative = matrix[:, RELATIVE_AT]
    matrix[:, RELATIVE_AT] = relative - np.add.reduce(relative) / len(relative)
    _fill_contrasts(matrix)
    return Targets(of, matrix, groups, facts, rows[starts])


def _fill_link_features(matrix: Matrix, page: PageFacts, rows: Ids, starts: Ids) -> None:
    """The greatest and least of each target's links, which begin at ``starts`` of ``rows``."""
    measures = link_measures(page)[rows]
    masks = np.stack([page.column(name)[rows] for name in _MASKS], axis=1)
    matrix[:, AT["measures"]] = np.maximum.reduceat(measures, starts, axis=0)
    matrix[:, AT["bits"]] = _bits(np.bitwise_or.reduceat(masks, starts, axis=0))
    matrix[:, _LEAST_MEASURED] = np.minimum.reduceat(measures[:, _MEASURED], starts, axis=0)
    matrix[:, _LEAST_FLAGGED] = _bits(np.bitwise_and.reduceat(masks, starts, axis=0))[:, _FLAGGED]


def _bits(masks: Ids) -> np.ndarray:
    """Bits of the columns of ``_MASKS``, a column for every name."""
    octets = np.ascontiguousarray(masks, "<i8").view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little")[:, _BITS_AT]


def _groups(page: PageFacts, of: Ids, rows: Ids, targets: tuple[Ids, list[UrlFacts]]) -> Groups:
    """Groups of a target: its lists, links of its path and regions, URLs of its pattern, URLs of its shape."""
    starts, facts = targets
    members, alone = of[rows], np.arange(len(facts))
    lists = page.column("record_list")[rows].tolist()
    styles = (page.column("path")[rows] * 2**33 ^ page.column("mask")[rows]).tolist()
    patterns, shapes = [f.pattern for f in facts], [(f.domain, f.shape) for f in facts]
    return build_groups([(members, lists), (members, styles), (alone, patterns), (alone, shapes)], starts)


def _grouped(core: Matrix, groups: Groups) -> Matrix:
    """Size of each target's groups, their portions of the page, means of the core features, spread of the text lengths."""
    means = groups.means(np.hstack([core, core[:, :1] ** 2]))
    spread = np.sqrt(np.maximum(0, means[:, -1] - means[:, 0] ** 2))
    stats = np.empty((len(means), means.shape[1] + 2), np.float32)
    stats[:, 0], stats[:, 1], stats[:, 2:-1], stats[:, -1] = (
        np.log1p(groups.sizes),
        groups.portions,
        means[:, :-1],
        spread,
    )
    return stats[groups.own].reshape(len(core), -1)


def _fill_contrasts(matrix: Matrix) -> None:
    """Products of a URL's habits, relative to the page, with what else tells a folder of pages from one page."""
    html, directory, digits, family = matrix[:, CONTRASTED_AT].T
    words, dated = matrix[:, MEASURES.index("words")], matrix[:, AT["page"].stop - 1]
    mixed = np.add.reduce(np.abs(html)) / len(html)
    contrasts = matrix[:, AT["contrasts"]].T
    contrasts[0], contrasts[1], contrasts[2] = html * dated, directory * mixed, digits * mixed
    contrasts[3], contrasts[4], contrasts[5] = (
        directory * words,
        (directory > 0) * family,
        np.minimum(0, digits) * words,
    )


def _context(page: PageFacts, core: Matrix) -> list[float]:
    """What the page is like, the same for every target."""
    means = np.add.reduce(core) / len(core)
    long = np.count_nonzero(core[:, _WORDS] > _LONG) / len(core)
    return [np.log1p(len(core)), means[_WORDS], long, url_facts(page.url).depth, means[_DATED]]
