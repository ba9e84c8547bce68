"""Elements inside the body that no page of the template had: there the extractor of single pages decides, until a rule is learned."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import numpy as np
from lxml import etree

from sitecrawl.dom.align import has_token
from sitecrawl.dom.signature import step_name
from sitecrawl.dom.tree import INLINE
from sitecrawl.templates.address import is_address
from sitecrawl.templates.sheet import Sample
from sitecrawl.templates.template import Template, line_number

_LEAST = 20
"""Characters of the shortest element that is looked at."""
_PURE = 0.12
"""Share of kept words up to which an element is no body, as for the rules that are induced."""
_KNOWN = 80
"""Names of elements that a template remembers."""
_PAGES = 3
"""Pages with an element of one name from which it is settled what it is."""
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
            for name in {_name(node) for node in root.iterdescendants(etree.Element) if node.tag not in INLINE}:
                seen[name] = seen.get(name, 0) + 1
    return sorted(sorted(seen, key=lambda name: (-seen[name], name))[:_KNOWN])


def strangers(template: Template, root: etree._Element) -> list[etree._Element]:
    """The outermost elements below ``root`` whose names the template does not know, in document order."""
    known = frozenset(template.body.known)
    if not known:
        return []
    found, walk = [], etree.iterwalk(root, events=("start",))
    for _, node in walk:
        if node is root or not isinstance(node.tag, str) or node.tag in INLINE or _name(node) in known:
            continue
        walk.skip_subtree()
        if float(_LENGTH(node)) >= _LEAST:
            found.append(node)
    return found


def _name(node: etree._Element) -> str:
    return step_name(str(node.tag), node.get("id"), node.get("class"))


@dataclass(slots=True)
class Weighed:
    """A stranger with its words that the extractor keeps and drops; ``out`` are the elements without kept ones."""

    name: str
    kept: float
    dropped: float
    out: set[etree._Element]

    @property
    def is_foreign(self) -> bool:
        """Whether hardly anything in it is body."""
        return self.kept <= _PURE * (self.kept + self.dropped)


def weigh(sample: Sample, nodes: Collection[etree._Element], common: Collection[int]) -> list[Weighed]:
    """What the extractor says of ``nodes``; lines whose numbers are in ``common`` stand on other pages, too, and are no body."""
    blocks, tree = sample.guess.blocks, sample.page.tree
    own = np.array([line_number(text) not in common for text in blocks.texts], bool) if common else True
    kept = np.where(np.asarray(sample.guess.kept, bool) & own, blocks.words, 0.0)
    sums = np.concatenate(([[0.0], [0.0]], np.cumsum([kept, blocks.words - kept], axis=1)), axis=1)
    index = tree.index()

    def words(element: int) -> tuple[float, float]:
        ends = np.searchsorted(blocks.start, (tree.first[element], tree.last[element]))
        good, bad = (sums[:, ends[1]] - sums[:, ends[0]]).tolist()
        return good, bad

    found = []
    for node in nodes:
        if node in index:
            one = Weighed(_name(node), *words(index[node]), {node})
            if not one.is_foreign:
                one.out = {tree.nodes[at] for at in _dropped(tree, index[node], words)}
            found.append(one)
    return found


def _dropped(tree: Any, start: int, words: Any) -> Iterator[int]:
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


@dataclass(slots=True)
class Tally:
    """What the strangers of one family turned out to be: by name the pages, the kept and the dropped words."""

    counts: dict[str, list[float]] = field(default_factory=dict)

    def take(self, found: Iterable[Weighed]) -> None:
        """Take in the strangers of one page."""
        by_name: dict[str, list[float]] = {}
        for one in found:
            words = by_name.setdefault(one.name, [0.0, 0.0])
            words[0], words[1] = words[0] + one.kept, words[1] + one.dropped
        for name, (kept, dropped) in by_name.items():
            old = self.counts.pop(name, [0.0, 0.0, 0.0])
            self.counts[name] = [old[0] + 1, old[1] + kept, old[2] + dropped]
        for name in list(self.counts)[: max(0, len(self.counts) - _NAMES)]:
            del self.counts[name]

    def settled(self) -> tuple[list[str], list[str]]:
        """Names of the elements that are body, and addresses of those that are none, each on three pages; they are counted no longer.

        >>> tally = Tally({"div.ad": [3, 0, 90], "p.lead": [3, 60, 0], "ul": [3, 0, 9], "div.new": [1, 0, 5]})
        >>> tally.settled(), sorted(tally.counts)
        ((['p.lead'], ['.//div[contains(concat(" ", @class, " "), " ad ")]']), ['div.new', 'ul'])
        """
        body, out = [], []
        for name, (pages, kept, dropped) in list(self.counts.items()):
            address = _address(name)
            if pages >= _PAGES and kept > _PURE * (kept + dropped):
                body.append(name)
            elif pages >= _PAGES and address:
                out.append(address)
            else:
                continue
            del self.counts[name]
        return body, out


def _address(name: str) -> str:
    """The rule that leaves out the elements of a name; empty for a bare tag, which says nothing."""
    tag, dot, token = name.partition(".")
    tag, mark, ident = tag.partition("#")
    address = f'.//{tag}[@id="{ident}"]' if mark else f".//{tag}{has_token(token)}" if dot else ""
    return address if address and is_address(address) else ""
