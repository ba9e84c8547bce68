"""Elements inside the body that no page of the template had: there the extractor of single pages decides, until a rule is learned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import numpy as np
from lxml import etree

from sitecrawl.dom.align import CONTAINERS, has_token, step_name
from sitecrawl.dom.blocks import Flags
from sitecrawl.dom.tree import HEADINGS, Tree
from sitecrawl.templates.address import is_address
from sitecrawl.templates.sheet import Sample
from sitecrawl.templates.template import Template, line_number

_LEAST = 20
"""Characters of the shortest element that is looked at."""
_LIKELY = 0.2
"""Probability above which a block of a stranger is body after all: it stands where the body stands."""
_PURE = 0.12
"""Share of kept words up to which an element is no body, as for the rules that are induced."""
_KNOWN = 80
"""Names of elements that a template remembers."""
_PAGES, _SETTLED = 3, 6
"""Pages with an element of one name from which it may be known to be no body, and to be body: texts take some pages to come again."""
_FOREIGN, _BODY = 0.25, 0.5
"""Share of its words that are body up to which it is none, and from which it is."""
_MOST_LINES = 200
"""Lines of one stranger that are remembered."""
_LINES, _NAMES = 1_000, 40
"""Lines and names of strangers that a family remembers, the newest ones."""
_LINE = 10
"""Characters of the shortest line that is remembered."""
_LENGTH = etree.XPath("string-length(normalize-space(.))")


def names_below(roots: Iterable[etree._Element | None]) -> list[str]:
    """Names (``p``, ``div.note``) of the blocks below each page's container, sorted; those on most pages first where they are too many."""
    seen: dict[str, int] = {}
    for root in roots:
        if root is not None:
            for name in {_name(node) for node in root.iterdescendants(etree.Element)} - {""}:
                seen[name] = seen.get(name, 0) + 1
    return sorted(sorted(seen, key=lambda name: (-seen[name], name))[:_KNOWN])


def strangers(template: Template, root: etree._Element) -> list[etree._Element]:
    """The outermost elements below ``root`` whose names the template does not know, in document order; [] where it knows none by name.

    Bare tags and paragraphs are the author's own markup and tell nothing.
    """
    if template.body.known is None:
        return []
    known = frozenset(("", *template.body.known))
    new = [node for node in root.iter(*CONTAINERS) if node is not root and _name(node) not in known]
    inner: set[etree._Element] = set()
    for node in new:
        if len(new) > 1 and node not in inner:
            inner.update(node.iterdescendants(*CONTAINERS))
    return [node for node in new if node not in inner and float(_LENGTH(node)) >= _LEAST]


def length_of(nodes: Iterable[etree._Element]) -> float:
    """Characters of text in elements that do not hold one another."""
    return float(sum(_LENGTH(node) for node in nodes))


def _name(node: etree._Element) -> str:
    """Tag, id and class of a container; empty where it has no name. The id of a heading is the anchor of its own text."""
    tag, classes = str(node.tag), node.get("class")
    ident = node.get("id") if tag not in HEADINGS else None
    if not (ident or classes) or tag not in CONTAINERS:
        return ""
    name = step_name(tag, ident, classes)
    return name if name != tag else ""


@dataclass(slots=True)
class Weighed:
    """A stranger: the words of its lines, by number, below 0 where the extractor drops them; ``out`` are the elements without kept ones."""

    name: str
    lines: dict[int, float]
    out: set[etree._Element]


def weigh(sample: Sample, nodes: Collection[etree._Element], common: Collection[int]) -> list[Weighed]:
    """What the extractor says of ``nodes``; lines whose numbers are in ``common`` stand on other pages, too, and are no body.

    Where it drops more of them than it keeps on the whole page it found some other body, or none, and its word counts for nothing.
    """
    blocks, tree = sample.guess.blocks, sample.page.tree
    numbers = [line_number(text) for text in blocks.texts]
    likely = np.asarray(sample.guess.kept, bool) | (np.asarray(sample.guess.scores, np.float64) > _LIKELY)
    said = np.where(likely, blocks.words, -blocks.words)
    own = np.array([number not in common for number in numbers], bool)
    if _dropped_words(sample, nodes, own) > float(blocks.words[np.asarray(sample.guess.kept, bool)].sum()):
        said = blocks.words
    kept = np.where(own, np.maximum(said, 0.0), 0.0)
    sums = np.concatenate(([[0.0], [0.0]], np.cumsum([kept, blocks.words - kept], axis=1)), axis=1)
    index, found = tree.index(), list[Weighed]()

    def bounds(element: int) -> list[int]:
        return [int(at) for at in np.searchsorted(blocks.start, (tree.first[element], tree.last[element]))]

    def words(element: int) -> list[float]:
        start, stop = bounds(element)
        return [float(one) for one in sums[:, stop] - sums[:, start]]

    for at, node in ((index[node], node) for node in nodes if node in index):
        start, stop = bounds(at)
        lines = dict(zip(numbers[start:stop], said[start:stop].tolist(), strict=True))
        good, bad = words(at)
        out = {node} if good <= _PURE * (good + bad) else {tree.nodes[one] for one in _dropped(tree, at, words)}
        found.append(Weighed(_name(node), lines, out))
    return found


def _dropped_words(sample: Sample, nodes: Collection[etree._Element], own: Flags) -> float:
    """Words of ``nodes`` that no other page has and that the extractor drops."""
    blocks, tree, index = sample.guess.blocks, sample.page.tree, sample.page.tree.index()
    inside = np.zeros(len(blocks) + 1, np.int64)
    for at in (index[node] for node in nodes if node in index):
        start, stop = np.searchsorted(blocks.start, (tree.first[at], tree.last[at])).tolist()
        inside[start] += 1
        inside[stop] -= 1
    dropped = (np.cumsum(inside)[:-1] > 0) & own & ~np.asarray(sample.guess.kept, bool)
    return float(blocks.words[dropped].sum())


def _dropped(tree: Tree, start: int, words: Callable[[int], list[float]]) -> Iterator[int]:
    """The largest elements below ``start`` that hold dropped words and no kept ones."""
    at, end = start + 1, tree.ends[start]
    while at < end:
        good, bad = words(at)
        if bad and not good:
            yield at
        at = at + 1 if bad and good else tree.ends[at]


@dataclass(slots=True)
class Echoes:
    """Lines of the pages that were compared lately, by number, with the page each stood on first; ``common`` stood on another one, too."""

    first: dict[int, int] = field(default_factory=dict)
    common: set[int] = field(default_factory=set)

    def meet(self, url: str, texts: Iterable[str]) -> frozenset[int]:
        """Take in the lines of a page; the numbers of those that another page has as well.

        >>> echoes = Echoes()
        >>> [len(echoes.meet(url, ["A notice of ours"])) for url in ("/1", "/1", "/2", "/1")]
        [0, 0, 1, 1]
        """
        page = crc32(url.encode())
        numbers = {line_number(line) for line in texts if len(line) >= _LINE}
        for number in sorted(numbers):
            before = self.first.pop(number, page)
            self.first[number] = before  # the lines met last stay longest
            if before != page:
                self.common.add(number)
        for number in list(self.first)[: max(0, len(self.first) - _LINES)]:
            del self.first[number]
            self.common.discard(number)
        return frozenset(self.common & numbers)

    def to_dict(self) -> dict[str, Any]:
        return {"first": [[number, page] for number, page in self.first.items()], "common": sorted(self.common)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Echoes:
        """Echoes of a document. Raises KeyError, TypeError or ValueError when it is damaged."""
        first = {int(number): int(page) for number, page in data["first"][-_LINES:]}
        return cls(first, {int(number) for number in data["common"]} & first.keys())


Counted = list[tuple[int, float]]
"""The lines of one stranger on all pages, by number, with their words."""


@dataclass(slots=True)
class Tally:
    """The strangers that one family met, by name: on how many pages, and their lines."""

    pages: Counter[str] = field(default_factory=Counter)
    lines: dict[str, Counted] = field(default_factory=dict)

    def take(self, found: Iterable[Weighed]) -> None:
        """Take in the strangers of one page."""
        names = set()
        for one in found:
            names.add(one.name)
            self.lines[one.name] = [*self.lines.pop(one.name, []), *one.lines.items()][-_MOST_LINES:]
        self.pages.update(names)
        for name in list(self.lines)[: max(0, len(self.lines) - _NAMES)]:
            self._forget(name)

    def settled(self, common: Collection[int]) -> tuple[list[str], list[str]]:
        """Names of the strangers that are known by enough pages, and addresses of those among them that are no body; they are counted no longer.

        What the extractor drops is no body, and neither are lines that several pages have: ``common``, by number.

        >>> tally = Tally(Counter(ad=3, p=9), {"ad": [(1, 9.0), (2, 9.0)], "p": [(3, 40.0)]})
        >>> tally.settled({1, 2}), sorted(tally.lines)
        ((['p'], []), ['ad'])
        """
        known, out = list[str](), list[str]()
        for name, pages in list(self.pages.items()):
            kept, address = self._kept(name, common), _address(name)
            if pages >= _PAGES and kept <= _FOREIGN and address:
                out.append(address)
            elif pages < _SETTLED or kept < _BODY:
                continue
            known.append(name)
            self._forget(name)
        return known, out

    def _kept(self, name: str, common: Collection[int]) -> float:
        """Share of the words that are body."""
        kept = sum(words for line, words in self.lines[name] if words > 0 and line not in common)
        return kept / max(1.0, sum(abs(words) for _, words in self.lines[name]))

    def _forget(self, name: str) -> None:
        del self.pages[name], self.lines[name]

    def to_dict(self) -> dict[str, Any]:
        return {name: [pages, *map(list, self.lines[name])] for name, pages in self.pages.items()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Tally:
        """The tally of a document. Raises AttributeError, TypeError, ValueError or IndexError when it is damaged."""
        lines = {str(name): [(int(line), float(words)) for line, words in of[1:]] for name, of in data.items()}
        return cls(Counter({str(name): int(of[0]) for name, of in data.items()}), lines)


def _address(name: str) -> str:
    """The rule that leaves out the elements of a name; empty for a bare tag, which says nothing."""
    tag, dot, token = name.partition(".")
    tag, mark, ident = tag.partition("#")
    address = f'.//{tag}[@id="{ident}"]' if mark else f".//{tag}{has_token(token)}" if dot else ""
    return address if address and is_address(address) else ""
