"""Repeated structure recognised by tags alone: siblings, or elements anywhere on a page, with the
same structure, and addresses that find only them. As in MDR (Liu, Grossman and Zhai 2003) the
children of one parent are compared; similarity is that of sets of tag paths, which takes linear
time, not an edit distance."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from functools import cache
from itertools import islice

from sitecrawl.dom.align import Names, addresses_of
from sitecrawl.dom.document import Document
from sitecrawl.templates.address import is_address
from sitecrawl.templates.aligned_pages import AlignedPage
from sitecrawl.templates.signs import Signs

_TAGS = frozenset("div li article section tr td table dl dt dd form blockquote".split())
_BOXES = _TAGS | frozenset("ul ol table tbody header footer main aside".split())


def addresses_of_repeats(page: AlignedPage, names: Names, *, groups: int = 12) -> dict[str, float]:
    """Addresses of elements that repeat, have several texts each and a sign of comments in or
    around them (``groups`` groups are tried), and their share of the text outside links."""
    document, chars, found = page.document, page.signs.sizes[1], dict[str, float]()

    @cache
    def found_by(address: str) -> frozenset[int]:
        numbers = (
            page.numbers(address) if is_address(address) else ()
        )  # a tag of another namespace has no address
        return frozenset(at for at in numbers if document.ends[at] > at + 1)

    longest = sorted(_groups(page.signs), key=lambda group: -sum(chars[at] for at in group))
    for group in islice(filter(page.signs.may_be_comments, longest), groups):
        for kind in _kinds(document, group):
            share = sum(chars[at] for at in kind) / max(1, chars[0])
            shared = frozenset[str].intersection(*map(document.shape, kind))
            parent, tag = document.parents[kind[0]], document.tags[kind[0]]
            by_tag, by_name = f"//{document.tags[parent]}", list[str]()
            if all(document.parents[at] == parent for at in kind):
                by_name = addresses_of(document.nodes[parent], names)
            for place in (by_tag, *by_name):
                others = [document.shape(at) for at in found_by(f"{place}/{tag}").difference(kind)]
                path, alike = _telling_path(shared, others)
                if place in by_name or alike <= 0.2 * len(kind):
                    address = f"{place}/{tag}{path}"
                    found[address] = max(share, found.get(address, 0.0))
    return found


def _telling_path(shared: frozenset[str], others: Sequence[frozenset[str]]) -> tuple[str, int]:
    """A predicate with the tag path of ``shared`` that fewest of the shapes ``others`` have, and
    how many have it; empty if all have each."""
    counts = Counter(path for shape in others for path in shared & shape)
    best = min(shared, key=lambda path: (counts[path], path.count("/"), path), default="")
    if best and counts[best] < len(others):
        return f"[{best}]", counts[best]
    return "", len(others)


def _groups(signs: Signs, *, long: int = 60, parents: int = 3) -> Iterator[list[int]]:
    """Elements that may be records: children with the same tag and parent that have several texts
    or one of ``long`` characters (name and date may be in the row above); then elements of several
    parents whose tags agree from the parent to the children, such as nested answers."""
    document, (texts, chars, _) = signs.document, signs.sizes
    tags, above, inner = document.tags, document.parents, defaultdict[int, set[str]](set)
    siblings, scattered = (
        defaultdict[Hashable, list[int]](list),
        defaultdict[Hashable, list[int]](list),
    )
    boxes = document.tagged(*_BOXES)
    for at in boxes:
        inner[above[at]].add(tags[at])
    for at in boxes:
        parent = above[at]
        if tags[at] in _TAGS and (texts[at] >= 2 or chars[at] >= long):
            if parent > 0 and tags[parent] != "body":
                siblings[parent, tags[at]].append(at)
            if texts[at] >= 2 and at in inner:
                scattered[tags[parent], tags[at], frozenset(inner[at])].append(at)
    yield from (group for group in siblings.values() if len(group) > 1)
    yield from (
        group for group in scattered.values() if len({above[at] for at in group}) >= parents
    )


def _kinds(
    document: Document, elements: Sequence[int], *, most: int = 4, alike: float = 0.5
) -> list[list[int]]:
    """Elements grouped by structure: those of a kind share half of their tag paths. At most
    ``most`` kinds, without those of one element."""
    kinds = dict[frozenset[str], list[int]]()
    for at in elements:
        shape = document.shape(at)
        near = shape
        if kinds and shape not in kinds:
            near = max(kinds, key=lambda first: len(first & shape) / len(first | shape))
        if near in kinds and len(near & shape) >= alike * len(near | shape):
            kinds[near].append(at)
        elif len(kinds) < most:
            kinds[shape] = [at]
    return [kind for kind in kinds.values() if len(kind) > 1]
