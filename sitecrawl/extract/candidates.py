"""Candidates for an article's headline (headings, short blocks above the prose, metadata) and their features.

A network chooses among them (``headline.py``). No single place is trusted: on many sites the ``<title>`` names the section or the
site alone, and the headline stands in a table cell.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from math import log1p
from urllib.parse import unquote, urljoin, urlsplit

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from sitecrawl.dom.blocks import BITS, HIDDEN, ZONE, Floats, Ints
from sitecrawl.dom.page import linked_text
from sitecrawl.extract.features import View
from sitecrawl.extract.wording import opening_with
from sitecrawl.limits import cached
from sitecrawl.text.chars import CJK, fold, word_count
from sitecrawl.text.dates import find_date
from sitecrawl.text.names import SEPARATOR, squeeze

_HEADINGS = ("h1", "h2", "h3", "h4")
_BEFORE, _AFTER = 20, 6
"""Blocks above and below the beginning of the prose that are looked at whatever their tag."""
_MOST = 60
"""Candidates among the elements of a page; those nearest to the prose stay."""
_LONGEST, _WORDS = 300, 60
"""Characters of the longest text, and words of the longest block, that can be a headline."""
_SENTENCE = 10
"""Words from which a plain block that ends in a full stop is a sentence of the article."""
_CHUNKS = 12
"""Runs of text in an element that can be a headline."""
_LINKS = 50
"""Links of a page, from its top, among which those that lead home name the site."""
_NEAR = 3
"""Blocks below a headline in which a date confirms it."""
_NAMED = re.compile(r"tit(?:le|el|re|ulo|olo)?s?\b|title|headline|heading|biaoti|\bbt\d?\b|subject|\btt\b", re.I)
_BETWEEN = re.compile(r"[\W_]+")
_BLANKS = {code: " " for code in range(128) if not chr(code).isalnum()}
"""The same of ASCII text, as a table."""
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?:19[89]|20[0-4])\d")
_CLOSE = re.compile(f"(?<=[{CJK}])[-\u2013_](?=[{CJK}])")
"""A mark between two names without blanks, as in Chinese titles."""
_INDEX = re.compile(r"/(?:index|default|home)\.[a-z]{3,5}$")
_HOME = re.compile(
    r"(?:https?:)?//[^/?#]+(?:/[^/?#]*)?/?$|(?:/[^/?#]+)?/$|(?:\.{1,2}/)*[^/?#.:]*/?$|(?:\.{1,2}/|/)*(?:[^/?#]+/)?(?:index|default|home)\.[a-z]{3,5}$",
    re.I,
)
"""Links that can lead home, told without joining: few do."""
_SIZE = re.compile(r"font-size\s*:\s*([\d.]+)\s*(px|pt|em|rem|%)?", re.I)
_PIXELS = {"px": 1.0, "pt": 4 / 3, "em": 16.0, "rem": 16.0, "%": 0.16, "": 1.0}
_FONTS = {
    "1": 10.0,
    "2": 13.0,
    "3": 16.0,
    "4": 18.0,
    "5": 24.0,
    "6": 32.0,
    "7": 48.0,
    "+1": 18.0,
    "+2": 24.0,
    "+3": 32.0,
}
"""Pixels of the sizes of ``font``, as browsers draw them."""
_BIG = 17.5
"""Pixels from which a text is larger than most running text."""
_RIGHTS = ("©", "copyright", "(c)", "版权", "版權", "备案")
_NOTICES = 50
"""Notices of rights of a page, from its end, that are looked at."""
_ENDS = tuple(".。!！;；,，:：")
_ABOVE = (
    BITS["nav"] | ZONE["nav"], BITS["side"] | ZONE["aside"], BITS["foot"] | ZONE["footer"], BITS["comment"], BITS["head"],
    BITS["share"], BITS["meta"], HIDDEN, ZONE["header"], ZONE["article"] | ZONE["main"], BITS["content"], BITS["summary"],
)  # fmt: skip
_MASKS = np.array(_ABOVE, np.int64)
SOURCES = (
    "json-ld",
    "og",
    "named",
    "title",
    "first part",
    "middle part",
    "last part",
    "all but last",
    "all but first",
)
"""Where a candidate of the metadata comes from."""
NAMES = (
    "h1", "h2", "h3 or h4", "td", "p", "other element",
    "lone h1", "first of its tag", "named as a title", "in what is named as a title",
    "nav", "side", "foot", "comment", "head", "share", "meta", "hidden", "header", "article", "content", "summary",
    "linked", "leads home", "a part of its block",
    "words", "one word", "few words", "many words", "ends as a sentence", "holds a date", "colon", "digits",
    "stands again", "above the prose", "steps above the prose", "steps below its beginning", "date below", "words between",
    "centred", "largest", "large", "bold",
    "is json-ld", "is og", "is named", "is the title", "is the first part", "is a middle part", "is the last part",
    "is all but last", "is all but first", "share of a title", "holds a title", "begins a title", "ends a title",
    "names the site", "holds the site's name", "holds the first part", "words of the URL", "is the link's text", "begins the link's text",
    *(f"from {source}" for source in SOURCES),
    "page: h1", "page: titles", "page: confirmed", "page: link's text known", "page: one title",
    "page: an element begins a title", "page: an element ends a title",
    "opens with another candidate", "stands in a notice of rights", "holds a link home", "colons",
)  # fmt: skip
"""Features of a candidate, in order; those of the page are the same for all of its candidates."""
Singles = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text that can be the headline, letters and digits only as ``short``, its source, and its element's number or -1.

    ``block`` is the number of the block it stands in, or -1.
    """

    text: str
    short: str
    source: str
    element: int = -1
    block: int = -1


@dataclass(frozen=True, slots=True)
class Titles:
    """Titles in the head of a page: text by source, and the source of every squeezed text."""

    given: tuple[tuple[str, str], ...]
    sources: dict[str, set[str]]


@dataclass(frozen=True, slots=True)
class Ground:
    """Values with which candidates are compared: titles, names of the site, words of the URL, the text of the link that led here, links home."""

    titles: Titles
    names: frozenset[str]
    slug: frozenset[str]
    anchor: str
    start: int
    first: str
    counts: Counter[str]
    home: Sequence[int]


def candidates_of(view: View, titles: Titles) -> list[Candidate]:
    """Candidates among the elements in document order, then those that only the metadata name."""
    found = list(_elements(view))
    known = {one.short for one in found}
    for source, text in titles.given:
        short = squeeze(text)
        if short and short not in known:
            known.add(short)
            found.append(Candidate(text, short, source))
    return found


def titles_of(view: View) -> Titles:
    """The titles of a page's head and their parts."""
    meta, given = view.page.metadata, []
    for source, text in (
        ("json-ld", linked_text(meta.linked.get("headline"))),
        ("og", meta.first("og:title", "twitter:title")),
        ("named", meta.first("articletitle", "dc.title", "title")),
        ("title", meta.title),
    ):
        text = fold(text)[:_LONGEST]
        if text:
            given.append((source, text))
    whole = list(dict.fromkeys(text for _, text in given))
    for text in whole:
        given.extend(_parts(text))
    sources: dict[str, set[str]] = {}
    for source, text in given:
        sources.setdefault(squeeze(text), set()).add(source)
    sources.pop("", None)
    return Titles(tuple(given), sources)


def _parts(title: str) -> Iterator[tuple[str, str]]:
    """Parts of a title, and the title without its first or last part."""
    marks = list(SEPARATOR.finditer(title)) or list(_CLOSE.finditer(title))
    if not marks:
        return
    edges = [0, *(edge for mark in marks for edge in mark.span()), len(title)]
    parts = [title[edges[at] : edges[at + 1]] for at in range(0, len(edges), 2)]
    yield "first part", parts[0]
    for part in parts[1:-1][:4]:
        yield "middle part", part
    yield "last part", parts[-1]
    if len(parts) > 2:
        yield "all but last", title[: marks[-1].start()]
        yield "all but first", title[marks[0].end() :]


def _elements(view: View) -> Iterator[Candidate]:
    """Candidates among the elements."""
    tree, blocks, starts = view.tree, view.blocks, view.starts
    numbers = sorted(_numbers(view))
    if not numbers:
        return
    at = (blocks.start.searchsorted(view.layout.first[numbers], side="right") - 1).tolist()
    stops: list[int] = [*starts[1:], len(tree.chunks)]
    seen = set[tuple[int, str]]()
    for number, block in zip(numbers, at, strict=True):
        first, last = tree.first[number], tree.last[number]
        whole = starts[block] == first and last == stops[block] and tree.owners[first] >= number
        text = blocks.texts[block] if whole else tree.text(number)
        for part, owner in ((text, number), *_first_run(view, number)):
            short = squeeze(part)
            if short and 1 < len(part) <= _LONGEST and (block, short) not in seen:
                seen.add((block, short))
                yield Candidate(part, short, view.tree.tags[number], owner, block)


def _numbers(view: View) -> set[int]:
    """Elements that can hold a headline: headings, what is named as one, and the blocks around the beginning of the prose."""
    tree, blocks, start = view.tree, view.blocks, prose_start(view)
    first, last = tree.first, tree.last
    found = {number for number, tag in enumerate(tree.tags) if tag in _HEADINGS}
    found.update(view.hinted("title"))
    found = {number for number in found if 0 < last[number] - first[number] <= _CHUNKS}
    low, high = max(0, start - _BEFORE), start + _AFTER
    around = zip(blocks.owner[low:high].tolist(), blocks.words[low:high].tolist(), blocks.texts[low:high], strict=True)
    found.update([owner for owner, words, text in around if words <= _WORDS and not _is_prose(words, text)])
    if len(found) > _MOST:
        here = int(blocks.start[start]) if len(blocks) else 0
        found = set(sorted(found, key=lambda number: abs(first[number] - here))[:_MOST])
    return found


def _is_prose(words: float, text: str) -> bool:
    """Whether a block is a sentence of running text: in its own words, with a full stop."""
    return words > _SENTENCE and text.endswith((".", "。"))


def _first_run(view: View, number: int) -> Iterator[tuple[str, int]]:
    """The first run of text of an element that holds a few: date and tags may stand behind the headline in one block."""
    tree = view.tree
    first, last = tree.first[number], tree.last[number]
    if 1 < last - first <= _CHUNKS:
        yield fold(tree.chunks[first]), max(number, tree.owners[first])


def prose_start(view: View) -> int:
    """Number of the first block of prose within the element that holds most of it; 0 on a page without blocks."""
    if not len(view.blocks):
        return 0
    blocks, (first, last) = view.blocks, view.ranges
    low, high = int(first[view.prose]), int(last[view.prose])
    prose = (blocks.words[low:high] > 10) & (blocks.link_chars[low:high] < 0.3 * blocks.chars[low:high])
    return low + (int(prose.argmax()) if prose.any() else 0)


def ground_of(view: View, titles: Titles, anchor: str) -> Ground:
    """The ground with which the candidates of a page are compared."""
    home = _home_links(view)
    names = {squeeze(view.page.metadata.first("og:site_name", "application-name") or ""), *_home_names(view, home)}
    parts = urlsplit(view.page.url) if "[" not in view.page.url else urlsplit("")
    host = (parts.hostname or "").removeprefix("www.").split(".")[0]
    slug = frozenset(word for word in _BETWEEN.split(unquote(parts.path).casefold()) if len(word) > 2)
    names.add(squeeze(host))
    names.discard("")
    counts = Counter(view.blocks.texts)
    first = next((squeeze(text) for source, text in titles.given if source == "first part"), "")
    return Ground(titles, frozenset(names), slug, squeeze(anchor.rstrip(".… ")), prose_start(view), first, counts, home)


def _home_names(view: View, home: Sequence[int]) -> Iterator[str]:
    """Texts of the links that lead home."""
    tree = view.tree
    for number in home:
        yield squeeze(tree.text(number)[:_LONGEST])
        image = next(tree.nodes[number].iter("img"), None)
        yield squeeze((image.get("alt") or "")[:_LONGEST]) if image is not None else ""


def _home_links(view: View) -> list[int]:
    """Numbers of the links that lead home."""
    tree = view.tree
    links = islice((number for number, tag in enumerate(tree.tags) if tag == "a"), _LINKS)
    return [number for number in links if leads_home(view, tree.nodes[number])]


def leads_home(view: View, link: etree._Element) -> bool:
    """Whether a link leads to the site's front page, or to a folder at most one below it that holds this page."""
    href = link.get("href") or "#"
    return href[0] != "#" and _may_lead_home(href) and _is_home(view.page.base_url, view.page.url, href)


@cached(4_096)
def _may_lead_home(href: str) -> bool:
    """Whether a link can lead home, told without joining: most pages of a site share their menus."""
    return _HOME.match(href) is not None


@cached(4_096)
def _is_home(base: str, url: str, href: str) -> bool:
    try:
        target, here = urlsplit(urljoin(base, href)), urlsplit(url)
    except ValueError:
        return False
    home, own = _INDEX.sub("/", target.path or "/"), _INDEX.sub("/", here.path or "/")
    near = home != own and home.endswith("/") and home.count("/") <= 2 and own.startswith(home)
    return near and target.netloc == here.netloc


def headline_features(view: View, found: Sequence[Candidate], ground: Ground) -> Singles:
    """Matrix of the features in ``NAMES``, a row a candidate."""
    count = len(found)
    rows = np.zeros((count, len(NAMES)), np.float32)
    tags = Counter(one.source for one in found if one.element >= 0)
    placed = tags.total()  # elements come first
    elements = np.array([one.element for one in found[:placed]], np.int64)
    at = np.array([one.block for one in found[:placed]], np.int64)
    looks = [_look(view, number) for number in elements.tolist()]
    largest = max([_BIG, *(look[0] for look in looks)])
    if placed:
        rows[:placed, :10] = _tags(view, found[:placed], tags)
        rows[:placed, 10:22] = (view.layout.above[elements][:, None] & _MASKS) != 0
        rows[:placed, 22:25] = _links(view, found[:placed], at)
        rows[:placed, 33:39] = _places(view, found[:placed], (at, ground))
        rows[:placed, 39:43] = [(look[1], look[0] >= largest, look[0] >= _BIG, look[2]) for look in looks]
        rows[:placed, 78:] = _furniture(view, found[:placed], ground.home)
    rows[:, 25:33] = [_text(one) for one in found]
    rows[:, 43:62] = [_matches(one, ground) for one in found]
    for number in range(placed, count):
        rows[number, 62 + SOURCES.index(found[number].source)] = 1.0
    confirmed = any(one.short in ground.titles.sources for one in found[:placed])
    rows[:, 71:78] = (
        min(tags["h1"], 3), len(ground.titles.given), confirmed, bool(ground.anchor), len(ground.titles.sources) == 1,
        *_covered(found, ground.titles),
    )  # fmt: skip
    return rows


def _covered(found: Sequence[Candidate], titles: Titles) -> tuple[float, float]:
    """Whether elements begin and end a title of several parts: one of the two names the site."""
    shorts = [one.short for one in found if one.element >= 0 and len(one.short) > 3]
    begins = ends = 0.0
    for source, text in titles.given:
        if source in ("first part", "last part"):
            part = squeeze(text)
            hit = float(len(part) > 3 and any(part in short for short in shorts))
            begins, ends = (max(begins, hit), ends) if source == "first part" else (begins, max(ends, hit))
    return begins, ends


_KINDS = {"h1": 0, "h2": 1, "h3": 2, "h4": 2, "td": 3, "th": 3, "p": 4}
_KIND = {tag: [float(number == at) for at in range(6)] for tag, number in _KINDS.items()}
_OTHER = [0.0] * 5 + [1.0]


def _tags(view: View, found: Sequence[Candidate], tags: Counter[str]) -> list[list[float]]:
    """Ten columns: what elements are, whether alone or the first of their tag, whether they or those around are named as titles."""
    rows, seen, parents = list[list[float]](), set[str](), view.tree.parents
    named = _Naming(view)
    for one in found:
        parent = max(0, parents[one.element])
        around = named[parent] or named[max(0, parents[parent])]
        lone = one.source == "h1" and tags["h1"] == 1
        rows.append([*_KIND.get(one.source, _OTHER), lone, one.source not in seen, named[one.element], around])
        seen.add(one.source)
    return rows


class _Naming(dict[int, bool]):
    """Whether elements are named as titles, looked up when first asked."""

    def __init__(self, view: View) -> None:
        super().__init__()
        attributes = view.tree.attributes
        self._of = attributes["class"].get, attributes["id"].get, attributes["itemprop"].get

    def __missing__(self, number: int) -> bool:
        classes, ident, prop = self._of
        names = f"{classes(number, '')} {ident(number, '')} {prop(number, '')}"
        self[number] = found = names != "  " and _named(names[:200])
        return found


def _links(view: View, found: Sequence[Candidate], at: Ints) -> Floats:
    """Three columns: linked, leads home, a part of its block."""
    blocks = view.blocks
    rows = np.zeros((len(found), 3))
    rows[:, 0] = blocks.link_chars[at] > 0.5 * blocks.chars[at]
    for number in np.flatnonzero(rows[:, 0]).tolist():
        node = view.tree.nodes[found[number].element]
        links = islice(chain(node.iter("a"), node.iterancestors("a")), 2)
        rows[number, 1] = any(leads_home(view, link) for link in links)
    rows[:, 2] = [len(one.text) < 0.9 * len(blocks.texts[one.block]) for one in found]
    return rows


def _furniture(view: View, found: Sequence[Candidate], home: Sequence[int]) -> list[list[float]]:
    """Four columns: opens with another candidate of its block, stands in a notice of rights, holds a link home, colons.

    A by-line behind the headline, the site's own name, a breadcrumb, a line of labels.
    """
    texts, ends, shorts = view.blocks.texts, view.tree.ends, defaultdict[int, list[str]](list)
    for one in found:
        if len(one.short) > 3:
            shorts[one.block].append(one.short)
    notices = [squeeze(texts[at][:_LONGEST]) for at in opening_with(texts, _RIGHTS, _LONGEST)[-_NOTICES:]]
    rows = []
    for one in found:
        short = one.short
        others = shorts[one.block]
        opens = len(others) > 1 and any(short != other and short.startswith(other) for other in others)
        noticed = len(short) > 3 and any(short in notice for notice in notices)
        holds = any(one.element <= number < ends[one.element] for number in home)
        rows.append([opens, noticed, holds, log1p(one.text.count(":") + one.text.count("："))])
    return rows


@cached(4_096)
def _named(names: str) -> bool:
    return _NAMED.search(names) is not None


def _text(one: Candidate) -> list[float]:
    text = one.text
    words = word_count(text)
    digits = sum(map(str.isdigit, text[:80])) / min(80, len(text)) if _DIGIT.search(text) else 0.0
    dated = digits > 0 and _is_dated(text)
    colon = ":" in text or "：" in text
    return [
        log1p(words), float(words <= 1), float(words <= 3), float(words > 30), float(text.endswith(_ENDS)),
        float(dated), float(colon), digits,
    ]  # fmt: skip


def _is_dated(text: str) -> bool:
    return _YEAR.search(text) is not None and find_date(text[:_LONGEST], False) is not None


def _places(view: View, found: Sequence[Candidate], where: tuple[Ints, Ground]) -> Floats:
    """Six columns: stands again, above the prose, how far above and below its beginning, a date below, words between."""
    blocks, (at, ground) = view.blocks, where
    start, rows = ground.start, np.zeros((len(found), 6))
    words = np.concatenate(([0.0], blocks.words.cumsum()))
    rows[:, 0] = [ground.counts[one.text] > 1 for one in found]
    rows[:, 1] = at < start
    rows[:, 2] = np.log1p(np.maximum(0, start - at))
    rows[:, 3] = np.log1p(np.maximum(0, at - start))
    dates = {number: _is_date_line(blocks.texts[number]) for number in _below(at, len(blocks))}
    rows[:, 4] = [any(dates.get(number + step, False) for step in range(1, _NEAR + 1)) for number in at.tolist()]
    rows[:, 5] = np.log1p(np.maximum(0, words[start] - words[np.minimum(at + 1, start)]))
    return rows


def _below(at: Ints, count: int) -> set[int]:
    """Numbers of the blocks right below those ``at``."""
    return {number + step for number in at.tolist() for step in range(1, _NEAR + 1) if number + step < count}


def _is_date_line(text: str) -> bool:
    return len(text) < 200 and _is_dated(text)


def _look(view: View, number: int) -> tuple[float, float, float]:
    """Size in pixels (0 where none is given), centred, bold: by the element's own style, and those right around and within it."""
    tree = view.tree
    styles, sizes, aligned = (tree.attributes[name] for name in ("style", "size", "align"))
    size = centred = bold = 0.0
    for at in (tree.parents[number], *range(number, min(tree.ends[number], number + 4))):
        if at < 0:
            continue
        tag = tree.tags[at]
        if at in styles:
            given, middle, heavy = _styled(styles[at])
            size, centred, bold = max(size, 0.0 if tag == "font" else given), max(centred, middle), max(bold, heavy)
        if tag == "font":
            size = max(size, _FONTS.get(sizes.get(at, ""), 0.0))
        elif tag in ("b", "strong"):
            bold = 1.0
        if tag == "center" or aligned.get(at) == "center":
            centred = 1.0
    return size, centred, bold


@cached(4_096)
def _styled(style: str) -> tuple[float, float, float]:
    """Size in pixels, centred, bold."""
    match = _SIZE.search(style)
    try:
        size = float(match[1]) * _PIXELS[(match[2] or "").casefold()] if match else 0.0
    except ValueError:
        size = 0.0
    folded = style.casefold().replace(" ", "")
    return size, float("text-align:center" in folded), float("font-weight:bold" in folded or "font-weight:7" in folded)


def _words(text: str) -> list[str]:
    text = text.casefold()
    return text.translate(_BLANKS).split() if text.isascii() else _BETWEEN.split(text)


def _matches(one: Candidate, ground: Ground) -> list[float]:
    sources = ground.titles.sources.get(one.short, ()) if one.element >= 0 else ()
    found = [float(source in sources) for source in SOURCES] if sources else [0.0] * len(SOURCES)
    inside = holds = begins_title = ends_title = 0.0
    if not sources and one.element >= 0:
        for whole in ground.titles.sources:
            if one.short in whole:
                inside = max(inside, len(one.short) / len(whole))
                begins_title = max(begins_title, float(whole.startswith(one.short)))
                ends_title = max(ends_title, float(whole.endswith(one.short)))
            elif whole in one.short:
                holds = max(holds, len(whole) / len(one.short))
    named = one.short in ground.names
    holding = not named and any(len(name) > 2 and name in one.short for name in ground.names)
    first = len(ground.first) > 3 and one.short != ground.first and ground.first in one.short
    own = {word for word in _words(one.text) if len(word) > 2} if ground.slug else set()
    slug = len(own & ground.slug) / max(1.0, len(own), 0.7 * len(ground.slug))
    anchor = ground.anchor
    begins = len(anchor) > 3 and (one.short.startswith(anchor) or anchor.startswith(one.short))
    return [
        *found,
        inside,
        holds,
        begins_title,
        ends_title,
        float(named),
        float(holding),
        float(first),
        slug,
        float(bool(anchor) and one.short == anchor),
        float(begins),
    ]
