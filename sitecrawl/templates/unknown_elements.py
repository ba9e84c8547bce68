"""Elements in the body that a template cannot judge, where the extractor decides: new ones, and
those cut by a rule without a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import numpy as np
from lxml import etree

from sitecrawl.dom.align import CONTAINERS, has_token, step_name
from sitecrawl.dom.blocks import Floats
from sitecrawl.dom.document import Document
from sitecrawl.dom.nodes import finder
from sitecrawl.dom.tree import HEADINGS
from sitecrawl.items.kinds import PageGuess
from sitecrawl.limits import cached
from sitecrawl.templates.address import is_address
from sitecrawl.templates.template import Template, line_digest

_LINES = 1_000  # latest lines that a family remembers: about 30 pages, enough to see a notice again
_MOST_KNOWN = 160  # names that a template knows
_MOST_CLASSES = 6  # of an element
_MOST_NAMES = 40  # unknown names that a family counts
_MOST_LINES = 200  # lines of each
_SHORTEST = 20  # characters of an unknown element
_SHORTEST_LINE = 10  # characters of a line that is compared between pages
_LIKELY = 0.2  # probability of a block inside the body from which it counts as kept
_IMPURITY = 0.12  # share of kept words with which an element is still dropped
_PAGES_OUT = 3  # pages that decide that an element is boilerplate
_PAGES_BODY = 6  # pages that decide that it is body
_FOREIGN = 0.25  # share of words of its own that boilerplate has at most
_BODY = 0.5  # share of words of its own that body has at least
_Kind = tuple[str, str | None, str | None]  # tag, id and class of an element
text_length = etree.XPath("string-length(normalize-space(.))")  # characters of an element's text
_with_name = finder("descendant::*[@class or @id]")


def names_below(roots: Iterable[etree._Element]) -> list[str]:
    """Names (``p``, ``div.note``) of the blocks below each page's container, sorted. If there are
    too many, those on most pages are kept."""
    seen: Counter[str] = Counter()
    for root in roots:
        kinds = {kind for kind, _ in _named_below(root)}
        seen.update(frozenset[str]().union(*[_names_of(*kind)[1] for kind in kinds]))
    return sorted(sorted(seen, key=lambda name: (-seen[name], name))[:_MOST_KNOWN])


def unknown_elements(template: Template, root: etree._Element) -> list[etree._Element]:
    """The outermost elements below ``root`` with a name that the template does not know, in
    document order; [] if the template knows no names. Elements without class or id, and paragraphs,
    are the author's markup and do not count; nor do elements of a few characters."""
    if template.body.known is None:
        return []
    known = frozenset(template.body.known)
    named = _named_below(root)
    kinds = {kind: _names_of(*kind)[1] for kind in {kind for kind, _ in named}}
    unknown = {kind for kind, names in kinds.items() if names and known.isdisjoint(names)}
    new = [node for kind, node in named if kind in unknown]
    inner: set[etree._Element] = set()
    for node in new:
        if len(new) > 1 and node not in inner:
            inner.update(node.iterdescendants(*CONTAINERS))
    return [node for node in new if node not in inner and float(text_length(node)) >= _SHORTEST]


def _named_below(root: etree._Element) -> list[tuple[_Kind, etree._Element]]:
    """The containers below ``root`` that have a class or an id, in document order."""
    found = list[tuple[_Kind, etree._Element]]()
    for node in _with_name(root):
        tag = str(node.tag)
        if tag in CONTAINERS:
            found += [((tag, node.get("id"), node.get("class")), node)]
    return found


def _name(node: etree._Element) -> str:
    """Name of a container (tag, id and class); empty without id and class."""
    return _names_of(str(node.tag), node.get("id"), node.get("class"))[0]


@cached(1_024)
def _names_of(
    tag: str,
    ident: str | None,
    classes: str | None,
) -> tuple[str, frozenset[str]]:
    """The name of an element, and all its names: this one, and its tag with each of its classes. So
    an element with one known class is known, whatever other classes it has (``highlight`` beside
    ``language-sql``). The id of a heading does not count: it is an anchor made from its text."""
    if tag not in CONTAINERS:
        return "", frozenset()
    name = step_name(tag, None if tag in HEADINGS else ident, classes)
    if name == tag:
        return "", frozenset()
    tokens = (classes or "").split()[:_MOST_CLASSES]
    names = {name, *[step_name(tag, None, token) for token in tokens]}
    return name, frozenset(names - {tag})


@dataclass(slots=True)
class WeighedElement:
    """An unknown element with the words of each of its lines, negative if dropped by the extractor.
    ``out`` are parts without kept words."""

    name: str
    lines: dict[int, float]
    out: set[etree._Element]


def weigh_elements(
    sample: PageGuess,
    nodes: Collection[etree._Element],
    *,
    repeated: Collection[int],
) -> list[WeighedElement]:
    """The extractor's opinion of ``nodes``. Lines whose digests are in ``repeated`` stand on other
    pages as well and count as dropped.

    A likely block counts as kept, since it stands inside the body. An element is dropped if few of
    its words are kept. If the extractor drops more of all nodes than it keeps on the whole page, it
    has found a wrong body or none, and is not believed."""
    words, document = sample.blocks.words, sample.page.document
    first, last = sample.ranges
    digests = [line_digest(text) for text in sample.blocks.texts]
    own = np.array([digest not in repeated for digest in digests], bool)
    places = [document.number[node] for node in nodes if node in document.number]
    inside = np.zeros(len(words), bool)
    for at in places:
        inside[first[at] : last[at]] = True

    kept = np.asarray(sample.kept, bool)
    signs = np.where(kept | (np.asarray(sample.scores, np.float64) > _LIKELY), 1.0, -1.0)
    if words[inside & own & ~kept].sum() > words[kept].sum():
        signs = np.ones(len(words))
    signed_words = signs * words
    good = np.where(own, np.maximum(signed_words, 0.0), 0.0)
    kept_words = _sums_by_element(sample, good)
    other_words = _sums_by_element(sample, words - good)
    found = []
    for at in places:
        below = slice(first[at], last[at])
        lines = dict(zip(digests[below], signed_words[below].tolist(), strict=True))
        parts: Iterable[int] = [at]
        if kept_words[at] > _IMPURITY * (kept_words[at] + other_words[at]):
            parts = dropped(
                document,
                at,
                good=kept_words,
                bad=other_words,
            )
        out = {document.nodes[part] for part in parts}
        found.append(WeighedElement(_name(document.nodes[at]), lines, out))
    return found


def without_prose(
    sample: PageGuess,
    nodes: Collection[etree._Element],
    *,
    repeated: Collection[int] = (),
    sure: float = 0.9,
) -> set[etree._Element]:
    """``nodes`` without prose. A node with text that the extractor is so ``sure`` of is replaced by
    its parts without such text. Lines whose digests are in ``repeated`` stand on other pages as
    well and are not prose of this page."""
    blocks, document = sample.blocks, sample.page.document
    is_prose = np.asarray(sample.kept, bool) & (np.asarray(sample.scores, np.float64) >= sure)
    is_prose &= np.array([line_digest(text) not in repeated for text in blocks.texts], bool)
    good = _sums_by_element(sample, np.where(is_prose, blocks.words, 0.0))
    bad = _sums_by_element(sample, np.where(is_prose, 0.0, blocks.words))
    found = set(nodes)
    for node in set(nodes):  # several rules may find one element
        at = document.number.get(node, 0)
        if good[at] and at:
            found.remove(node)
            found.update(
                document.nodes[part]
                for part in dropped(
                    document,
                    at,
                    good=good,
                    bad=bad,
                )
            )
    return found


def _sums_by_element(sample: PageGuess, words: Floats) -> list[float]:
    """Words of each element, given those of each block."""
    first, last = sample.ranges
    sums = np.concatenate(([0.0], np.cumsum(words)))
    return [float(count) for count in sums[last] - sums[first]]


def dropped(
    document: Document,
    start: int,
    *,
    good: list[float],
    bad: list[float],
) -> Iterator[int]:
    """The largest elements below ``start`` that hold dropped words and no kept ones."""
    at, end = start + 1, document.ends[start]
    while at < end:
        if bad[at] and good[at]:
            at += 1
            continue
        if bad[at]:
            yield at
        at = document.ends[at]


@dataclass(slots=True)
class RepeatedTexts:
    """Lines of the pages compared lately: the line's digest and the first page that had it.
    ``repeated`` are those on at least two pages."""

    first: dict[int, int] = field(default_factory=dict)
    repeated: set[int] = field(default_factory=set)
    added: int = field(default=0, compare=False)  # pages since the document was read

    def add(self, url: str, texts: Iterable[str]) -> frozenset[int]:
        """Add the lines of a page; returns the digests of the lines that another page has as well.

        >>> texts = RepeatedTexts()
        >>> [len(texts.add(url, ["A notice of ours"])) for url in ("/1", "/1", "/2", "/1")]
        [0, 0, 1, 1]
        """
        page = crc32(url.encode())
        self.added += 1
        digests = {line_digest(line) for line in texts if len(line) >= _SHORTEST_LINE}
        for digest in sorted(digests):
            before = self.first.pop(digest, page)
            self.first[digest] = before  # the newest lines stay longest
            if before != page:
                self.repeated.add(digest)
        for digest in list(self.first)[: max(0, len(self.first) - _LINES)]:
            del self.first[digest]
            self.repeated.discard(digest)
        return frozenset(self.repeated & digests)

    def to_dict(self) -> dict[str, Any]:
        return {"first": [*map(list, self.first.items())], "common": sorted(self.repeated)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RepeatedTexts:
        """The texts of a document. Raises KeyError, TypeError or ValueError if it is damaged."""
        first = {int(digest): int(page) for digest, page in data["first"][-_LINES:]}
        return cls(first, {int(digest) for digest in data["common"]} & first.keys())


@dataclass(slots=True)
class UnknownElementCounts:
    """Statistics of the unknown elements of a family's pages: for each name the number of pages,
    and the words of each line by its digest."""

    pages: Counter[str] = field(default_factory=Counter)
    lines: dict[str, list[tuple[int, float]]] = field(default_factory=dict)

    def add(self, found: Iterable[WeighedElement]) -> None:
        """Add the unknown elements of one page. Only the newest names, and the newest lines of a
        name, are kept."""
        names = dict[str, int]()  # in the order of `lines`, which a document of the counts keeps
        for element in found:
            name = element.name
            count = names.pop(name, None)
            names[name] = self.pages.pop(name, 0) if count is None else count
            lines = [*self.lines.pop(name, []), *element.lines.items()]
            self.lines[name] = lines[-_MOST_LINES:]
        self.pages.update({name: count + 1 for name, count in names.items()})
        for name in list(self.lines)[: max(0, len(self.lines) - _MOST_NAMES)]:
            del self.pages[name], self.lines[name]

    def uncounted(self, nodes: Iterable[etree._Element]) -> list[etree._Element]:
        """Those of some elements whose name was on no page that was added."""
        return [node for node in nodes if _name(node) not in self.pages]

    def settle(self, repeated: Collection[int]) -> tuple[list[str], list[str]]:
        """Names that were seen on enough pages, and the addresses of those that are boilerplate.
        Both are removed from the counts.

        Words that the extractor drops are boilerplate, and so are lines that several pages have
        (``repeated``, by digest). An element is boilerplate if the share of other words is small,
        and body if it is half. The second decision needs more pages, because repeated texts need
        some pages to show.

        >>> counts = UnknownElementCounts(Counter(ad=3, p=9), {"ad": [(1, 9.0), (2, 9.0)], "p": [(3, 40.0)]})
        >>> counts.settle({1, 2}), sorted(counts.lines)
        ((['p'], []), ['ad'])
        """
        settled = list[str]()
        out = list[str]()
        for name, pages in list(self.pages.items()):
            lines = self.lines[name]
            kept = sum([words for line, words in lines if words > 0 and line not in repeated])
            share = kept / max(1.0, sum([abs(words) for _, words in lines]))
            address = _address(name)
            if pages >= _PAGES_OUT and share <= _FOREIGN and address:
                out.append(address)
            elif pages < _PAGES_BODY or share < _BODY:
                continue
            settled.append(name)
            del self.pages[name], self.lines[name]
        return settled, out

    def to_dict(self) -> dict[str, Any]:
        return {name: [pages, *map(list, self.lines[name])] for name, pages in self.pages.items()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> UnknownElementCounts:
        """The counts of a document. Raises AttributeError, TypeError, ValueError or IndexError if
        it is damaged."""
        counts = cls()
        for name, entry in data.items():
            counts.pages[str(name)] = int(entry[0])
            counts.lines[str(name)] = [(int(line), float(words)) for line, words in entry[1:]]
        return counts


def _address(name: str) -> str:
    """The rule that excludes the elements of a name; empty for a bare tag, which is too general."""
    tag, dot, token = name.partition(".")
    tag, mark, ident = tag.partition("#")
    if not mark and not dot:
        return ""
    test = f'[@id="{ident}"]' if mark else has_token(token)
    address = f".//{tag}{test}"
    return address if is_address(address) else ""
