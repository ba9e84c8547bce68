"""Candidates for an article's headline (headings, short blocks above the prose, metadata) and their
features. A network chooses among them (``headline.py``). No single source is reliable: on many
sites the ``<title>`` names only the section or the site, and the headline is in a table cell."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import log1p
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import numpy as np
from lxml import etree

from sitecrawl.dom.blocks import BITS, HIDDEN, ZONE, Flags, Floats, Ints
from sitecrawl.dom.class_names import names_one_of, words_of
from sitecrawl.dom.document import Document
from sitecrawl.dom.linked_data import linked_text
from sitecrawl.dom.page import Page
from sitecrawl.dom.tree import HEADINGS
from sitecrawl.extract.features import Singles
from sitecrawl.limits import cached
from sitecrawl.resources import table_beside
from sitecrawl.text.chars import CJK, fold, word_count
from sitecrawl.text.dates import shows_date
from sitecrawl.text.names import SEPARATOR, squeeze

_LONGEST = 300  # characters of the longest headline; the longest of the open sites has 226
# most runs of text (separated by links, spans, line breaks) in an element that can be a headline
_RUNS = 12
_is_named = names_one_of(
    words_of(
        "titles",
        "titles below titles",
        "titles in short",
        "titles without a region",
        "titles in other languages",
    )
)
# what may be a headline around the beginning of the prose, in blocks and words
_ABOVE, _BELOW = 20, 6
_WORDS = 60  # of a block
_SENTENCE = 10  # of a block that ends in a full stop
_MOST = 60  # elements nearest to the prose that are candidates
_DATE_BLOCKS = 3  # blocks below a headline in which its date may stand
_NO_LETTERS = re.compile(r"[\W_]+")
_DIGIT = re.compile(r"\d")
# Chinese titles have no blank around the separator between headline and site.
_CLOSE = re.compile(f"(?<=[{CJK}])[-\u2013_](?=[{CJK}])")
_INDEX = re.compile(r"/(?:index|default|home)\.[a-z]{3,5}$")
# How a URL of a folder or a host ends. Most links differ in it, so they need not be joined with the
# page's URL.
_FOLDER = re.compile(r"(?:^|/|\.|//[^/]+|\b(?:index|default|home)\.[a-z]{3,5})$")
_ENDS = tuple(".。!！;；,，:：")
_TAG_NAMES = {
    "h1": "h1",
    "h2": "h2",
    "h3": "h3 or h4",
    "h4": "h3 or h4",
    "td": "td",
    "th": "td",
    "p": "p",
}
_REGIONS = np.array(
    [
        BITS["nav"] | ZONE["nav"], BITS["side"] | ZONE["aside"], BITS["foot"] | ZONE["footer"], BITS["comment"], BITS["head"],
        BITS["share"], BITS["meta"], HIDDEN, ZONE["header"], ZONE["article"] | ZONE["main"], BITS["content"], BITS["summary"],
    ],
    np.int64,
)  # fmt: skip
_GROUPS: dict[str, list[str]] = table_beside(__file__)
NAMES = tuple(chain.from_iterable(_GROUPS.values()))
"""Features of a candidate, in order; those of the page are the same for all of its candidates."""
SOURCES = tuple(name.removeprefix("from ") for name in _GROUPS["source"])
"""Where a candidate of the metadata comes from."""


@dataclass(frozen=True, slots=True)
class HeadlineCandidate:
    """A text that can be the headline, its letters and digits as ``short``, its source, and the
    number of its element or -1. ``block`` is the number of the block that contains it, or -1."""

    text: str
    short: str
    source: str
    element: int = -1
    block: int = -1


@dataclass(frozen=True, slots=True)
class Titles:
    """Titles in the head of a page and their parts: text by source, and the sources of every text
    reduced to letters and digits."""

    given: tuple[tuple[str, str], ...]
    sources: dict[str, set[str]]


def titles_of(page: Page) -> Titles:
    """The titles of a page's head and their parts."""
    meta, given = page.metadata, list[tuple[str, str]]()
    for source, text in (
        ("json-ld", linked_text(meta.linked.get("headline"))),
        ("og", meta.first("og:title", "twitter:title")),
        ("named", meta.first("articletitle", "dc.title", "title")),
        ("title", meta.title),
    ):
        if text := fold(text)[:_LONGEST]:
            given.append((source, text))
    for text in dict.fromkeys([text for _, text in given]):
        given.extend(_parts(text))
    sources: dict[str, set[str]] = {}
    for source, text in given:
        sources.setdefault(squeeze(text), set()).add(source)
    sources.pop("", None)
    return Titles(tuple(given), sources)


def _parts(title: str) -> Iterator[tuple[str, str]]:
    """Parts of a title, the title without its first or last part, and up to four parts in the
    middle."""
    marks = list(SEPARATOR.finditer(title)) or list(_CLOSE.finditer(title))
    if not marks:
        return
    edges = [0, *(edge for mark in marks for edge in mark.span()), len(title)]
    first, *middle, last = (title[edges[at] : edges[at + 1]] for at in range(0, len(edges), 2))
    yield "first part", first
    yield from (("middle part", part) for part in middle[:4])
    yield "last part", last
    if middle:
        yield "all but last", title[: marks[-1].start()]
        yield "all but first", title[marks[0].end() :]


def candidates_of(page: Page, titles: Titles) -> list[HeadlineCandidate]:
    """Candidates among the elements in document order, then those from the metadata only."""
    found = list[HeadlineCandidate]()
    seen = set[tuple[int, str]]()
    for number, texts in _possible_texts(page):
        for text, owner, block in texts:
            short = squeeze(text)
            if short and 1 < len(text) <= _LONGEST and (block, short) not in seen:
                seen.add((block, short))
                tag = page.document.tags[number]
                found.append(HeadlineCandidate(text, short, tag, owner, block))
    shorts = {candidate.short for candidate in found}
    for source, text in titles.given:
        short = squeeze(text)
        if short and short not in shorts:
            shorts.add(short)
            found.append(HeadlineCandidate(text, short, source))
    return found


def is_marked(page: Page, found: HeadlineCandidate, *, titles: Titles) -> bool:
    """Whether something marks an element as a headline: its tag, a name of titles on it or right
    above it, or a title of the page that it holds, or that holds it."""
    document = page.document
    if document.tags[found.element] in HEADINGS or found.short in titles.sources:
        return True
    if any(_overlaps(found.short, titles.sources)):
        return True
    above = document.parents[found.element]
    return bool(_named_as_titles(document, {found.element, above}).any())


PlacedText = tuple[str, int, int]  # a text, and the numbers of its element and of its block


def _possible_texts(page: Page) -> Iterator[tuple[int, list[PlacedText]]]:
    """Elements that can hold a headline in document order, each with the texts of it that can be
    one: all of it, what stands before a date and tags in one block, what stands behind a time."""
    document = page.document
    blocks, owners = document.blocks, document.owners
    possible = _possible_elements(page)
    numbers = sorted(possible)
    if not numbers:
        return
    at = blocks.start.searchsorted(document.arrays.first[numbers], side="right") - 1
    for number, block in zip(numbers, at.tolist(), strict=True):
        first, last = document.first[number], document.last[number]
        is_block = blocks.start[block] == first and blocks.stop[block] == last
        if is_block and owners[first] >= number:
            text = blocks.texts[block]
        else:
            text = document.text(number)
        texts = [(text, number, block)]
        if 1 < last - first <= _RUNS:
            owner = max(number, owners[first])
            texts.append((fold(document.chunks[first]), owner, block))
        # a time may stand in a box of its own; a heading behind such a box is a candidate itself
        if blocks.stop[block] == last - 1 and blocks.digits[block]:
            behind = int(blocks.owner[block + 1])
            if behind == number or behind not in possible:
                owner = max(number, owners[last - 1])
                texts.append((fold(document.chunks[last - 1]), owner, block + 1))
        yield number, texts


def _possible_elements(page: Page) -> set[int]:
    """Elements that can hold a headline: headings, elements named as a title, and the blocks around
    the beginning of the prose, of those the ``_MOST`` nearest to it."""
    document = page.document
    first, last, blocks = document.first, document.last, document.blocks
    start = document.prose_start
    named = np.flatnonzero(document.bits & BITS["title"]).tolist()
    found = {at for at in (*document.headings, *named) if 0 < last[at] - first[at] <= _RUNS}
    near = slice(max(0, start - _ABOVE), start + _BELOW)
    owners, sizes = blocks.owner[near].tolist(), blocks.words[near].tolist()
    for owner, size, text in zip(owners, sizes, blocks.texts[near], strict=True):
        most_words = _SENTENCE if text.endswith((".", "。")) else _WORDS
        if size <= most_words:
            found.add(owner)
    here = int(blocks.start[start]) if len(blocks) else 0
    return set(sorted(sorted(found), key=lambda number: abs(first[number] - here))[:_MOST])


def leads_home(page: Page, link: etree._Element) -> bool:
    """Whether a link leads to the site's front page, or to a folder around this page at most one
    level below the front page."""
    href = link.get("href") or "#"
    if "#" in href or "?" in href or not _FOLDER.search(href) or href.count("/") > 4:
        return False
    return _is_home(page.base_url, page.url, href)


@cached(4_096)
def _is_home(base: str, url: str, href: str) -> bool:
    try:
        target, here = urlsplit(urljoin(base, href)), urlsplit(url)
    except ValueError:
        return False
    home, own = _INDEX.sub("/", target.path or "/"), _INDEX.sub("/", here.path or "/")
    near = home != own and home.endswith("/") and home.count("/") <= 2 and own.startswith(home)
    return near and target.netloc == here.netloc


def headline_features(
    page: Page, found: Sequence[HeadlineCandidate], *, titles: Titles, anchor: str
) -> Singles:
    """Matrix of the features in ``NAMES``, one row for each candidate; ``anchor`` is the text of
    the link to the page. Features of elements are 0 for candidates from the metadata."""
    placed = [candidate for candidate in found if candidate.element >= 0]  # elements come first
    document = page.document
    blocks = document.blocks
    at = np.array([candidate.block for candidate in placed], np.int64)
    elements = np.array([candidate.element for candidate in placed], np.int64)
    is_part = [len(one.text) < 0.9 * len(blocks.texts[one.block]) for one in placed]
    anchor = squeeze(anchor.rstrip(".… "))
    of_page = _page_features(placed, titles=titles, anchor=anchor)
    parts: dict[str, Any] = {
        "tag": _tag_features(document, placed),
        "regions": (document.above[elements][:, None] & _REGIONS) != 0,
        "block": np.stack([blocks.link_chars[at] > 0.5 * blocks.chars[at], is_part], axis=1),
        "text": _text_features.each([candidate.text for candidate in found]),
        "place": _place_features(document, at=at),
        "title": _title_values(page, found, titles=titles, anchor=anchor),
        "source": [
            [candidate.element < 0 and candidate.source == source for source in SOURCES]
            for candidate in found
        ],
        "page": np.full((len(found), len(of_page)), of_page),
        "before": _neighbour_features(placed),
    }
    rows = np.zeros((len(found), len(NAMES)), np.float32)
    column = 0
    for group, names in _GROUPS.items():
        values = parts[group]
        if len(values):
            rows[: len(values), column : column + len(names)] = values
        column += len(names)
    return rows


def _page_features(
    placed: Sequence[HeadlineCandidate], *, titles: Titles, anchor: str
) -> list[float]:
    """Seven values that all candidates of a page share."""
    headings = [one for one in placed if one.source == "h1"]
    shorts = {one.short for one in placed}
    return [
        min(len(headings), 3),
        len(titles.given),
        not shorts.isdisjoint(titles.sources),
        bool(anchor),
        len(titles.sources) == 1,
        *_covered_parts(placed, titles),
    ]


def _covered_parts(placed: Sequence[HeadlineCandidate], titles: Titles) -> tuple[float, float]:
    """Whether elements contain the first and the last part of a title of several parts; one of the
    two is the name of the site."""
    shorts = [candidate.short for candidate in placed if len(candidate.short) > 3]
    parts = [
        (source, squeeze(text))
        for source, text in titles.given
        if source in ("first part", "last part")
    ]
    held = {
        source for source, part in parts if len(part) > 3 and any(part in short for short in shorts)
    }
    return float("first part" in held), float("last part" in held)


def _tag_features(document: Document, placed: Sequence[HeadlineCandidate]) -> Floats:
    """Ten columns: the tag, whether the element is the only or first one of its tag, and whether it
    or its ancestors are named as titles."""
    rows = np.zeros((len(placed), 10))
    tags = [candidate.source for candidate in placed]
    columns = {tag: NAMES.index(_TAG_NAMES.get(tag, "other element")) for tag in set(tags)}
    around = document.arrays.around
    own = np.array([candidate.element for candidate in placed], np.int64)
    above = around[own]
    second = around[above]
    named = _named_as_titles(document, {*own.tolist(), *above.tolist(), *second.tolist()})
    rows[range(len(placed)), [columns[tag] for tag in tags]] = 1.0
    rows[:, 6] = [tag == "h1" and tags.count("h1") == 1 for tag in tags]
    rows[[tags.index(tag) for tag in columns], 7] = 1.0
    rows[:, 8] = named[own]
    rows[:, 9] = named[above] | named[second]
    return rows


def _named_as_titles(document: Document, elements: set[int]) -> Flags:
    """Which of some elements have a class, id or property of titles."""
    properties = document.attributes["itemprop"]
    names = {at: document.names[at] for at in elements}
    for at in elements:
        if at in properties:
            names[at] = f"{names[at]} {properties[at]}"
    found = np.zeros(len(document), bool)
    found[[at for at, name in names.items() if name and _is_named(name)]] = True
    return found


def _neighbour_features(placed: Sequence[HeadlineCandidate]) -> list[list[float]]:
    """One column: whether the candidate begins with another one of its block, as a headline
    followed by a by-line does."""
    shorts = defaultdict[int, list[str]](list)
    for candidate in placed:
        if len(candidate.short) > 3:
            shorts[candidate.block].append(candidate.short)
    beside = [(candidate.short, shorts[candidate.block]) for candidate in placed]
    return [
        [any(short != other and short.startswith(other) for other in others)]
        for short, others in beside
    ]


@cached(4_096)
def _text_features(text: str) -> list[float]:
    """Seven columns: number of words (logarithm, and compared with three bounds), end of a
    sentence, date, share of digits. Cached, because the pages of a site share most headings."""
    words = word_count(text)
    digits = sum(map(str.isdigit, text[:80])) / min(80, len(text)) if _DIGIT.search(text) else 0.0
    return [
        log1p(words), words <= 1, words <= 3, words > 30, text.endswith(_ENDS),
        digits > 0 and shows_date(text[:_LONGEST]), digits,
    ]  # fmt: skip


@cached(4_096)
def _long_words(text: str) -> frozenset[str]:
    return frozenset([word for word in _NO_LETTERS.split(text.casefold()) if len(word) > 2])


def _place_features(document: Document, *, at: Ints) -> Floats:
    """Four columns: above the prose, distance above and below its beginning, a date in one of the
    blocks after it."""
    texts, start = document.blocks.texts, document.prose_start
    below = at[:, None] + np.arange(1, 1 + _DATE_BLOCKS)
    dated = np.zeros(len(texts) + 1 + _DATE_BLOCKS, bool)
    for near in set(below.ravel().tolist()).intersection(range(len(texts))):
        dated[near] = len(texts[near]) < 200 and shows_date(texts[near])
    rows = np.zeros((len(at), 4))
    rows[:, 0] = at < start
    rows[:, 1] = np.log1p(np.maximum(0, start - at))
    rows[:, 2] = np.log1p(np.maximum(0, at - start))
    rows[:, 3] = dated[below].any(axis=1)
    return rows


def _title_values(
    page: Page, found: Sequence[HeadlineCandidate], *, titles: Titles, anchor: str
) -> list[list[float]]:
    """Nineteen columns: which titles it equals, its overlap with others, names of the site, words
    of the URL, text of the link (``anchor``, reduced to letters and digits)."""
    names, slug = _site_and_slug(page)
    long_names = [name for name in names if len(name) > 2]
    firsts = [text for source, text in titles.given if source == "first part"]
    first = squeeze(firsts[0]) if firsts else ""
    rows = list[list[float]]()
    for candidate in found:
        short = candidate.short
        is_name = short in names
        rows.append(
            [
                *_of_titles(candidate, titles),
                is_name,
                not is_name and any(map(short.__contains__, long_names)),
                len(first) > _LONG and short != first and first in short,
                _share_of_slug(candidate.text, slug),
                anchor != "" and short == anchor,
                len(anchor) > _LONG and (short.startswith(anchor) or anchor.startswith(short)),
            ]
        )
    return rows


def _of_titles(candidate: HeadlineCandidate, titles: Titles) -> list[float]:
    """Which of the titles a candidate equals, and its overlap with others if it equals none. What
    stands in no element is a title itself."""
    if candidate.element < 0:
        return [*_NO_SOURCES, *_NO_OVERLAP]
    sources = titles.sources.get(candidate.short, ())
    overlaps = _NO_OVERLAP if sources else _overlaps(candidate.short, titles.sources)
    return [*[source in sources for source in SOURCES], *overlaps]


def _share_of_slug(text: str, slug: frozenset[str]) -> float:
    """The share of long words that a text and the words of a URL have in common."""
    if not slug:
        return 0.0
    own = _long_words(text)
    return len(own & slug) / max(1.0, len(own), _SLUG_WEIGHT * len(slug))


def _site_and_slug(page: Page) -> tuple[set[str], frozenset[str]]:
    """The names of the site, and the long words of the page's URL."""
    url = urlsplit(page.url if "[" not in page.url else "")
    site = page.metadata.first("og:site_name", "application-name") or ""
    host = (url.hostname or "").removeprefix("www.").split(".")[0]
    return {squeeze(site), squeeze(host)} - {""}, _long_words(unquote(url.path))


_NO_OVERLAP = (0.0, 0.0, 0.0, 0.0)
_NO_SOURCES = (False,) * len(SOURCES)
_LONG = 3  # letters that the first part of a title, or the text of a link, has more of
_SLUG_WEIGHT = 0.7  # of the words of a URL, which often leaves some out


def _overlaps(short: str, titles: Iterable[str]) -> tuple[float, float, float, float]:
    """How much of a title a text is, how much of it a title is, and whether it begins or ends a
    title; the greatest of all titles."""
    inside = holds = begins = ends = 0.0
    size = len(short)
    for whole in titles:
        if short in whole:
            inside = max(inside, size / len(whole))
            if whole.startswith(short):
                begins = 1.0
            if whole.endswith(short):
                ends = 1.0
        elif whole in short:
            holds = max(holds, len(whole) / size)
    return inside, holds, begins, ends
