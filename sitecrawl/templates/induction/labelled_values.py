"""Labelled values near headline and body that are not in another field: "Views: 12", "来源：日报", "348
views"."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import accumulate, islice
from operator import or_

from lxml import etree

from sitecrawl.dom.align import Names, addresses_of
from sitecrawl.dom.blocks import BITS, HIDDEN, ZONE, bits_of
from sitecrawl.dom.tree import HEADINGS
from sitecrawl.limits import cached
from sitecrawl.resources import table_beside
from sitecrawl.templates.address import find_on, is_address, text_of
from sitecrawl.templates.aligned_pages import AlignedPage
from sitecrawl.templates.apply import first_element
from sitecrawl.templates.field_values import after, cut, likeness
from sitecrawl.templates.template import NO_CUT, Field, Template
from sitecrawl.text.chars import fold
from sitecrawl.text.dates import parse_date

KNOWN: dict[str, str] = table_beside(__file__)
"""Name of a value, and the pattern of its labels and, as whole words, of its class tokens and
ids."""
MOST_VALUES = 12  # most labelled values of one template
_RESERVED = frozenset(("author", "updated", "turn", "tags", "breadcrumbs", ""))
"""Names that have a field of their own or describe other articles."""
_PATTERNS = {
    name: re.compile(rf"(?:^|[\W_])(?:{words})(?:$|[\W_])", re.I) for name, words in KNOWN.items()
}
_LABEL = re.compile(r"([^\W\d_]{1,20})\s*[:：]")  # up to 20 letters and a colon
_OTHER_ZONES = (
    "comment",
    "nav",
    "side",
    "share",
    "foot",
    "gutter",
    "toc",
    "code",
    "caption",
    "signature",
    "title",
)
_ELSEWHERE = reduce(or_, (BITS[hint] for hint in _OTHER_ZONES), HIDDEN)
_ELSEWHERE |= ZONE["nav"] | ZONE["aside"] | ZONE["footer"] | ZONE["form"]


@dataclass(slots=True)
class Place:
    """An address with the elements that it matches, by page number, and the label in the element
    before them."""

    address: str
    label: str
    nodes: dict[int, etree._Element] = field(default_factory=dict)
    is_ambiguous: bool = False


def labelled_values_of(
    template: Template,
    pages: Sequence[AlignedPage],
    *,
    names: Names,
    least_pages: int = 3,
    presence: float = 0.7,
) -> dict[str, Field]:
    """At most ``MOST_VALUES`` labelled values by name that at least the share ``presence`` of the
    pages has; known names come first. ``source`` is among them if the pages name one. Eight pages
    are examined; more pages add no labels."""
    pages = pages[:8]
    least = max(least_pages, presence * len(pages))
    if len(pages) < least_pages:
        return {}
    found = [
        (name, rule, values)
        for place in _places(template, pages, names=names, least=least)
        for name, rule, values in _rules(place, len(pages), least=least)
        if name not in _RESERVED and _is_value(name, values, pages=pages, least=least)
    ]
    chosen: dict[str, Field] = {}
    seen: set[tuple[str | None, ...]] = set()
    for name, rule, values in sorted(found, key=lambda one: one[0] not in KNOWN):
        if tuple(values) not in seen and len(chosen) < MOST_VALUES:
            seen.add(tuple(values))
            chosen.setdefault(name, rule)
    return chosen


def _places(
    template: Template,
    pages: Sequence[AlignedPage],
    *,
    names: Names,
    least: float,
    elements: int = 150,
) -> list[Place]:
    """Addresses of short elements beside the body that match exactly one such element on at least
    ``least`` pages, in the order of the first page. Of several addresses of the same elements only
    the first is used, since all have the same values."""
    places: dict[str, Place] = {}
    for number, page in enumerate(pages):
        for node in islice(_short_elements(template, page), elements):
            for address, label in labelled_addresses(node, names):
                place = places.setdefault(address, Place(address, label))
                place.is_ambiguous |= number in place.nodes
                place.nodes.setdefault(number, node)
    found: dict[tuple[object, ...], Place] = {}
    for place in places.values():
        key = (place.label, *place.nodes.values())
        is_new = (
            len(place.nodes) >= least
            and not place.is_ambiguous
            and key not in found
            and is_address(place.address)
        )
        first = [(pages[at].page, node) for at, node in islice(place.nodes.items(), 3)]
        if is_new and all(find_on(place.address, page) == [node] for page, node in first):
            found[key] = place
    return list(found.values())


def labelled_addresses(
    node: etree._Element, names: Names, *, longest_label: int = 16
) -> Iterator[tuple[str, str]]:
    """Addresses of ``node`` by the label in the element before it; its own addresses if there is no
    label."""
    before = node.getprevious()
    label = text_of(before) if before is not None and isinstance(before.tag, str) else ""
    if (
        before is not None
        and 1 < len(label) <= longest_label
        and (label[-1] in ":：" or before.tag in ("dt", "th"))
    ):
        yield (
            f'//{before.tag!s}[normalize-space()="{label}"]/following-sibling::{node.tag!s}[1]',
            label,
        )
    yield from ((address, "") for address in addresses_of(node, names))


def _short_elements(
    template: Template, page: AlignedPage, *, longest: int = 160
) -> Iterator[etree._Element]:
    """Elements of at most ``longest`` characters near headline and body that contain no part of the
    body and are not headings."""
    document = page.document
    body = first_element(template.body.addresses, page.page)[1]
    if body is None:
        return
    # the smallest element that holds headline and body, its parent where that is the body's
    # container
    start = container = page.number[body]
    headline = page.guess.nodes.get("headline")
    wanted = page.number.get(headline, container) if headline is not None else container
    while start > 0 and not start <= wanted < document.ends[start]:
        start = document.parents[start]
    start = document.parents[start] if start == container and start > 0 else start
    at, lengths, words = (
        start + 1,
        list(accumulate(map(len, document.chunks), initial=0)),
        page.kept_words,
    )
    while at < document.ends[start]:
        kept = words[at]
        if not kept and bits_of(document.nodes[at]) & _ELSEWHERE:
            at = document.ends[at]
            continue
        length = lengths[document.last[at]] - lengths[document.first[at]]
        if not kept and 0 < length <= longest and document.tags[at] not in HEADINGS:
            yield document.nodes[at]
        at += 1


def _rules(
    place: Place, pages: int, *, least: float
) -> Iterator[tuple[str, Field, list[str | None]]]:
    """Names, rules and values at one place. It may have several labelled texts, or one value after
    a label in the element before, or beside known words."""
    nodes = [place.nodes.get(page) for page in range(pages)]
    texts = [None if node is None else text_of(node) for node in nodes]
    counts = Counter[str]()
    for text in filter(None, texts):
        counts.update(dict.fromkeys(labels_in(text), 1))
    labels = [label for label, count in counts.items() if count >= 0.5 * least]
    if not labels:
        yield _unlabelled_rule(place, texts)
    for label in labels:
        stops = [other for other in labels if other != label]
        if counts[label] >= least:
            rule = Field({place.address: NO_CUT}, label, stops)
            yield _name(label), rule, [after(text, label, stops=stops) for text in texts]


def _unlabelled_rule(
    place: Place, texts: Sequence[str | None]
) -> tuple[str, Field, list[str | None]]:
    """The rule of a place whose texts have no labels of their own."""
    if place.label:
        ends = NO_CUT
        name = _name(place.label)
    else:
        ends = shared_ends([text for text in texts if text])
        name = known_name(" ".join(ends).strip()) or ""
    return name, Field({place.address: ends}), [cut(text, ends) for text in texts]


def _name(label: str) -> str:
    return known_name(label) or re.sub(r"[\W_]+", "_", fold(label).casefold()).strip("_")


def _is_value(
    name: str,
    values: Sequence[str | None],
    *,
    pages: Sequence[AlignedPage],
    least: float,
    longest: int = 60,
) -> bool:
    """Whether the values exist, are short and differ (a source may be constant), and are mostly not
    dates, headlines or authors."""
    given = [
        (value, page.guess.article) for value, page in zip(values, pages, strict=True) if value
    ]
    if len(given) < least or len({value for value, _ in given}) <= (name != "source"):
        return False
    others = defaultdict[str, int](int)  # numbers of values that are something else
    for value, article in given:
        others["text"] += len(value) > longest
        others["date"] += parse_date(value) is not None
        others["headline"] += likeness(value, article.headline) > 0.6
        others["author"] += any(likeness(value, author["name"]) > 0.6 for author in article.authors)
    return max(others.values()) < 0.4 * len(given)


def labels_in(text: str) -> list[str]:
    """Words before a colon.

    >>> labels_in("发布时间：2019-5-6 来源：示例日报 Views: 12")
    ['发布时间', '来源', 'Views']
    """
    return [label for label in _LABEL.findall(text) if not label.casefold().startswith("http")]


@cached(4_096)
def known_name(words: str) -> str | None:
    """The standard name for a label, class or id.

    >>> known_name("Views"), known_name("浏览次数"), known_name("x7")
    ('views', 'views', None)
    """
    return next((name for name, pattern in _PATTERNS.items() if pattern.search(words)), None)


def shared_ends(values: Sequence[str]) -> tuple[str, str]:
    """Whole words at the start and at the end that all values share.

    >>> shared_ends(["Filed under News now", "Filed under Sport now"])
    ('Filed under ', ' now')
    """
    words = [value.split(" ") for value in values]
    least = min(map(len, words), default=0)
    first = next((n for n in range(least) if len({value[n] for value in words}) > 1), 0)
    last = next((n for n in range(least - first) if len({value[-1 - n] for value in words}) > 1), 0)
    head, tail = (
        words[0][:first] if words else [],
        words[0][len(words[0]) - last :] if words else [],
    )
    return "".join(f"{word} " for word in head), "".join(f" {word}" for word in tail)
