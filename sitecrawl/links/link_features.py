"""Features of the targets of a page: facts in, a matrix out. One row a target, since links to one URL share a label.

Targets are the links of a page by the page that they lead to.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate, compress
from operator import attrgetter
from typing import Any

import numpy as np

from sitecrawl.dom.products import product
from sitecrawl.links.anchors import ATTRIBUTES, TEXT_FLAGS
from sitecrawl.links.facts import C, PageFacts
from sitecrawl.links.groups import Groups, Ids, Matrix, build_groups, starts_of
from sitecrawl.links.regions import REGIONS
from sitecrawl.links.url_facts import URL_FEATURES, UrlFacts, host_and_domain, url_facts
from sitecrawl.urls.pattern import split_url

_ZEROS = re.compile(r"/0(?=\d+/)")
"""Leading zeros in paths: some sites write a date both as 2009/9/1 and as 2009/09/01."""
RELATION_FEATURES = (
    *("same_host", "same_domain", "child", "depth_more", "same_pattern", "same_shape", "same_folder"),
    *("self", "family", "family_share"),
)
_SELF, _FAMILY, _SHARE = map(RELATION_FEATURES.index, ("self", "family", "family_share"))
_DEEPEST = 32
"""Levels of a path that are compared; a path with more of them is a trap."""
_KIND = attrgetter("above", "pattern")
"""Key of targets with the same relation to the page."""


def targets_of(page: PageFacts) -> tuple[Ids, list[UrlFacts]]:
    """Target of each link (-1: none) and the facts of the targets' URLs.

    These are no targets, and so never articles or sections: fragments of this page, schemes other than http(s), other sites,
    files and feeds, profile pages of persons, and queries that perform an action.
    """
    own = url_facts(page.url)
    origins = f"http://{own.host}/", f"https://{own.host}/"
    named = list(map(_names_page, page.hrefs))
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


def _names_page(href: str) -> bool:
    """Whether a reference may name another page: it is neither empty nor a fragment of its own."""
    return href[:1] != "#" and href.strip() != ""


def _is_of_site(url: str, domain: str) -> bool:
    """Whether a URL is http(s) and belongs to ``domain``; an empty domain matches any."""
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
    """Number of targets below each target that has any; at most ``_DEEPEST`` levels of a path are compared."""
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


@dataclass(frozen=True, slots=True)
class LinkTable:
    """The links of a page that lead to targets: ``table`` is facts x links, sorted by target."""

    page: PageFacts
    table: Ids

    def __getitem__(self, name: str) -> Ids:
        values: Ids = self.table[C[name]]
        return values


Values = np.ndarray[Any, Any]
Measure = Callable[[LinkTable], Values]


def _fact(name: str) -> Measure:
    """A fact as it stands."""
    return lambda link: link[name]


def _rest(name: str) -> Measure:
    """Text around a link within its container, without the link's own."""
    return lambda link: np.maximum(0, link[name] - link["size"])


def _share(name: str) -> Measure:
    """Share of the link's own text in the text of its container."""
    return lambda link: link["size"] / np.maximum(1, link[name])


LOGGED: dict[str, Measure] = {
    **{name: _fact(name) for name in ("words", "size", "record_size", "record_links", "ordinal", "list_size", "depth")},
    "record_rest": _rest("record_size"),
    "parent_rest": _rest("parent_size"),
    "path_count": lambda link: np.bincount(link.page.column("path"))[link["path"]],
    "best_words": lambda link: np.maximum(link["words"], link["other_words"]),
}
"""Measures of a link that are used as logarithms, each computed from its facts."""
PLAIN: dict[str, Measure] = {
    "pictured": lambda link: link["images"] > 0,
    "empty": lambda link: link["words"] == 0,
    "record_share": _share("record_size"),
    "parent_share": _share("parent_size"),
    "offset": lambda link: link["offset"] * (1.0 / max(1, link.page.total)),
    "listed": _fact("listed"),
}
"""The other measures."""
MEASURES = LOGGED | PLAIN
"""Measures by name; a target has the greatest of its links."""
LINK_FEATURES = (
    *MEASURES,
    *TEXT_FLAGS,
    *ATTRIBUTES,
    *(f"in_{name}" for name in REGIONS),
    *(f"near_{name}" for name in REGIONS),
)
CORE = (
    *("words", "best_words", "pictured", "empty", "record_rest", "record_links", "parent_rest"),
    *("t_number", "t_capital", "near_heading"),
)
"""Link features whose mean over a group shows what kind of list it is."""
CORE_URL = ("slug_words", "id_digits", "date", "depth", "file", "same_host", "child", "family")
GROUPINGS = ("style", "pattern")
SAYS = {
    "says_other": "t_fixed rel_author last_u_fixed dir_u_fixed last_u_author dir_u_author last_u_attachment",
    "says_section": "t_next t_prev t_home t_listing rel_next rel_tag rel_category page_number query_page date_end root "
    "last_u_section dir_u_section",
}
"""Words and marks that each are rare, together: one feature of many sites instead of many features of few."""
RELATIVE = (
    *("depth", "slug_words", "id_digits", "html", "script", "directory", "index", "first_depth_date"),
    *("says_other_more", "says_section_more"),
)
"""Features that reflect a site's habits more than its articles; they are used as differences from the page's mean."""
CONTRASTS: dict[str, Callable[[dict[str, Values]], Values]] = {
    "directory_mixed": lambda x: x["directory"] * np.abs(x["html"]).mean(),
    "digits_mixed": lambda x: x["id_digits"] * np.abs(x["html"]).mean(),
    "directory_words": lambda x: x["directory"] * x["words"],
    "directory_family": lambda x: (x["directory"] > 0) * x["family"],
    "unnumbered_words": lambda x: np.minimum(0, x["id_digits"]) * x["words"],
}
"""Products of two features that tell folders from the numbered files beside them, whatever a site's habits are."""
_CONTRASTED = ("directory", "html", "id_digits", "family", "words")
_BLOCKS: dict[str, tuple[str, ...]] = {
    "measures": tuple(MEASURES),
    "bits": LINK_FEATURES[len(MEASURES) :],
    "url": URL_FEATURES,
    "relation": RELATION_FEATURES,
    "says": tuple(SAYS),
    "says_more": tuple(f"{name}_more" for name in SAYS),
    "links_to": ("links_to",),
    "page": ("page_targets", "page_words", "page_long", "page_depth"),
    "grouped": tuple(
        f"{group}_{name}" for group in GROUPINGS for name in ("count", "portion", *CORE, *CORE_URL, "words_spread")
    ),
    "contrasts": tuple(CONTRASTS),
}
FEATURES = tuple(name for names in _BLOCKS.values() for name in names)
"""Names of the columns of :func:`target_features`."""
_ENDS = list(accumulate(map(len, _BLOCKS.values())))
AT = {name: slice(end - len(_BLOCKS[name]), end) for name, end in zip(_BLOCKS, _ENDS, strict=True)}
"""Where the blocks of a row lie."""


def column_of(name: str) -> int:
    """Column of a feature; of two of one name (depth), that of the URL."""
    return len(FEATURES) - 1 - FEATURES[::-1].index(name)


_CORE_AT = np.array([FEATURES.index(name) for name in CORE] + [column_of(name) for name in CORE_URL])
_RELATIVE_AT = np.array([column_of(name) for name in RELATIVE])
_CONTRASTED_AT = [column_of(name) for name in _CONTRASTED]
_SAYS_AT = np.array([FEATURES.index(name) for names in SAYS.values() for name in names.split()])
_SAYS_OF = np.array(
    [[name in names.split() for names in SAYS.values()] for name in " ".join(SAYS.values()).split()], np.float32
)
"""Which kind each of the columns ``_SAYS_AT`` speaks of, columns x kinds."""
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
_STYLE = 2**33
"""Greater than any mask of regions: path and mask as one number."""


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
    matrix[:, AT["measures"]] = np.maximum.reduceat(_measures(LinkTable(page, table)), starts, axis=1).T
    matrix[:, AT["bits"]] = _bits(table, starts)
    matrix[:, AT["url"]] = np.frombuffer(b"".join([f.values for f in facts]), np.float32).reshape(len(facts), -1)
    own = url_facts(page.url)
    matrix[:, AT["relation"]] = relation_values(own, facts)
    matrix[:, AT["says"]] = matrix[:, AT["says_more"]] = product(matrix.take(_SAYS_AT, axis=1) >= 1.0, _SAYS_OF) > 0
    matrix[:, AT["links_to"].start] = np.log1p(np.bincount(members))
    core = matrix.take(_CORE_AT, axis=1)
    matrix[:, AT["page"]] = _context(own, core)
    groups = _groups(table, members, starts, facts)
    matrix[:, AT["grouped"]] = _grouped(core, groups)
    relative = matrix.take(_RELATIVE_AT, axis=1)
    matrix[:, _RELATIVE_AT] = relative - np.add.reduce(relative) / len(relative)
    contrasted = dict(zip(_CONTRASTED, matrix.T[_CONTRASTED_AT], strict=True))
    for at, contrast in enumerate(CONTRASTS.values(), AT["contrasts"].start):
        matrix[:, at] = contrast(contrasted)
    return Targets(of, matrix, groups, facts, rows[starts])


def _measures(links: LinkTable) -> Matrix:
    """Measures x links."""
    found = np.empty((len(MEASURES), links.table.shape[1]), np.float32)
    for row, measure in zip(found, MEASURES.values(), strict=True):
        row[:] = measure(links)
    np.log1p(found[: len(LOGGED)], out=found[: len(LOGGED)])
    return found


def _bits(table: Ids, starts: Ids) -> Values:
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


def _context(own: UrlFacts, core: Matrix) -> list[float]:
    """Features of the page, equal for all targets."""
    means = np.add.reduce(core) / len(core)
    long = np.count_nonzero(core[:, _WORDS] > _LONG) / len(core)
    return [np.log1p(len(core)), means[_WORDS], long, own.depth]
