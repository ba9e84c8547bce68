"""The document: a page as columns. A column has an entry for each element, in document order, so
that everything above this room is a loop over numbers, and the page's tree is walked once.

What the elements are is read when the document is made. All other columns are filled whole on first
use. A subtree is the slice ``at:ends[at]`` of every column."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from itertools import accumulate, chain, compress, islice
from operator import attrgetter, methodcaller, not_
from typing import Any, NamedTuple, cast

import numpy as np
from lxml import etree

from sitecrawl.dom.blocks import (
    BESIDE,
    HIDDEN,
    ZONE,
    Blocks,
    Flags,
    Ints,
    array,
    blocks_of,
    embedded_post,
    hint_bits,
)
from sitecrawl.dom.tree import HEADINGS, SILENT, inline_column, is_hidden
from sitecrawl.limits import LIMITS, Meter
from sitecrawl.text.chars import fold

ATTRIBUTES = tuple(
    "class id style hidden rel itemprop itemtype property align size href target title alt role"
    " aria-modal aria-controls aria-expanded data-target data-bs-target".split()
)
"""Attributes that say what an element is, looks like or does, which have a column each."""
_NETWORKS = "twitter-tweet instagram-media tiktok- reddit- mastodon- bluesky- fb- text-post".split()
_PARENT = cast(Callable[[etree._Element], etree._Element], etree._Element.getparent)
_ITEMS = etree._Element.items
_TAG, _TEXT, _TAIL = attrgetter("tag"), attrgetter("text"), attrgetter("tail")
_WRAPPER_SHARE = 0.5  # of the characters of a page: no column beside an article has as many
_PROSE_WORDS = 10  # a block of prose has more words
_PROSE_LINKS = 0.3  # and a smaller share of its characters in links


class Arrays(NamedTuple):
    """Columns that calculations need, as arrays. ``around`` are the parents, the root its own."""

    around: Ints
    ends: Ints
    first: Ints
    last: Ints


class _Texts(NamedTuple):
    """The visible texts of a page; see :attr:`Document.chunks`."""

    chunks: list[str]
    owners: Ints
    first: Ints
    last: Ints
    is_cut: bool


class Document:
    """The columns of a page, of at most ``LIMITS.nodes`` elements.

    >>> page = Document(etree.HTML("<body><p class=a>One <b>two</b> three</p><p>four</p>"))
    >>> page.tags, page.parents, page.ends, page.classes[2]
    (['html', 'body', 'p', 'b', 'p'], [-1, 0, 1, 2, 1], [5, 5, 4, 4, 5], 'a')
    >>> page.chunks, page.blocks.texts
    (['One ', 'two', ' three', 'four'], ['One two three', 'four'])
    """

    nodes: list[etree._Element]
    tags: list[str]
    parents: list[int]
    """Numbers of the parents; the root's is -1."""
    ends: list[int]
    """Numbers of the first elements behind each subtree."""
    number: dict[etree._Element, int]

    def __init__(self, root: etree._Element, meter: Meter | None = None) -> None:
        self.meter = meter or Meter()
        nodes = list(islice(root.iter("*"), LIMITS.nodes + 1))
        if len(nodes) > LIMITS.nodes:
            self.meter.is_spent = True
        nodes = nodes[: LIMITS.nodes]
        size = len(nodes)
        self.nodes = nodes
        self.number = dict(zip(nodes, range(size), strict=True))
        self.tags = list(map(_TAG, nodes))
        self.parents = parents = [-1, *map(self.number.__getitem__, map(_PARENT, nodes[1:]))]
        self.ends = ends = list(range(1, size + 1))
        for at in range(size - 1, 0, -1):
            parent = parents[at]
            if ends[parent] < ends[at]:
                ends[parent] = ends[at]
        self._shapes: dict[int, frozenset[str]] = {}
        self._joined: dict[str, tuple[list[str], str, list[int]]] = {}

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def truncated(self) -> bool:
        """Whether the page has more elements or text than the document holds, or cost too much."""
        return self.meter.is_spent or self._read.is_cut

    # Texts

    @cached_property
    def _read(self) -> _Texts:
        """The visible texts in reading order.

        The text of an element stands where the element opens, its tail where it closes: before the
        next element that is not inside, and behind the tails of all that is inside. Both are
        numbers, so sorting them gives the order without a walk."""
        size, ends, parents = len(self), self.ends, self.parents
        texts: list[str | None] = list(map(_TEXT, self.nodes))
        tails: list[str | None] = list(map(_TAIL, self.nodes))
        tails[0] = None
        for at in self.tagged(*SILENT):
            end = ends[at]
            texts[at:end] = [None] * (end - at)
            tails[at + 1 : end] = [None] * (end - at - 1)
        opened, closed = _shown(texts), _shown(tails)

        opens = np.arange(size, dtype=np.int64) * (2 * size)
        closes = self._ends * (2 * size) - np.arange(1, size + 1)
        places = np.concatenate((opens[opened], closes[closed]))
        order = places.argsort()
        places = places[order]
        owners = np.array([*opened, *[parents[at] for at in closed]], np.int64)[order]
        found: list[Any] = [*map(texts.__getitem__, opened), *map(tails.__getitem__, closed)]
        chunks = list(map(found.__getitem__, order.tolist()))
        whole = chunks
        if sum(map(len, chunks)) > min(LIMITS.text_chars, LIMITS.chunk_chars):
            chunks = _shortened(chunks)
        first, last = places.searchsorted(opens), places.searchsorted(closes)
        return _Texts(chunks, owners, first, last, chunks is not whole and chunks != whole)

    @cached_property
    def chunks(self) -> list[str]:
        """The visible text in reading order, blank texts left out. Those of a subtree are
        ``chunks[first[at]:last[at]]``."""
        return self._read.chunks

    @cached_property
    def owners(self) -> list[int]:
        """The element in which each chunk stands directly."""
        return list(self._read.owners.tolist())

    @cached_property
    def first(self) -> list[int]:
        return list(self._read.first.tolist())

    @cached_property
    def last(self) -> list[int]:
        return list(self._read.last.tolist())

    def text(self, at: int, *, most: int = LIMITS.title_chars) -> str:
        """Visible text of a subtree, chunks joined by a blank, white space folded; ``most``
        characters are read, as nested elements share their text."""
        first, last = self.first[at], self.last[at]
        chunks = self.chunks[first : min(last, first + most)]
        return fold(" ".join([chunk[:most] for chunk in chunks])[:most])

    # Structure

    @cached_property
    def arrays(self) -> Arrays:
        around = np.maximum(array(self.parents), 0)
        read = self._read
        return Arrays(around, self._ends, read.first, read.last)

    @cached_property
    def _ends(self) -> Ints:
        return array(self.ends)

    @cached_property
    def paths(self) -> list[int]:
        """A number for each tag path; those of the body's elements begin at it."""
        return self._paths[0]

    @cached_property
    def path_texts(self) -> list[str]:
        """Of each number in ``paths``, the tags with slashes between; the first is empty. A longer
        path shares the text of its beginning: depth times links is no length that a page may
        choose."""
        found = [""]
        for above, tag in self._paths[1]:
            text = found[above]
            if not text:
                found.append(tag)
            elif len(text) > LIMITS.cached_chars:
                found.append(text)
            else:
                found.append(f"{text}/{tag}")
        return found

    @cached_property
    def path_depths(self) -> list[int]:
        """Of each number in ``paths``, the number of tags from the body on, or below the root."""
        found = [-1]
        for above, tag in self._paths[1]:
            found.append(1 if tag == "body" else found[above] + 1)
        return found

    @cached_property
    def _paths(self) -> tuple[list[int], dict[tuple[int, str], int]]:
        numbers: dict[tuple[int, str], int] = {}
        paths = [0] * len(self)
        count = 0
        for at, (tag, parent) in enumerate(zip(self.tags, self.parents, strict=True)):
            key = (0 if parent < 0 or tag == "body" else paths[parent]), tag
            if key not in numbers:
                count += 1
                numbers[key] = count
            paths[at] = numbers[key]
        return paths, numbers

    def children(self, at: int) -> list[int]:
        """Numbers of the child elements."""
        found, ends = [], self.ends
        child, end = at + 1, ends[at]
        while child < end:
            found.append(child)
            child = ends[child]
        return found

    def ancestors(self, at: int) -> list[int]:
        """Numbers of the ancestors, parent first."""
        found = []
        while (at := self.parents[at]) >= 0:
            found.append(at)
        return found

    def shape(self, start: int, *, levels: int = 3) -> frozenset[str]:
        """Tag paths from an element to its descendants, three ``levels`` deep: ``p``, ``p/a``.
        Kept, because elements are compared with many."""
        if start not in self._shapes:
            tags, depths, ends = self.tags, self.depths, self.ends
            found = set[str]()
            paths = [""] * (levels + 1)
            at, stop, base = start + 1, ends[start], depths[start]
            while at < stop:
                level = depths[at] - base
                paths[level] = f"{paths[level - 1]}/{tags[at]}" if level > 1 else tags[at]
                found.add(paths[level])
                at = at + 1 if level < levels else ends[at]
            self._shapes[start] = frozenset(found)
        return self._shapes[start]

    @cached_property
    def depths(self) -> list[int]:
        """The number of ancestors of each element."""
        depths = [0] * len(self)
        for at, parent in enumerate(self.parents):
            if at:
                depths[at] = depths[parent] + 1
        return depths

    # Elements by tag, name and attribute

    @cached_property
    def attributes(self) -> dict[str, dict[int, str]]:
        """Values of each of ``ATTRIBUTES`` by the number of the element. Few elements have one."""
        found: dict[str, dict[int, str]] = {name: {} for name in ATTRIBUTES}
        for at, pairs in enumerate(map(_ITEMS, self.nodes)):
            for name, value in pairs:
                if name in found:
                    found[name][at] = value
        return found

    def values(self, name: str, places: list[int]) -> list[str | None]:
        """Values of an attribute of some elements. Where few are asked for that takes less time
        than the column of all."""
        if "attributes" in vars(self):
            return list(map(self.attributes[name].get, places))
        return list(map(methodcaller("get", name), map(self.nodes.__getitem__, places)))

    @cached_property
    def classes(self) -> list[str | None]:
        return list(map(self.attributes["class"].get, range(len(self))))

    def names_of(self, places: list[int]) -> list[str]:
        """Class and id of some elements, separated by a blank; empty without both."""
        classes, idents = self.values("class", places), self.values("id", places)
        return [
            f"{own} {ident}" if own and ident else own or ident or ""
            for own, ident in zip(classes, idents, strict=True)
        ]

    def tagged(self, *tags: str) -> list[int]:
        """Numbers of the elements with one of these tags, in document order."""
        if len(tags) == 1:
            return self._by_tag.get(tags[0], [])
        return sorted(chain.from_iterable([self._by_tag.get(tag, []) for tag in tags]))

    def below(self, at: int, tag: str) -> list[int]:
        """Numbers of the elements with a tag in the subtree of an element, itself included."""
        found = self.tagged(tag)
        return found[bisect_left(found, at) : bisect_left(found, self.ends[at])]

    @property
    def tag_counts(self) -> dict[str, int]:
        """How many elements have each tag."""
        return {tag: len(found) for tag, found in self._by_tag.items()}

    @cached_property
    def _by_tag(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for at, tag in enumerate(self.tags):
            # without a call: this is done for each element of each page
            if tag in found:
                found[tag] += (at,)
            else:
                found[tag] = [at]
        return found

    @cached_property
    def names(self) -> list[str]:
        """Class and id of each element, separated by a blank; empty without both."""
        found = [name or "" for name in self.classes]
        for at, ident in self.attributes["id"].items():
            found[at] = f"{found[at]} {ident}" if found[at] else ident
        return found

    @cached_property
    def headings(self) -> list[int]:
        """Numbers of the headings of the first four levels."""
        return self.tagged(*HEADINGS[:4])

    def heading_in(self, at: int) -> int:
        """Number of the first of ``headings`` in an element; 0 without one."""
        headings = self.headings
        found = bisect_left(headings, at)
        return headings[found] if found < len(headings) and headings[found] < self.ends[at] else 0

    @cached_property
    def named(self) -> dict[str, list[int]]:
        """Numbers of the elements, in document order, by class token (``.wide``) and id
        (``#main``). Class tokens are separated by blanks, as in an XPath."""
        found: dict[str, list[list[int]]] = {}
        for classes, numbers in self.holders("class").items():
            tokens = 1 + classes.count(" ")
            if not self.meter.pays(elements=tokens * len(numbers)):
                continue
            for token in dict.fromkeys(classes.split(" ")):
                if not token:
                    continue
                name = f".{token}"
                if name in found:
                    found[name] += (numbers,)
                else:
                    found[name] = [numbers]
        for ident, numbers in self.holders("id").items():
            if ident:
                found.setdefault(f"#{ident}", []).append(numbers)
        return {
            name: own[0] if len(own) == 1 else sorted(chain(*own)) for name, own in found.items()
        }

    def holders(self, name: str) -> dict[str, list[int]]:
        """Numbers of the elements with each value of an attribute."""
        found: dict[str, list[int]] = {}
        for at, value in self.attributes[name].items():
            if value in found:
                found[value].append(at)
            else:
                found[value] = [at]
        return found

    def marked(
        self, test: Callable[[str], object], *names: str, words: Collection[str]
    ) -> list[int]:
        """Numbers of the elements for which one of the attributes ``names`` passes a test. Only
        values with one of the casefolded ``words`` are tested, each once: all values of an
        attribute are searched as one text."""
        marked = set[int]()
        for name in names:
            values, text, starts = self._values(name)
            found = set[int]()
            for word in words:
                at = text.find(word)
                while at >= 0:
                    place = bisect_right(starts, at)
                    found.add(place)
                    at = text.find(word, starts[place])
            passed = set(filter(test, [values[place - 1] for place in found]))
            if passed:
                own = self.attributes[name].items()
                marked.update([number for number, value in own if value in passed])
        return sorted(marked)

    def _values(self, name: str) -> tuple[list[str], str, list[int]]:
        """The values of an attribute, all of them as one casefolded text, and where each begins in
        it."""
        if name not in self._joined:
            values = list(dict.fromkeys(self.attributes[name].values()))
            text = "\0".join(values).casefold()  # no document of lxml can hold a NUL
            sizes = accumulate(map(len, text.split("\0")), initial=0)
            self._joined[name] = values, text, [at + size for at, size in enumerate(sizes)]
        return self._joined[name]

    # Regions

    @cached_property
    def own_bits(self) -> list[int]:
        """Hints (``BITS``), ``HIDDEN`` and ``ZONE`` of every element, without its ancestors."""
        zones = {tag: ZONE.get(tag, 0) for tag in set(self.tags)}
        names = set(self.names)
        hints = dict(zip(names, hint_bits.each(names), strict=True))
        found = [zones[tag] | hints[name] for tag, name in zip(self.tags, self.names, strict=True)]
        styles = self.attributes["style"]
        hiding = {style for style in {*styles.values()} if is_hidden(style)}
        hidden = [at for at, style in styles.items() if style in hiding]
        for at in (*hidden, *self.attributes["hidden"]):
            found[at] |= HIDDEN
        # the classes of the whole page describe no region of it, and scripts show it later
        for at in self.tagged("html", "body"):
            found[at] = 0
        for at in self._wrappers:
            found[at] &= ~BESIDE
        return found

    @cached_property
    def _wrappers(self) -> list[int]:
        """Elements with a main heading and half of the page's text. Whatever they are called, they
        are no region beside the article: their names say what stands where in them."""
        around = set[int]()
        for heading in self.tagged("h1"):
            at = heading
            while at > 0 and at not in around:
                around.add(at)
                at = self.parents[at]
        if not around:
            return []
        sizes = list(accumulate(map(len, self.chunks), initial=0))
        least = _WRAPPER_SHARE * sizes[-1]
        first, last = self.first, self.last
        return [at for at in around if sizes[last[at]] - sizes[first[at]] >= least]

    @cached_property
    def bits(self) -> Ints:
        """``own_bits`` of the elements with visible text; 0 for others."""
        read = self._read
        return array(self.own_bits) * (read.first < read.last)

    @cached_property
    def above(self) -> Ints:
        """``own_bits`` of each element with visible text and of its ancestors."""
        own, parents = self.own_bits, self.parents
        found = [0] * (len(self) + 1)  # the last stands for the parent of the root
        for at in self._with_text:
            found[at] = found[parents[at]] | own[at]
        return array(found[:-1])

    @cached_property
    def _with_text(self) -> list[int]:
        return list(np.flatnonzero(self._read.first < self._read.last).tolist())

    def bits_around(self, at: int) -> int:
        """Bits of an element and its ancestors, also for an element without text."""
        found = 0
        while at >= 0 and self.first[at] == self.last[at]:
            found |= self.own_bits[at]
            at = self.parents[at]
        return found | (int(self.above[at]) if at >= 0 else 0)

    @cached_property
    def linked(self) -> Flags:
        """Whether each element is a link or in one."""
        found = np.zeros(len(self), bool)
        for at in self.tagged("a"):
            found[at : self.ends[at]] = True
        return found

    @cached_property
    def embedded_posts(self) -> list[int]:
        """Posts of social networks that are embedded in a page."""
        return self.marked(embedded_post, "class", words=_NETWORKS)

    # Blocks

    @cached_property
    def inline(self) -> list[bool]:
        """Whether each element is inline: whether the text beside it goes on in its line."""
        return inline_column(self.tags, self.parents)

    @cached_property
    def block(self) -> list[int]:
        """The element whose block the text of each element belongs to; 0 without visible text."""
        inline, parents = self.inline, self.parents
        found = [0] * len(self)
        for at in self._with_text:
            found[at] = found[parents[at]] if at and inline[at] else at
        return found

    @cached_property
    def blocks(self) -> Blocks:
        """The runs of text between block boundaries."""
        owners = self._read.owners
        return blocks_of(self.chunks, array(self.block)[owners], linked=self.linked[owners])

    @property
    def chunk_ranges(self) -> tuple[Ints, Ints]:
        """``first`` and ``last`` as arrays."""
        return self._read.first, self._read.last

    @cached_property
    def ranges(self) -> tuple[Ints, Ints]:
        """Number of the first block of every element's subtree, and the number after its last
        one."""
        begins = np.zeros(len(self.chunks) + 1, np.int64)
        begins[self.blocks.start + 1] = 1
        before = begins.cumsum()
        return before.take(self._read.first), before.take(self._read.last)

    def block_at(self, element: int) -> int:
        """Number of the block in which an element begins; -1 for no element (-1), and on a page
        without blocks."""
        if element < 0 or not len(self.blocks):
            return -1
        behind = self.blocks.start.searchsorted(self.first[element], side="right")
        return max(0, int(behind) - 1)

    @cached_property
    def heading_blocks(self) -> Flags:
        """Blocks that are headings of the first four levels."""
        found = np.zeros(len(self), bool)
        found[self.headings] = True
        return found[self.blocks.owner]

    @cached_property
    def prose(self) -> int:
        """Number of the element whose children and grandchildren hold most prose."""
        blocks, around = self.blocks, self.arrays.around
        weight = blocks.words * self._is_prose
        above = around.take(blocks.owner)
        near = np.concatenate((blocks.owner, above, around.take(above)))
        weights = np.concatenate((weight * 0.5, weight, weight * 0.6))
        return int(np.bincount(near, weights, minlength=1).argmax())

    @cached_property
    def _is_prose(self) -> Flags:
        blocks = self.blocks
        few_links = blocks.link_chars < _PROSE_LINKS * blocks.chars
        found: Flags = (blocks.words > _PROSE_WORDS) & few_links
        return found

    @cached_property
    def prose_start(self) -> int:
        """Number of the first block of prose in the element that contains most prose; 0 on a page
        without blocks."""
        first, last = self.ranges
        low, high = int(first[self.prose]), int(last[self.prose])
        inside = self._is_prose[low:high]
        return low + int(inside.argmax()) if inside.any() else low


def _shown(texts: list[str | None]) -> list[int]:
    """The places of texts that are neither missing nor blank."""
    places = list(compress(range(len(texts)), texts))
    blank = map(str.isspace, cast(Iterator[str], map(texts.__getitem__, places)))
    return list(compress(places, map(not_, blank)))


def _shortened(chunks: list[str]) -> list[str]:
    """Chunks of at most ``LIMITS.chunk_chars``, and of one character if they begin after
    ``LIMITS.text_chars``."""
    most = LIMITS.chunk_chars
    # a million blanks are no chunk
    cut = [chunk.lstrip()[:most] if len(chunk) > most else chunk for chunk in chunks]
    begins = accumulate(map(len, cut), initial=0)
    return [
        text if at < LIMITS.text_chars else text.lstrip()[:1]
        for text, at in zip(cut, begins, strict=False)
    ]
