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
    MEASURES,
    RELATIVE_AT,
    SAYS_AT,
    SAYS_OF,
)
from sitecrawl.links.facts import C, PageFacts
from sitecrawl.links.groups import Groups, Ids, Matrix, build_groups, starts_of
from sitecrawl.links.measures import link_measures
from sitecrawl.links.regions import REGIONS
from sitecrawl.links.relations import relation_values
from sitecrawl.links.targets import targets_of
from sitecrawl.links.texts import TEXT_FLAGS
from sitecrawl.links.urls import UrlFacts, url_facts

_FLAGS = len(TEXT_FLAGS)
_WIDE = 32
"""Bits that each of two masks takes in one number; text flags and attributes share the first."""
_BITS_AT = np.array(
    [*range(_FLAGS + len(ATTRIBUTES)), *(64 + _WIDE * half + bit for half in (0, 1) for bit in range(len(REGIONS)))]
)
"""Where the features that are bits lie in the two numbers of a target."""
_WORDS = CORE.index("words")
_LONG = np.log1p(4)
"""Words of a text, as a logarithm, above which it is long."""
_WORDS_AT, _HTML_AT = MEASURES.index("words"), FEATURES.index("html")
_STYLE = 2**33


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
    members = of[rows]
    starts, table = starts_of(members), page.table.T[:, rows]
    matrix = np.empty((len(facts), len(FEATURES)), np.float32)
    matrix[:, AT["measures"]] = np.maximum.reduceat(link_measures(page, table), starts, axis=1).T
    matrix[:, AT["bits"]] = _bits(table, starts)
    matrix[:, AT["url"]] = np.frombuffer(b"".join([f.values for f in facts]), np.float32).reshape(len(facts), -1)
    own = url_facts(page.url)
    matrix[:, AT["relation"]] = relation_values(own, facts)
    matrix[:, AT["says"]] = matrix[:, AT["says_more"]] = (matrix.take(SAYS_AT, axis=1) >= 1.0) @ SAYS_OF > 0
    matrix[:, AT["links_to"].start] = np.log1p(np.bincount(members))
    core = matrix.take(CORE_AT, axis=1)
    matrix[:, AT["page"]] = _context(own, core)
    groups = _groups(table, members, starts, facts)
    matrix[:, AT["grouped"]] = _grouped(core, groups)
    relative = matrix.take(RELATIVE_AT, axis=1)
    matrix[:, RELATIVE_AT] = relative - np.add.reduce(relative) / len(relative)
    _fill_contrasts(matrix)
    return Targets(of, matrix, groups, facts, rows[starts])


def _bits(table: Ids, starts: Ids) -> np.ndarray:
    """The bits that any of a target's links has, targets x names; ``table`` is ``COLUMNS`` x links."""
    masks = np.empty((2, table.shape[1]), "<i8")
    masks[0] = table[C["text_flags"]] | table[C["attributes"]] << _FLAGS
    masks[1] = table[C["mask"]] | table[C["near"]] << _WIDE
    octets = np.bitwise_or.reduceat(masks, starts, axis=1).T.copy().view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little").take(_BITS_AT, axis=1)


def _groups(table: Ids, members: Ids, starts: Ids, facts: list[UrlFacts]) -> Groups:
    """Groups of a target: links of its path and regions, URLs of its pattern."""
    styles = (table[C["path"]] * _STYLE ^ table[C["mask"]]).tolist()
    return build_groups([(members, styles), (np.arange(len(facts)), [f.pattern for f in facts])], starts)


def _grouped(core: Matrix, groups: Groups) -> Matrix:
    """Size of each target's groups, their portions of the page, means of the core features, spread of the text lengths."""
    wide = np.empty((len(core), core.shape[1] + 1), np.float32)
    wide[:, :-1] = core
    np.square(core[:, _WORDS], out=wide[:, -1])
    stats = np.empty((len(groups.sizes), wide.shape[1] + 2), np.float32)
    stats[:, 0], stats[:, 1], stats[:, 2:] = np.log1p(groups.sizes), groups.portions, groups.means(wide)
    stats[:, -1] -= stats[:, 2 + _WORDS] ** 2
    np.sqrt(np.maximum(0, stats[:, -1]), out=stats[:, -1])
    return stats.take(groups.own.ravel(), axis=0).reshape(len(core), -1)


def _fill_contrasts(matrix: Matrix) -> None:
    """Products of a URL's habits, relative to the page, with what else tells a folder of pages from one page."""
    directory, digits, family = matrix.T[CONTRASTED_AT]
    words, contrasts = matrix[:, _WORDS_AT], matrix[:, AT["contrasts"]]
    mixed = np.add.reduce(np.abs(matrix[:, _HTML_AT])) / len(matrix)
    contrasts[:, 0], contrasts[:, 1], contrasts[:, 2] = directory * mixed, digits * mixed, directory * words
    contrasts[:, 3], contrasts[:, 4] = (directory > 0) * family, np.minimum(0, digits) * words


def _context(own: UrlFacts, core: Matrix) -> list[float]:
    """What the page is like, the same for every target."""
    means = np.add.reduce(core) / len(core)
    long = np.count_nonzero(core[:, _WORDS] > _LONG) / len(core)
    return [np.log1p(len(core)), means[_WORDS], long, own.depth]
