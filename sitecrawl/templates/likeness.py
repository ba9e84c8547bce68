"""How like comments or posts repeated elements are."""

from __future__ import annotations

from collections.abc import Sequence

from lxml import etree

from sitecrawl.dom.align import Names
from sitecrawl.dom.blocks import BITS, hint_bits
from sitecrawl.templates.address import text_of
from sitecrawl.templates.growth import grown
from sitecrawl.templates.held import held_by
from sitecrawl.templates.sheet import Sheet
from sitecrawl.templates.signs import Signs, profile_stem
from sitecrawl.templates.units import Unit, candidates, speaks
from sitecrawl.text.chars import word_count
from sitecrawl.text.dates import parse_date

_ASIDE = BITS["nav"] | BITS["side"]
_TALK = BITS["comment"] | BITS["forum"]
_SIGNED = 0.3
_TEASER = 1.0
_KEPT = 0.5
"""Weight of the share of the body's words that stand in the units after the first."""
_HALF = 0.5
_BESIDE = 0.8
_TITLE = 4
"""Words of the shortest title."""


def best_unit(sheets: Sequence[Sheet], names: Names) -> Unit | None:
    """The unit most like a comment or post: dated, signed, called so, with words and few links; None without repetition."""
    signs = Signs()
    units = [grown(unit, sheets, names, signs) for unit in candidates(sheets, names)]
    for unit in units:
        unit.score, unit.bonus = _score(unit, signs), _bonus(unit, signs)
    return max(units, key=lambda unit: _worth(unit, sheets), default=None)


def _worth(unit: Unit, sheets: Sequence[Sheet]) -> tuple[float, int, bool]:
    total = unit.score + unit.bonus + _KEPT * held_by(unit.address, sheets).rest
    return round(total, 1), len(unit.nodes), speaks(unit.address)


def linked(nodes: Sequence[etree._Element]) -> float:
    """Share of linked characters in the texts of ``nodes``."""
    links = sum(len("".join(a.itertext()).strip()) for node in nodes for a in node.iter("a"))
    return links / max(1, sum(len(text_of(node)) for node in nodes))


def _score(unit: Unit, signs: Signs) -> float:
    """Dates in short lines, words beside links, names of talk; a unit that holds others of its kind is no unit."""
    nodes, marks = unit.sample, frozenset(unit.nodes)
    texts = [text_of(node) for node in nodes]
    dated = sum(_dated(node, marks, signs) for node in nodes) / len(nodes)
    words = sum(min(20, word_count(text)) for text in texts) / len(nodes)
    bits = hint_bits(unit.called)
    talk = bool(bits & _TALK) and not bits & _ASIDE
    varied = len(set(texts)) / len(texts)
    return (dated + 0.8 * talk + words / 20 - 1.5 * max(0.0, linked(nodes[1:]) - 0.4)) * (varied > 0.6) * (words >= 4)


def _dated(node: etree._Element, marks: frozenset[etree._Element], signs: Signs) -> float:
    """Whether a unit holds one date; less when the element beside it does, a row above the post."""
    if signs.dated(node):
        return 1.0
    beside = (next(node.itersiblings(preceding=before), None) for before in (True, False))
    return _BESIDE * any(other is not None and other not in marks and signs.dated(other) for other in beside)


def _bonus(unit: Unit, signs: Signs) -> float:
    """What speaks for a unit beside others: names of authors; against it: titles that lead to other pages."""
    nodes = unit.sample
    signed = sum(1 + signs.dated(node) for node in nodes if signs.signed(node)) / len(nodes)
    titles = {title for node in nodes if (title := _title_link(node))}
    against = _TEASER * (_HALF if unit.is_comment else 1.0)
    return _SIGNED * signed - against * (len(titles) > _HALF * len(nodes))


def _title_link(node: etree._Element) -> str | None:
    """The first link that is a line with the words of a title, unless to a place on a page, to a person, or from a date."""
    for link in node.iter("a"):
        href, text, parent = link.get("href") or "#", text_of(link), link.getparent()
        if word_count(text) < _TITLE or "#" in href or profile_stem(link) or parse_date(text):
            continue
        if parent is node or parent is None or text_of(parent) == text:
            return text
    return None
