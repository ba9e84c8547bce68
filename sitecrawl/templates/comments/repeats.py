"""Repeated structure recognised by tags alone: siblings, or elements anywhere on a page, with the same structure, and addresses that find only them.
As in MDR (Liu, Grossman and Zhai 2003) the children of one parent are compared; similarity is that of sets of tag paths, which takes linear time, not
an edit distance."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate

from lxml import etree

from sitecrawl.dom.align import Names, addresses_of
from sitecrawl.dom.tree import Tree
from sitecrawl.templates.address import is_address
from sitecrawl.templates.aligned_pages import AlignedPage

_TAGS = frozenset("div li article section tr td table dl dt dd form blockquote".split())
_BOXES = _TAGS | frozenset("ul ol table tbody header footer main aside".split())


def repeats(page: AlignedPage, names: Names, *, groups: int = 12) -> dict[str, float]:
    """Addresses of elements that repeat and have several texts each (``groups`` groups are tried), and their share of the text outside links."""
    tree, found = page.page.tree, dict[str, float]()
    texts, chars = _sizes(tree)

    @cache
    def shape(node: etree._Element) -> frozenset[str]:
        return frozenset(_tag_paths(node))

    @cache
    def others(address: str) -> frozenset[etree._Element]:
        nodes = page.find(address) if is_address(address) else []  # a tag of another namespace has no address
        return frozenset(node for node in nodes if len(node))

    candidates = [*_sibling_groups(tree, texts, chars=chars), *_scattered_groups(tree, texts)]
    for group in sorted(candidates, key=lambda group: -sum(chars[at] for at in group))[:groups]:
        for kind in _kinds([(tree.nodes[at], shape(tree.nodes[at])) for at in group]):
            share = sum(chars[page.number[node]] for node in kind) / max(1, chars[0])
            own, parent, tag = Counter(path for node in kind for path in shape(node)), kind[0].getparent(), kind[0].tag
            if parent is None:
                continue
            near = addresses_of(parent, names) if all(node.getparent() is parent for node in kind) else []
            for number, place in enumerate([f"//{parent.tag!s}", *near]):
                beside = [shape(node) for node in others(f"{place}/{tag!s}").difference(kind)]
                path, left = _telling_path(own, len(kind), beside=beside)
                if number or left <= 0.2 * len(kind):
                    address = f"{place}/{tag!s}{path}"
                    found[address] = max(share, found.get(address, 0.0))
    return found


def _telling_path(own: Counter[str], count: int, *, beside: Sequence[frozenset[str]]) -> tuple[str, int]:
    """A predicate with a tag path that all ``count`` elements have and few others, and the number of others that have it; empty if no path helps."""
    theirs = Counter(path for shape in beside for path in shape)
    shared = (path for path, number in own.items() if number == count)
    best = min(shared, key=lambda path: (theirs[path], path.count("/"), path), default="")
    return (f"[{best}]", theirs[best]) if best and theirs[best] < len(beside) else ("", len(beside))


def _sizes(tree: Tree) -> tuple[list[int], list[int]]:
    """Number of texts of every element, and characters outside links; with ``noscript``, where forums drawn by scripts have their posts."""
    linked: list[bool] = []
    for tag, parent in zip(tree.tags, tree.parents, strict=True):
        linked.append(tag == "a" or (parent >= 0 and linked[parent]))
    sums = [0, *accumulate(0 if linked[at] else len(text) for text, at in zip(tree.chunks, tree.owners, strict=True))]
    spans = list(zip(tree.first, tree.last, strict=True))
    texts, chars = [last - first for first, last in spans], [sums[last] - sums[first] for first, last in spans]
    end = 0
    for start, tag in enumerate(tree.tags):
        if tag != "noscript" or start < end or tree.ends[start] - start <= 2:
            continue
        end = tree.ends[start]
        for at in range(end - 1, start - 1, -1):
            node, inner = tree.nodes[at], tree.children(at)
            own = [text for text in (node.text, *(child.tail for child in node)) if text and text.strip()]
            texts[at] = len(own) + sum(texts[child] for child in inner)
            chars[at] = sum(map(len, own)) + sum(chars[child] for child in inner)
    return texts, chars


def _sibling_groups(tree: Tree, texts: Sequence[int], *, chars: Sequence[int], long: int = 60) -> Iterator[list[int]]:
    """Children with the same tag and parent that have several texts or one of ``long`` characters; name and date may be in the row above."""
    groups: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for at, tag in enumerate(tree.tags):
        parent = tree.parents[at]
        if tag in _TAGS and (texts[at] >= 2 or chars[at] >= long) and parent > 0 and tree.tags[parent] != "body":
            groups[parent, tag].append(at)
    return (group for group in groups.values() if len(group) > 1)


def _scattered_groups(tree: Tree, texts: Sequence[int], *, parents: int = 3) -> Iterator[list[int]]:
    """Elements of several parents whose tags agree from the parent to the grandchildren, such as nested answers."""
    boxes = [at for at, tag in enumerate(tree.tags) if tag in _BOXES]
    inner: defaultdict[int, set[str]] = defaultdict(set)
    below: defaultdict[int, set[tuple[str, frozenset[str]]]] = defaultdict(set)
    for at in boxes:
        inner[tree.parents[at]].add(tree.tags[at])
    for at in boxes:
        below[tree.parents[at]].add((tree.tags[at], frozenset(inner[at])))
    groups: defaultdict[tuple[str, str, frozenset[object]], list[int]] = defaultdict(list)
    for at, tag in enumerate(tree.tags):
        if tag in _TAGS and texts[at] >= 2 and below[at]:
            groups[tree.tags[tree.parents[at]], tag, frozenset(below[at])].append(at)
    return (group for group in groups.values() if len({tree.parents[at] for at in group}) >= parents)


def _kinds(
    nodes: Sequence[tuple[etree._Element, frozenset[str]]], *, most: int = 4, alike: float = 0.5
) -> list[list[etree._Element]]:
    """Elements grouped by structure: those of a kind share half of their tag paths. At most ``most`` kinds, without those of one element."""
    kinds: list[tuple[frozenset[str], list[etree._Element]]] = []
    for node, shape in nodes:
        scored = [(len(first & shape) / len(first | shape) if first or shape else 1.0, kind) for first, kind in kinds]
        best, kind = max(scored, key=lambda one: one[0], default=(0.0, []))
        if best >= alike:
            kind.append(node)
        elif len(kinds) < most:
            kinds.append((shape, [node]))
    return [kind for _, kind in kinds if len(kind) > 1]


def built_alike(nodes: list[etree._Element]) -> list[etree._Element]:
    """Those of ``nodes`` that have half of the tag paths which at least half of the nodes have."""
    shapes = [frozenset(_tag_paths(node)) for node in nodes]
    counts = Counter(path for shape in shapes for path in shape)
    usual = {path for path, count in counts.items() if 2 * count >= len(nodes)}
    return [node for node, shape in zip(nodes, shapes, strict=True) if 2 * len(shape & usual) >= len(usual)]


def _tag_paths(node: etree._Element) -> Iterator[str]:
    """Tag paths of an element's first descendants, three steps deep."""
    for child in node:
        yield str(child.tag)
        for inner in child:
            yield f"{child.tag!s}/{inner.tag!s}"
            yield from (f"{child.tag!s}/{inner.tag!s}/{last.tag!s}" for last in inner)
