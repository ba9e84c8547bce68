"""Features of the targets of a page as a matrix, one row per target: a page that links lead to. All
links to it share a label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import accumulate, compress, repeat
from typing import Any

import numpy as np

from sitecrawl.dom.products import product
from sitecrawl.links.anchors import ATTRIBUTES, TEXT_FLAGS
from sitecrawl.links.facts import COLUMN, COLUMNS, PageFacts
from sitecrawl.links.groups import Groups, Ids, Matrix, build_groups, path_similarities
from sitecrawl.links.regions import REGIONS
from sitecrawl.links.url_facts import URL_FEATURES, UrlFacts, host_and_domain, url_facts
from sitecrawl.urls.pattern import split_url

RELATION_FEATURES = (
    "same_host",
    "child",
    "same_pattern",
    "same_shape",
    "same_folder",
    "self",
    "family",
)


_MOST_LEVELS = 32  # of a path that is compared; a deeper one is a trap


def targets_of(page: PageFacts) -> tuple[Ids, list[UrlFacts]]:
    """Target of each link (-1: none) and the facts of the targets' URLs. Links with these URLs have
    no target, so they are never articles or sections: fragments of this page, schemes other than
    http(s), other sites, and URLs whose ``leads`` is false (files, feeds, profiles of persons,
    queries that perform an action)."""
    stripped = map(str.strip, page.hrefs)
    leads_on = [
        href[:1] != "#" and bare != "" for href, bare in zip(page.hrefs, stripped, strict=True)
    ]
    urls = _own_urls(page.url, dict.fromkeys(compress(page.urls, leads_on)))
    facts_of = {
        url: facts for url, facts in zip(urls, url_facts.each(urls), strict=True) if facts.leads
    }
    targets: dict[str, UrlFacts] = {}
    for facts in facts_of.values():
        if facts.key not in targets:
            targets[facts.key] = facts
    number_of_key = {key: number for number, key in enumerate(targets)}
    number_of_url = {url: number_of_key[facts.key] for url, facts in facts_of.items()}
    target_of = [
        number_of_url[url] if leads and url in number_of_url else -1
        for url, leads in zip(page.urls, leads_on, strict=True)
    ]
    return np.array(target_of, np.int64), list(targets.values())


def _own_urls(page: str, urls: Iterable[str]) -> list[str]:
    """Those of some URLs that are of the page's site. Links of a page without a domain may lead
    anywhere."""
    own = url_facts(page)
    origins = tuple(
        f"{scheme}://{www}{own.host}/" for scheme in ("http", "https") for www in ("", "www.")
    )

    def is_own(url: str) -> bool:
        is_of_web = url.startswith("http")
        return is_of_web and own.domain in ("", host_and_domain(split_url(url)[0])[1])

    urls = list(urls)
    begins_own = map(str.startswith, urls, repeat(origins))
    return [url for url, begins in zip(urls, begins_own, strict=True) if begins or is_own(url)]


def relation_values(page: UrlFacts, targets: list[UrlFacts]) -> Matrix:
    """How each target relates to the page, targets x ``RELATION_FEATURES``. A target's family is
    the number of other targets below its path, as a logarithm: a section is a parent of its
    articles."""
    # targets of one pattern and folder, which a long list has many of, are compared once
    kinds = [(target.above, target.pattern) for target in targets]
    rows: dict[tuple[str, str], tuple[bool, ...]] = {}
    folder, shape = page.folder, page.shape
    is_folder = len(folder) > len(page.host) + 1
    for (above, pattern), target in dict(zip(kinds, targets, strict=True)).items():
        is_inside = above.startswith(folder)
        has_same_host = target.host == page.host
        has_same_shape = has_same_host and target.shape == shape
        rows[above, pattern] = (
            has_same_host,
            is_inside and is_folder,
            pattern == page.pattern,
            has_same_shape,
            is_inside,
        )
    below = _numbers_below(targets)
    found = np.empty((len(targets), len(RELATION_FEATURES)), np.float32)
    found[:, :-2] = np.array([rows[kind] for kind in kinds])
    found[:, -2] = [target.key == page.key for target in targets]
    found[:, -1] = np.log1p([below[target.home] for target in targets], dtype=np.float64)
    return found


def _numbers_below(targets: list[UrlFacts]) -> dict[str, int]:
    """The number of targets below the home of each."""
    found = dict.fromkeys([target.home for target in targets], 0)
    for (folder, host), count in Counter([(one.above, one.host) for one in targets]).items():
        if folder.count("/") > _MOST_LEVELS:
            continue
        shortest = len(host) + 1
        while len(folder) > shortest:
            if folder in found:
                found[folder] += count
            folder = folder[: folder.rfind("/", 0, -1) + 1]
    return found


Values = np.ndarray[Any, Any]


def _logged(link: dict[str, Ids]) -> dict[str, Values]:
    """Measures of links that are used as logarithms, from facts x links."""
    plain = ("words", "size", "record_size", "record_links", "ordinal", "list_size", "depth")
    return {
        **{name: link[name] for name in plain},
        "record_rest": np.maximum(0, link["record_size"] - link["size"]),
        "best_words": np.maximum(link["words"], link["other_words"]),
        "title_words": link["title_words"],
    }


def _plain(link: dict[str, Ids], page: PageFacts) -> dict[str, Values]:
    """The other measures. ``similarity`` is that of the tag path to the page's most frequent one
    (Peng and Xie 2017)."""
    return {
        "pictured": link["images"] > 0,
        "empty": link["words"] == 0,
        "record_share": link["size"] / np.maximum(1, link["record_size"]),
        "parent_share": link["size"] / np.maximum(1, link["parent_size"]),
        "offset": link["offset"] * (1.0 / max(1, page.total)),
        "similarity": path_similarities(page.paths, page.column("path"))[link["path"]],
    }


_NO_LINKS = dict.fromkeys(COLUMNS, np.zeros(0, np.int64))
MEASURES = (
    *_logged(_NO_LINKS),
    *_plain(_NO_LINKS, PageFacts("")),
)  # a target has the greatest of its links
_BITS = (
    *TEXT_FLAGS,
    *ATTRIBUTES,
    *(f"{place}_{name}" for place in ("in", "near") for name in REGIONS),
)
CORE = tuple(
    "words best_words pictured empty record_rest record_links t_number t_capital near_heading".split()
)
"""Link features whose mean over a group shows what kind of list it is."""
CORE_URL = (
    "slug_words",
    "id_digits",
    "date",
    "depth",
    "same_host",
    "child",
    "family",
)  # also averaged over each group
GROUPINGS = (
    "style",
    "pattern",
)  # links with the same tag path and style; URLs with the same pattern
POOLED = {
    "says_other": "t_fixed rel_author last_u_fixed dir_u_fixed last_u_author dir_u_author last_u_attachment",
    "says_section": "t_next t_prev t_home t_listing rel_next rel_tag rel_category page_number query_page date_end root "
    "last_u_section dir_u_section",
}
"""Rare words and attributes, pooled by what they indicate: one feature of many sites instead of
many features of few."""
RELATIVE = tuple(
    "depth slug_words id_digits html script directory index first_depth_date says_other_more says_section_more".split()
)
"""Features that reflect a site's habits more than its articles; they are used as differences from
the page's mean."""
CONTRASTS: dict[str, Callable[[dict[str, Values]], Values]] = {
    "directory_mixed": lambda x: x["directory"] * np.abs(x["html"]).mean(),
    "digits_mixed": lambda x: x["id_digits"] * np.abs(x["html"]).mean(),
    "directory_words": lambda x: x["directory"] * x["words"],
    "directory_family": lambda x: (x["directory"] > 0) * x["family"],
    "unnumbered_words": lambda x: np.minimum(0, x["id_digits"]) * x["words"],
}
"""Products of two features that distinguish folders from the numbered files beside them, on sites
with and without file extensions."""
_CONTRASTED = ("directory", "html", "id_digits", "family", "words")  # inputs of the products above
_BLOCKS: dict[str, tuple[str, ...]] = {
    "measures": MEASURES,
    "bits": _BITS,
    "url": URL_FEATURES,
    "relation": RELATION_FEATURES,
    "says": tuple(POOLED),
    "says_more": tuple(f"{name}_more" for name in POOLED),
    "page": ("links_to", "page_depth"),
    "grouped": tuple(
        f"{group}_{name}"
        for group in GROUPINGS
        for name in ("count", "portion", *CORE, *CORE_URL, "words_spread")
    ),
    "contrasts": tuple(CONTRASTS),
}
_MINOR_REGIONS = "skip toc language share comment crumb more dl form inline user title pic".split()
_NOT_LEARNED = {
    *"t_symbol rel_author file".split(),
    *(
        f"{place}_u_{kind}"
        for place in ("last", "dir")
        for kind in "feed media product comment attachment".split()
    ),
    *(f"{place}_{region}" for place in ("in", "near") for region in _MINOR_REGIONS),
}
"""Columns that the model does not see. Together they cost .001 to .002 F1 on held-out sites, and
some never vary (no target is a file). They are computed since ``POOLED`` pools some of them and
they come with the others at no cost."""
_COMPUTED = tuple(name for names in _BLOCKS.values() for name in names)
FEATURES = tuple(
    name for name in _COMPUTED if name not in _NOT_LEARNED
)  # names of the columns of `Targets.matrix`
_LEARNED_AT = np.array([at for at, name in enumerate(_COMPUTED) if name not in _NOT_LEARNED])
_ENDS = list(accumulate(map(len, _BLOCKS.values())))
_AT = {name: slice(end - len(_BLOCKS[name]), end) for name, end in zip(_BLOCKS, _ENDS, strict=True)}
"""Positions of the blocks in a computed row."""


def column_of(name: str, names: tuple[str, ...] = FEATURES) -> int:
    """Column of a feature. Two features are called depth, of the element and of the URL: the answer
    is that of the URL."""
    return len(names) - 1 - names[::-1].index(name)


_CORE_AT = np.array(
    [_COMPUTED.index(name) for name in CORE] + [column_of(name, _COMPUTED) for name in CORE_URL]
)
_RELATIVE_AT = np.array([column_of(name, _COMPUTED) for name in RELATIVE])
_CONTRASTED_AT = [column_of(name, _COMPUTED) for name in _CONTRASTED]
_POOLED_AT = np.array(
    [_COMPUTED.index(name) for names in POOLED.values() for name in names.split()]
)
_POOL_OF = np.array(
    [
        [name in names.split() for names in POOLED.values()]
        for name in " ".join(POOLED.values()).split()
    ],
    np.float32,
)
"""Which of ``POOLED`` each of the columns ``_POOLED_AT`` belongs to, columns x kinds."""
_FLAGS = len(TEXT_FLAGS)
_HALF = 32  # bits of each of two masks in a 64-bit number; so do text flags and attributes
_BITS_AT = np.array(
    [
        *range(_FLAGS + len(ATTRIBUTES)),
        *(64 + _HALF * half + bit for half in (0, 1) for bit in range(len(REGIONS))),
    ]
)
"""Where the features that are bits lie in the two numbers of a target."""


@dataclass(slots=True)
class Targets:
    """Targets of one page. ``of_link`` is the target of each link, -1 for links that lead to no
    page of the web. ``matrix`` is targets x ``FEATURES``.
    ``groups`` are the targets' groups by each of ``GROUPINGS``, None without targets. ``facts`` are
    the facts of each target's URL. ``first`` is the
    link with most words to each target."""

    of_link: Ids
    matrix: Matrix
    groups: Groups | None
    facts: list[UrlFacts]
    first: Ids


def target_features(page: PageFacts) -> Targets:
    """Targets of a page's links and their features."""
    target_of, facts = targets_of(page)
    if not facts:
        return Targets(
            target_of, np.zeros((0, len(FEATURES)), np.float32), None, [], np.zeros(0, np.int64)
        )
    rows = np.flatnonzero(target_of >= 0)
    rows = rows[np.lexsort((-page.column("words")[rows], target_of[rows]))]
    members = target_of[rows]
    sizes, table = np.bincount(members), page.table.T.take(rows, axis=1)
    starts = sizes.cumsum() - sizes
    own = url_facts(page.url)
    matrix = np.empty((len(facts), len(_COMPUTED)), np.float32)
    matrix[:, _AT["measures"]] = np.maximum.reduceat(_measures(page, table), starts, axis=1).T
    matrix[:, _AT["bits"]] = _bits(table, starts)
    matrix[:, _AT["url"]] = np.frombuffer(
        b"".join([url.packed for url in facts]), np.float32
    ).reshape(len(facts), -1)
    matrix[:, _AT["relation"]] = relation_values(own, facts)
    matrix[:, _AT["says"]] = matrix[:, _AT["says_more"]] = (
        product(matrix.take(_POOLED_AT, axis=1) >= 1.0, _POOL_OF) > 0
    )
    links_to, page_depth = range(_AT["page"].start, _AT["page"].stop)
    matrix[:, links_to], matrix[:, page_depth] = (
        np.log1p(sizes),
        own.values[URL_FEATURES.index("depth")],
    )
    # links of one tag path within the same regions have one style
    styles = (table[COLUMN["path"]] << _HALF ^ table[COLUMN["mask"]]).tolist()
    groups = build_groups(
        [(members, styles), (np.arange(len(facts)), [url.pattern for url in facts])], starts
    )
    matrix[:, _AT["grouped"]] = _grouped(matrix.take(_CORE_AT, axis=1), groups)
    relative = matrix.take(_RELATIVE_AT, axis=1)
    matrix[:, _RELATIVE_AT] = relative - np.add.reduce(relative) / len(relative)
    contrasted = dict(zip(_CONTRASTED, matrix.T[_CONTRASTED_AT], strict=True))
    for at, contrast in enumerate(CONTRASTS.values(), _AT["contrasts"].start):
        matrix[:, at] = contrast(contrasted)
    return Targets(target_of, matrix.take(_LEARNED_AT, axis=1), groups, facts, rows[starts])


def _measures(page: PageFacts, table: Ids) -> Matrix:
    """Measures x links; ``table`` is ``COLUMNS`` x links."""
    link = dict(zip(COLUMNS, table, strict=True))
    logged = _logged(link)
    found = np.empty((len(MEASURES), table.shape[1]), np.float32)
    for row, values in zip(found, (*logged.values(), *_plain(link, page).values()), strict=True):
        row[:] = values
    logarithms = found[: len(logged)]
    logarithms[:] = np.log1p(
        logarithms, dtype=np.float64
    )  # in single precision the last bit depends on the processor
    return found


def _bits(table: Ids, starts: Ids) -> Values:
    """The bits that at least one of a target's links has, targets x names; ``table`` is ``COLUMNS``
    x links."""
    masks = np.empty((2, table.shape[1]), "<i8")
    masks[0] = table[COLUMN["text_flags"]] | table[COLUMN["attributes"]] << _FLAGS
    masks[1] = table[COLUMN["mask"]] | table[COLUMN["near"]] << _HALF
    octets = np.bitwise_or.reduceat(masks, starts, axis=1).T.copy().view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little").take(_BITS_AT, axis=1)


def _grouped(core: Matrix, groups: Groups) -> Matrix:
    """For each target's groups: size as a logarithm, share of the page, means of the core features,
    spread of the text lengths."""
    words = CORE.index("words")
    stats = np.empty((len(groups.sizes), core.shape[1] + 3), np.float32)
    means = groups.means(np.hstack([core, np.square(core[:, words : words + 1])]))
    stats[:, 0], stats[:, 1], stats[:, 2:] = (
        np.log1p(groups.sizes, dtype=np.float64),
        groups.portions,
        means,
    )
    # standard deviation = root of (mean of squares - square of the mean), which rounding may push
    # below zero
    stats[:, -1] = np.sqrt(np.maximum(0, means[:, -1] - means[:, words] ** 2))
    return stats.take(groups.own.ravel(), axis=0).reshape(len(core), -1)
