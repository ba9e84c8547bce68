"""Repeated structure recognised by tags alone: siblings, or elements anywhere on a page, with the
same structure, and addresses that find only them. As in MDR (Liu, Grossman and Zhai 2003) the
children of one parent are compared; similarity is that of sets of tag paths, which takes linear
time, not an edit distance."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from functools import cache, partial
from itertools import islice

from sitecrawl.dom.align import Names, addresses_of
from sitecrawl.dom.document import Document
from sitecrawl.templates.address import is_address
from sitecrawl.templates.aligned_pages import AlignedPage
from sitecrawl.templates.signs import Signs

_TAGS = frozenset(
    "div li article section tr td table dl dt dd form blockquote details aside".split()
)
_BOXES = _TAGS | frozenset("ul ol table tbody header footer main aside".split())
_GROUPS = 12  # groups of a page that are tried, longest first
_KINDS = 4  # kinds of elements in a group
_LONG = 60  # characters of a text that makes a record by itself
_PARENTS = 3  # parents of elements that repeat all over a page


def addresses_of_repeats(page: AlignedPage, names: Names) -> dict[str, float]:
    """Addresses of elements that repeat, have several texts each and a sign of comments in or
    around them, and their share of the text outside links."""
    document = page.document
    chars = page.signs.sizes[1]
    found = dict[str, float]()
    shapes = cache(partial(_shapes_of, page))
    longest = sorted(_groups(page.signs), key=lambda group: -sum([chars[at] for at in group]))
    for group in islice(filter(page.signs.may_be_comments, longest), _GROUPS):
        for kind in _kinds(document, group):
            share = sum([chars[at] for at in kind]) / max(1, chars[0])
            shared = frozenset[str].intersection(*map(document.shape, kind))
            tag = document.tags[kind[0]]
            parents = {document.parents[at] for at in kind}
            parent = document.parents[kind[0]]
            by_tag = f"//{document.tags[parent]}"
            by_name = addresses_of(document.nodes[parent], names) if len(parents) == 1 else []
            for place in (by_tag, *by_name):
                known = shapes(f"{place}/{tag}")
                others = [known[at] for at in known.keys() - kind]
                path, alike = _telling_path(shared, others)
                if place in by_name or alike <= 0.2 * len(kind):
                    address = f"{place}/{tag}{path}"
                    found[address] = max(share, found.get(address, 0.0))
    return found


def _shapes_of(page: AlignedPage, address: str) -> dict[int, frozenset[str]]:
    """The shapes of the elements that an address finds, of those with elements below them."""
    # a tag of another namespace has no address
    if not is_address(address):
        return {}
    document = page.document
    shapes = dict[int, frozenset[str]]()
    for at in page.numbers(address):
        if document.ends[at] > at + 1:
            shapes[at] = document.shape(at)
    return shapes


def _telling_path(shared: frozenset[str], others: Sequence[frozenset[str]]) -> tuple[str, int]:
    """A predicate with the tag path of ``shared`` that fewest of the shapes ``others`` have, and
    how many have it; empty if all have each."""
    counts = dict.fromkeys(shared, 0)
    for shape, number in Counter(others).items():
        for path in shared & shape:
            counts[path] += number
    best = min(shared, key=lambda path: (counts[path], path.count("/"), path), default="")
    if best and counts[best] < len(others):
        return f"[{best}]", counts[best]
    return "", len(others)


def _groups(signs: Signs) -> list[list[int]]:
    """Elements that may be records: children with the same tag and parent that have several texts
    or a long one (name and date may be in the row above); then elements of several parents whose
    tags agree from the parent to the children, such as nested answers."""
    document = signs.document
    texts, chars, _ = signs.sizes
    tags = document.tags
    above = document.parents
    boxes = document.tagged(*_BOXES)
    inner = defaultdict[int, set[str]](set)
    for at in boxes:
        inner[above[at]] |= {tags[at]}

    siblings = defaultdict[Hashable, list[int]](list)
    scattered = defaultdict[Hashable, list[int]](list)
    for at in boxes:
        parent = above[at]
        has_texts = texts[at] >= 2
        is_long = has_texts or chars[at] >= _LONG
        if not is_long or tags[at] not in _TAGS:
            continue
        if parent > 0 and tags[parent] != "body":
            siblings[parent, tags[at]].append(at)
        if has_texts and at in inner:
            scattered[tags[parent], tags[at], frozenset(inner[at])].append(at)

    found = [group for group in siblings.values() if len(group) > 1]
    for group in scattered.values():
        if len(set(map(above.__getitem__, group))) >= _PARENTS:
            found.append(group)
    return found


def _kinds(document: Document, elements: Sequence[int]) -> list[list[int]]:
    """Elements grouped by structure: those of a kind share half of their tag paths. At most
    ``_KINDS`` kinds, without those of one element."""
    kinds = dict[frozenset[str], list[int]]()
    for at in elements:
        shape = document.shape(at)
        near = shape
        if kinds and shape not in kinds:
            near = max(kinds, key=lambda first: len(first & shape) / len(first | shape))
        if near in kinds and len(near & shape) >= 0.5 * len(near | shape):
            kinds[near].append(at)
        elif len(kinds) < _KINDS:
            kinds[shape] = [at]
    return [kind for kind in kinds.values() if len(kind) > 1]
