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
from sitecrawl.dom.blocks import Floats, Ints
from sitecrawl.dom.document import Document
from sitecrawl.dom.tree import HEADINGS
from sitecrawl.items.kinds import PageGuess
from sitecrawl.limits import cached
from sitecrawl.templates.address import is_address
from sitecrawl.templates.template import Template, line_digest

_LINES = 1_000  # latest lines that a family remembers: about 30 pages, enough to see a notice again
text_length = etree.XPath("string-length(normalize-space(.))")  # characters of an element's text


def names_below(roots: Iterable[etree._Element], *, most: int = 160) -> list[str]:
    """Names (``p``, ``div.note``) of the blocks below each page's container, sorted. If there are
    too many, those on most pages are kept."""
    seen: Counter[str] = Counter()
    for root in roots:
        seen.update(
            {name for node in root.iterdescendants(*CONTAINERS) for name in _names(node)[1]}
        )
    return sorted(sorted(seen, key=lambda name: (-seen[name], name))[:most])


def unknown_elements(
    template: Template, root: etree._Element, *, shortest: int = 20
) -> list[etree._Element]:
    """The outermost elements below ``root`` with a name that the template does not know, in
    document order; [] if the template knows no names. Elements without class or id, and paragraphs,
    are the author's markup and do not count; nor do elements of less than ``shortest``
    characters."""
    if template.body.known is None:
        return []
    known = frozenset(template.body.known)
    named = ((node, _names(node)[1]) for node in root.iter(*CONTAINERS) if node is not root)
    new = [node for node, names in named if names and known.isdisjoint(names)]
    inner: set[etree._Element] = set()
    for node in new:
        if len(new) > 1 and node not in inner:
            inner.update(node.iterdescendants(*CONTAINERS))
    return [node for node in new if node not in inner and float(text_length(node)) >= shortest]


def _names(node: etree._Element) -> tuple[str, frozenset[str]]:
    """Name of a container (tag, id and class; empty without id and class), and all its names: this
    one, and its tag with each of its classes. So an element with one known class is known, whatever
    other classes it has (``highlight`` beside ``language-sql``)."""
    return _names_of(str(node.tag), node.get("id"), node.get("class"))


@cached(1_024)
def _names_of(
    tag: str, ident: str | None, classes: str | None, *, most: int = 6
) -> tuple[str, frozenset[str]]:
    """The names of an element, of ``most`` classes. The id of a heading does not count: it is an
    anchor made from its text."""
    name = (
        step_name(tag, ident if tag not in HEADINGS else None, classes)
        if tag in CONTAINERS
        else tag
    )
    if name == tag:
        return "", frozenset()
    return name, frozenset(
        {name, *(step_name(tag, None, token) for token in (classes or "").split()[:most])} - {tag}
    )


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
    likely: float = 0.2,
    impurity: float = 0.12,
) -> list[WeighedElement]:
    """The extractor's opinion of ``nodes``. Lines whose digests are in ``repeated`` stand on other
    pages as well and count as dropped.

    A block with a probability of at least ``likely`` counts as kept, since it stands inside the
    body. An element is dropped if at most the share
    ``impurity`` of its words is kept. If the extractor drops more of all nodes than it keeps on the
    whole page, it has found a wrong body or none,
    and is not believed."""
    blocks, document = sample.blocks, sample.page.document
    index, kept = document.number, np.asarray(sample.kept, bool)
    first, last = sample.ranges
    digests = [line_digest(text) for text in blocks.texts]
    own = np.array([digest not in repeated for digest in digests], bool)
    places = [index[node] for node in nodes if node in index]
    inside = np.zeros(len(blocks), bool)
    for at in places:
        inside[first[at] : last[at]] = True
    signs = np.where(kept | (np.asarray(sample.scores, np.float64) > likely), 1.0, -1.0)
    if blocks.words[inside & own & ~kept].sum() > blocks.words[kept].sum():
        signs = np.ones(len(blocks))
    signed_words = signs * blocks.words
    good = np.where(own, np.maximum(signed_words, 0.0), 0.0)
    kept_words, other_words = (
        _sums_by_element(words, first=first, last=last) for words in (good, blocks.words - good)
    )
    found = []
    for at in places:
        lines = dict(
            zip(
                digests[first[at] : last[at]],
                signed_words[first[at] : last[at]].tolist(),
                strict=True,
            )
        )
        is_out = kept_words[at] <= impurity * (kept_words[at] + other_words[at])
        out = {
            document.nodes[part]
            for part in (
                [at] if is_out else dropped(document, at, good=kept_words, bad=other_words)
            )
        }
        found.append(WeighedElement(_names(document.nodes[at])[0], lines, out))
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
    first, last = sample.ranges
    good, bad = (
        _sums_by_element(np.where(which, blocks.words, 0.0), first=first, last=last)
        for which in (is_prose, ~is_prose)
    )
    index, found = document.number, set(nodes)
    for node in set(nodes):  # several rules may find one element
        at = index.get(node, 0)
        if good[at] and at:
            found.remove(node)
            found.update(document.nodes[part] for part in dropped(document, at, good=good, bad=bad))
    return found


def _sums_by_element(words: Floats, *, first: Ints, last: Ints) -> list[float]:
    sums = np.concatenate(([0.0], np.cumsum(words)))
    return [float(count) for count in sums[last] - sums[first]]


def dropped(
    document: Document, start: int, *, good: list[float], bad: list[float]
) -> Iterator[int]:
    """The largest elements below ``start`` that hold dropped words and no kept ones."""
    at, end = start + 1, document.ends[start]
    while at < end:
        if bad[at] and not good[at]:
            yield at
        at = at + 1 if bad[at] and good[at] else document.ends[at]


@dataclass(slots=True)
class RepeatedTexts:
    """Lines of the pages compared lately: the line's digest and the first page that had it.
    ``repeated`` are those on at least two pages."""

    first: dict[int, int] = field(default_factory=dict)
    repeated: set[int] = field(default_factory=set)
    added: int = field(default=0, compare=False)  # pages since the document was read

    def add(self, url: str, texts: Iterable[str], *, shortest: int = 10) -> frozenset[int]:
        """Add the lines of a page; returns the digests of the lines that another page has as well.

        >>> texts = RepeatedTexts()
        >>> [len(texts.add(url, ["A notice of ours"])) for url in ("/1", "/1", "/2", "/1")]
        [0, 0, 1, 1]
        """
        page, self.added = crc32(url.encode()), self.added + 1
        digests = {line_digest(line) for line in texts if len(line) >= shortest}
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

    def add(
        self, found: Iterable[WeighedElement], *, most_lines: int = 200, most_names: int = 40
    ) -> None:
        """Add the unknown elements of one page. Only the newest names, and the newest lines of a
        name, are kept."""
        names = dict[str, int]()  # in the order of `lines`, which a document of the counts keeps
        for element in found:
            name, count = element.name, names.pop(element.name, None)
            names[name] = self.pages.pop(name, 0) if count is None else count
            self.lines[name] = [*self.lines.pop(name, []), *element.lines.items()][-most_lines:]
        self.pages.update({name: count + 1 for name, count in names.items()})
        for name in list(self.lines)[: max(0, len(self.lines) - most_names)]:
            del self.pages[name], self.lines[name]

    def uncounted(self, nodes: Iterable[etree._Element]) -> list[etree._Element]:
        """Those of some elements whose name was on no page that was added."""
        return [node for node in nodes if _names(node)[0] not in self.pages]

    def settle(
        self,
        repeated: Collection[int],
        *,
        pages_out: int = 3,
        pages_body: int = 6,
        foreign: float = 0.25,
        body: float = 0.5,
    ) -> tuple[list[str], list[str]]:
        """Names that were seen on enough pages, and the addresses of those that are boilerplate.
        Both are removed from the counts.

        Words that the extractor drops are boilerplate, and so are lines that several pages have
        (``repeated``, by digest). An element is boilerplate if the share of other words is at most
        ``foreign``, and body if it is at least ``body``. The second decision needs more pages,
        because repeated texts need some pages to show.

        >>> counts = UnknownElementCounts(Counter(ad=3, p=9), {"ad": [(1, 9.0), (2, 9.0)], "p": [(3, 40.0)]})
        >>> counts.settle({1, 2}), sorted(counts.lines)
        ((['p'], []), ['ad'])
        """
        settled, out = list[str](), list[str]()
        for name, pages in list(self.pages.items()):
            kept = sum(
                words for line, words in self.lines[name] if words > 0 and line not in repeated
            )
            share, address = (
                kept / max(1.0, sum(abs(words) for _, words in self.lines[name])),
                _address(name),
            )
            if pages >= pages_out and share <= foreign and address:
                out.append(address)
            elif pages < pages_body or share < body:
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
        pages = Counter({str(name): int(entry[0]) for name, entry in data.items()})
        return cls(
            pages,
            {
                str(name): [(int(line), float(words)) for line, words in data[name][1:]]
                for name in data
            },
        )


def _address(name: str) -> str:
    """The rule that excludes the elements of a name; empty for a bare tag, which is too general."""
    tag, dot, token = name.partition(".")
    tag, mark, ident = tag.partition("#")
    address = f'.//{tag}[@id="{ident}"]' if mark else f".//{tag}{has_token(token)}" if dot else ""
    return address if address and is_address(address) else ""
