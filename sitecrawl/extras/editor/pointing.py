"""From a clicked element to a rule of a template: addresses that find the element, and the
corresponding ones on other pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, takewhile
from typing import TypeGuard

from lxml import etree

from sitecrawl.dom.align import Names, addresses_of, has_token, step
from sitecrawl.dom.page import Page
from sitecrawl.errors import TemplateError
from sitecrawl.items.kinds import PageGuess
from sitecrawl.templates.address import find, is_address, text_of
from sitecrawl.templates.aligned_pages import align_pages
from sitecrawl.templates.apply import apply
from sitecrawl.templates.comments.comment_records import describe_records
from sitecrawl.templates.comments.units import (
    UnitCandidate,
    elements_of,
    enlarged_unit,
    find_units,
    unit_addresses,
)
from sitecrawl.templates.field_values import after, read
from sitecrawl.templates.induction.container import rule_addresses
from sitecrawl.templates.induction.induce import body_lengths
from sitecrawl.templates.induction.labelled_values import known_name, labelled_addresses, labels_in
from sitecrawl.templates.template import NO_CUT, Body, Field, Template
from sitecrawl.text.dates import parse_date
from sitecrawl.text.names import clean_names

_KEPT = 4  # addresses of one field or body
_RANK_OF_MIXED = 2  # of a removal; 0 is the most general
_RANK_OF_TEXT = 3
_RANK_OF_PLACE = 4
_LABELS = {
    "datePublished": "updated",
    "authors": "author",
}  # fields after a word and a colon, and the word's meaning
_GOOD: dict[str, Callable[[str | None], object]] = {
    "datePublished": parse_date,
    "authors": lambda text: clean_names([text or ""]),
}
"""Tests whether a text may be the value of a field; any text may be a headline."""


def with_field(
    template: Template, name: str, *, node: etree._Element, pages: Sequence[Page]
) -> Template:
    """A copy of the template that reads field ``name`` at ``node``; sources with other values are
    dropped. Raises TemplateError."""
    good = _GOOD.get(name, bool)
    page, names = _page_of(node, pages), Names([one.document for one in pages])
    ways = [f"{one}/@datetime" for one in addresses_of(node, names)] if node.get("datetime") else []
    ways += [*(address for address, _ in labelled_addresses(node, names)), path_from_end(node)]
    label, stops = _label(name, text_of(node))

    def value_at(address: str, on: Page) -> str | None:
        return after(read(address, on), label, stops=stops)

    ways = [one for one in dict.fromkeys(ways) if is_address(one)]
    values = [value_at(one, page) for one in ways]
    value = next(filter(good, values), None)
    if value is None:
        raise TemplateError(name, f"no {name} can be read in this element", "click another one")
    able = [one for one, text in zip(ways, values, strict=True) if text == value]
    able.sort(key=lambda one: -_reach(one, [bool(good(value_at(one, other))) for other in pages]))
    edited = Template.from_dict(template.to_dict())
    old = edited.fields.get(name, Field({}))
    sources = dict.fromkeys(able[:_KEPT], NO_CUT)
    if not (label or old.label):
        sources |= _agreeing(old, page, value=value, able=able)
    edited.fields[name] = Field(sources, label, stops, old.month_first)
    return edited


def _agreeing(
    old: Field, page: Page, *, value: str, able: Sequence[str]
) -> dict[str, tuple[str, str]]:
    """The other sources of a field that say nothing else on a page."""
    return {
        one: ends
        for one, ends in old.sources.items()
        if one not in able and read(one, page) in (None, value)
    }


def _label(name: str, text: str) -> tuple[str, list[str]]:
    """The word before the field's value if one line holds several values, and the other words with
    a colon; else empty."""
    labels, good = labels_in(text), _GOOD.get(name, bool)
    for label in labels:
        others = [other for other in labels if other != label]
        if known_name(label) == _LABELS.get(name) and good(after(text, label, stops=others)):
            return label, others
    return "", []


def _reach(address: str, found: Sequence[bool], *, name_worth: float = 0.3) -> float:
    """Rates an address by the share of pages on which it finds something, plus ``name_worth`` for a
    class or id: positions change more often."""
    named = any(
        mark in address for mark in ("id(", "@class", "@id", "@itemprop", "normalize-space")
    )
    return sum(found) / len(found) + name_worth * named


def with_body(template: Template, node: etree._Element, *, pages: Sequence[Page]) -> Template:
    """A copy of the template whose body is at ``node``; an element that had been excluded from the
    body is included again."""
    edited = Template.from_dict(template.to_dict())
    around, removed = _body_of(template, _page_of(node, pages))
    out = [one for one in (node, *node.iterancestors()) if one in removed]
    if out and around is not None:
        _take_in(edited.body, out, around=around)
        return edited
    ways = [*addresses_of(node, Names([one.document for one in pages])), path_from_end(node)]
    able = [
        one
        for one in dict.fromkeys(ways)
        if is_address(one) and find(one, node.getroottree().getroot()) == [node]
    ]
    able.sort(key=lambda one: -_reach(one, [len(find(one, page.root)) == 1 for page in pages]))
    if not able:
        raise TemplateError(
            "body", "no address finds this element alone", "click the element around it"
        )
    without = [rule for rule in template.body.without if rule.startswith(".//")]
    edited.body = Body(able[:_KEPT], without, template.body.fixed_texts)
    edited.statistics["agreement"] = 1.0  # a person said so
    return edited


def _take_in(body: Body, out: Sequence[etree._Element], *, around: etree._Element) -> None:
    """Drop the rules and texts of a body that leave these elements out."""
    left_out = set(out)
    body.without = [rule for rule in body.without if left_out.isdisjoint(find(rule, around))]
    texts = {text_of(inner) for one in out for inner in one.iter("*")}
    body.fixed_texts = [text for text in body.fixed_texts if text not in texts]


@dataclass(frozen=True, slots=True)
class Removal:
    """A rule or a text that excludes elements from the body: ``elements`` elements on ``pages`` of
    the stored pages. Lower ranks are more general."""

    rule: str
    rank: int
    pages: int
    elements: int
    is_text: bool = False

    def applied(self, template: Template) -> Template:
        edited = Template.from_dict(template.to_dict())
        (edited.body.fixed_texts if self.is_text else edited.body.without).append(self.rule)
        return edited


def removals(
    template: Template,
    node: etree._Element,
    *,
    pages: Sequence[Page],
    most: float = 0.5,
    longest: int = 600,
) -> list[Removal]:
    """Ways to exclude ``node`` from the body, the most general first. A rule removes at most the
    share ``most`` of each body, a text has at most
    ``longest`` characters, the last way is the element's position. Raises TemplateError if the
    element is not inside the body."""
    around, _ = _body_of(template, _page_of(node, pages))
    if around is None or around not in node.iterancestors():
        raise TemplateError("not body", "the element is not inside the body", "click one inside it")
    names = Names([one.document for one in pages])
    bodies = list(filter(_is_element, [_body_of(template, one)[0] for one in pages]))
    inner = [node, *takewhile(lambda one: one is not around, node.iterancestors())]
    place = "./" + "/".join([step(one, names) for one in reversed(inner)])
    ways = dict[tuple[etree._Element, ...], Removal]()
    for rule in (*rule_addresses(node, around, names=names), *_shared_paths(inner, bodies)):
        found = _found(rule, bodies)
        alike = tuple(chain.from_iterable(found))
        if node in alike and max(map(_share, bodies, found)) <= most:
            ways.setdefault(alike, _removal(rule, found))
    here = _found(place, bodies)
    alike = tuple(chain.from_iterable(here))
    if node in alike:
        ways.setdefault(alike, replace(_removal(place, here), rank=_RANK_OF_PLACE))
    if text := _removal_of_text(node, bodies, longest=longest):
        ways[()] = text
    # of the element's own names the narrowest is first
    return sorted(ways.values(), key=lambda way: (way.rank, way.elements if not way.rank else 0))


def _is_element(found: etree._Element | None) -> TypeGuard[etree._Element]:
    return found is not None


def _found(rule: str, bodies: Sequence[etree._Element]) -> list[list[etree._Element]]:
    """What an address finds in each body; nothing for one that is no address."""
    if not is_address(rule):
        return []
    return [list(find(rule, body)) for body in bodies]


def _removal(rule: str, found: Sequence[Sequence[etree._Element]]) -> Removal:
    """A rule that finds these elements in the bodies. Line numbers are not like lines of words: a
    rule that finds both is less general."""
    alike = [*chain.from_iterable(found)]
    kinds = {any(map(str.isalpha, text_of(one))) for one in alike}
    rank = 1 if rule.count("/") > 2 else 0
    if len(kinds) > 1:
        rank = _RANK_OF_MIXED
    return Removal(rule, rank, sum(map(bool, found)), len(alike))


def _removal_of_text(
    node: etree._Element, bodies: Sequence[etree._Element], *, longest: int
) -> Removal | None:
    """The text of an element, if several elements have it."""
    text = text_of(node)
    same = [sum(text_of(one) == text for one in body.iter(str(node.tag))) for body in bodies]
    if sum(same) < 2 or len(text) >= longest:
        return None
    return Removal(text, _RANK_OF_TEXT, sum(map(bool, same)), sum(same), is_text=True)


def _shared_paths(
    inner: Sequence[etree._Element], bodies: Sequence[etree._Element]
) -> Iterator[str]:
    """Addresses that an element of ``inner`` (the clicked one and its ancestors below the body)
    shares with similar elements: by a class that several elements of the bodies have, and by tags.
    Cells of a table are distinguished by column."""
    column = sum(1 for _ in inner[0].itersiblings(str(inner[0].tag), preceding=True)) + 1
    ends = [f"[{column}]", ""] if inner[0].tag in ("td", "th") else [""]
    below = ""
    for above in inner:
        for token in (above.get("class") or "").split()[:4]:
            start = f".//{above.tag!s}{has_token(token)}"
            if is_address(start) and sum(len(find(start, body)) for body in bodies) > 1:
                yield from (f"{start}{below}{end if below else ''}" for end in ends)
        below = f"/{above.tag!s}{below}"
    yield from (f"./{below}{end}" for end in ends if len(inner) > 1)


def _share(body: etree._Element, found: Sequence[etree._Element]) -> float:
    """Share of the body's text inside the given elements, 0..1."""
    return sum(len(text_of(node)) for node in found) / max(1, len(text_of(body)))


def with_comments(
    template: Template, node: etree._Element, *, samples: Sequence[PageGuess], highest: int = 6
) -> Template:
    """A copy of the template whose comments are the elements similar to ``node`` or an ancestor.
    Raises TemplateError if none is found."""
    names, sheets = Names([sample.page.document for sample in samples]), align_pages(samples)
    for one in islice((node, *node.iterancestors()), highest):
        for address in filter(is_address, _units(one, names)):
            unit = UnitCandidate(address, address, find_units(address, sheets))
            found = {here.document.nodes[at] for here, at in elements_of(unit.pages, sheets)}
            if one in found and len(found) > 1:
                edited = Template.from_dict(template.to_dict())
                unit = enlarged_unit(unit, sheets, names=names)
                edited.records = describe_records(unit, sheets, names=names)
                edited.records.skip_first = bool(template.records and template.records.skip_first)
                return edited
    raise TemplateError(
        "comment", "nothing else on the pages is like this element", "click a whole comment"
    )


def _units(node: etree._Element, names: Names) -> Iterator[str]:
    """Addresses that may find all comments: by class or id, else as children of one element."""
    yield from unit_addresses(node, names)
    parent = node.getparent()
    if parent is not None and parent.tag != "body":
        yield from (f"{address}/{node.tag!s}" for address in addresses_of(parent, names))


def fitted(template: Template, pages: Sequence[Page]) -> Template:
    """The template with the lengths of its new bodies on these pages; checked against the old
    lengths, the new bodies would count as wrong."""
    template.statistics |= body_lengths(
        [one for one in (apply(template, page) for page in pages) if one.fit]
    )
    return template


def path_from_end(node: etree._Element) -> str:
    """The bare path with positions counted from the end. It remains valid if a block is inserted
    before ``node``."""
    steps: list[str] = []
    at: etree._Element | None = node
    while at is not None:
        after = sum(1 for _ in at.itersiblings(str(at.tag)))
        alone = not after and next(at.itersiblings(str(at.tag), preceding=True), None) is None
        steps.append(str(at.tag) if alone else f"{at.tag!s}[last(){f'-{after}' if after else ''}]")
        at = at.getparent()
    return "/" + "/".join(reversed(steps))


def _page_of(node: etree._Element, pages: Sequence[Page]) -> Page:
    root = node.getroottree().getroot()
    return next(page for page in pages if page.root is root)


def _body_of(template: Template, page: Page) -> tuple[etree._Element | None, set[etree._Element]]:
    """The element of the body, and the elements excluded from it."""
    body = apply(template, page).body
    return (body.node, body.removed) if body else (None, set())
