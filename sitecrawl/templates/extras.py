"""What varies over the pages of a template, is short and is no known field: views, category, location and the like."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from lxml import etree

from sitecrawl.dom.align import Names, addresses_of
from sitecrawl.templates.address import is_address, text_of
from sitecrawl.templates.headlines import cut, likeness
from sitecrawl.templates.labels import KNOWN, after, known_name, labels_in, slug
from sitecrawl.templates.nearby import short_elements
from sitecrawl.templates.sheet import Sheet
from sitecrawl.templates.template import Field, Template
from sitecrawl.text.chars import word_count
from sitecrawl.text.dates import parse_date

MOST = 12
"""Extra fields of one template."""
_SHARE = 0.7
"""Share of the pages that must have a value."""
_LEAST = 3
_LONGEST_VALUE, _LONGEST_LINK = 60, 4
"""Characters of a value; words of a link from which it is another article's headline."""
_PLACES = 150
"""Elements of a page that are tried."""
_PAGES = 8
_LONGEST_LABEL = 16
_NOT_LABEL = frozenset('0123456789"')
_RESERVED = ("author", "updated", "licence", "turn", "tags", "breadcrumbs", "")
_NAMED = ("id(", "@class", "@itemprop")
_POSITION = re.compile(r"\[\d+\]")
_BEFORE = re.compile(r'normalize-space\(\)="([^"]*)"')
_VAGUE = re.compile(
    r"(?:text|name|title|btn|button|link|item|meta|info|span|icon|left|right|clear\w*|col\w*|row|small|value|label|entry|post)?(?:_?\d+)?"
)
"""Names that say nothing."""


@dataclass(slots=True)
class Place:
    """An address with the elements it finds, by the number of the page."""

    address: str
    nodes: dict[int, etree._Element] = field(default_factory=dict)
    twice: int = 0


@dataclass(slots=True)
class Extra:
    """A candidate: its name, how to read it, its value on every page."""

    name: str
    rule: Field
    values: list[str | None]
    order: int


def extras_of(template: Template, sheets: Sequence[Sheet], names: Names) -> dict[str, Field]:
    """Extra fields by name, at most ``MOST``; ``source`` is among them where the pages name one."""
    sheets = sheets[:_PAGES]
    if len(sheets) < _LEAST:
        return {}
    found = [extra for place in _places(template, sheets, names) for extra in _read(place, sheets)]
    chosen: dict[str, Field] = {}
    seen: set[tuple[str | None, ...]] = set()
    for extra in sorted(found, key=lambda one: (one.name not in KNOWN, one.order)):
        if tuple(extra.values) in seen or extra.name in _RESERVED or len(chosen) >= MOST:
            continue
        seen.add(tuple(extra.values))
        chosen.setdefault(extra.name, extra.rule)
    return chosen


def _places(template: Template, sheets: Sequence[Sheet], names: Names) -> list[Place]:
    """Addresses of short elements beside the body that find one element on most pages."""
    places: dict[str, Place] = {}
    for page, sheet in enumerate(sheets):
        for node in islice(short_elements(template, sheet), _PLACES):
            for address in _named(node, names):
                place = places.setdefault(address, Place(address))
                place.twice += page in place.nodes
                place.nodes.setdefault(page, node)
    least = max(_LEAST, _SHARE * len(sheets))
    likely = [one for one in places.values() if len(one.nodes) >= least and not one.twice and is_address(one.address)]
    return [one for one in likely if _holds(one, sheets)]


def _holds(place: Place, sheets: Sequence[Sheet]) -> bool:
    """Whether the address finds nothing but those elements."""
    return all(sheets[page].find(place.address) == [node] for page, node in list(place.nodes.items())[:3])


def _named(node: etree._Element, names: Names) -> Iterator[str]:
    """Addresses of ``node`` that a name holds: its own, a label's in its text or in the element before it."""
    tag, before = str(node.tag), node.getprevious()
    if node.get("itemprop"):
        yield f'//{tag}[@itemprop="{node.get("itemprop")}"]'
    label = text_of(before) if before is not None and isinstance(before.tag, str) else ""
    if before is not None and 0 < len(label) <= _LONGEST_LABEL and not set(label) & _NOT_LABEL:
        yield f'//{before.tag!s}[normalize-space()="{label}"]/following-sibling::{tag}[1]'
    labelled = bool(labels_in(text_of(node)))
    for address in addresses_of(node, names):
        if labelled or (any(mark in address for mark in _NAMED) and not _POSITION.search(address)):
            yield address


def _read(place: Place, sheets: Sequence[Sheet]) -> Iterator[Extra]:
    """The extras at one place: one a label, or the whole text without what all values share."""
    texts = [text_of(place.nodes[page]) if page in place.nodes else None for page in range(len(sheets))]
    most = max(_LEAST, _SHARE * len(sheets))
    counts = Counter(label for text in texts if text for label in dict.fromkeys(labels_in(text)))
    labels = [label for label, count in counts.items() if count >= 0.5 * most]
    node = next(iter(place.nodes.values()))
    for label in labels:
        stops = [other for other in labels if other != label]
        values = [after(text, label, stops) for text in texts]
        name = known_name(label) or slug(label)
        if counts[label] >= most and _is_extra(values, sheets, 1 if name == "source" else 2):
            yield Extra(name, Field([place.address], [("", "")], label, stops), values, _order(node, place))
    if not labels and not _is_linked(place):
        ends = shared_ends([text for text in texts if text])
        values = [cut(text, ends) for text in texts]
        if _is_extra(values, sheets) and _varies(values):
            yield Extra(_name(node, ends, place.address), Field([place.address], [ends]), values, _order(node, place))


def _order(node: etree._Element, place: Place) -> int:
    return (node.sourceline or 0) * 4 + (0 if "id(" in place.address else 1 if "@class" in place.address else 2)


def _name(node: etree._Element, ends: tuple[str, str], address: str) -> str:
    """A name from itemprop, a label, the words around all values, or class and id of the element or those around it."""
    label = _BEFORE.search(address)
    near = [node, *islice(_wrappers(node), 3)]
    given = [f"{one.get('class') or ''} {one.get('id') or ''}" for one in near]
    for words in (node.get("itemprop") or "", label[1] if label else "", *ends, *given):
        found = known_name(words)
        if found:
            return found
    own = (slug(words) for words in (label[1] if label else "", *(one.partition(" ")[0] for one in given)))
    return next((name for name in own if name and not _VAGUE.fullmatch(name)), "")


def _wrappers(node: etree._Element) -> Iterator[etree._Element]:
    """Ancestors that hold hardly more text than ``node``."""
    most = len(text_of(node)) + _LONGEST_LABEL
    for parent in node.iterancestors():
        if len(text_of(parent)) > most:
            return
        yield parent


def _is_linked(place: Place) -> bool:
    """Whether most of the elements are links to other articles, or lists of links."""
    return sum(map(_leads_on, place.nodes.values())) >= 0.5 * len(place.nodes)


def _leads_on(node: etree._Element) -> bool:
    links = [*node.iter("a"), *node.iterancestors("a")]
    return len(links) > 1 or any(word_count(text_of(a)) > _LONGEST_LINK for a in links)


def _is_extra(values: Sequence[str | None], sheets: Sequence[Sheet], different: int = 2) -> bool:
    """Whether values are there, short and (as many as ``different``) different, and neither dates nor headline nor authors."""
    given = [(value, sheet.sample.guess.article) for value, sheet in zip(values, sheets, strict=True) if value]
    if len(given) < max(_LEAST, _SHARE * len(sheets)) or len({value for value, _ in given}) < different:
        return False
    known = defaultdict[str, int](int)
    for value, article in given:
        known["long"] += len(value) > _LONGEST_VALUE
        known["date"] += parse_date(value) is not None or (value.replace(":", "").isdigit() and ":" in value)
        known["mute"] += len(value) <= 2 and value.isascii() and value.isalpha()
        known["headline"] += likeness(value, article.headline) > 0.6
        known["author"] += any(likeness(value, author["name"]) > 0.6 for author in article.authors)
    return max(known.values()) < 0.4 * len(given)


def _varies(values: Sequence[str | None]) -> bool:
    given = Counter(value for value in values if value)
    return len(given) > 1 and max(given.values()) <= 0.8 * given.total()


def shared_ends(values: Sequence[str]) -> tuple[str, str]:
    """Whole words that all values start and end with.

    >>> shared_ends(["Filed under News now", "Filed under Sport now"])
    ('Filed under ', ' now')
    """
    words = [value.split(" ") for value in values]
    least = min(map(len, words), default=0)
    first = next((n for n in range(least) if len({one[n] for one in words}) > 1), 0)
    last = next((n for n in range(least - first) if len({one[-1 - n] for one in words}) > 1), 0)
    head, tail = words[0][:first] if words else [], words[0][len(words[0]) - last :] if words else []
    return "".join(f"{word} " for word in head), "".join(f" {word}" for word in tail)
