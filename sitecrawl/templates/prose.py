"""Which part of a record is its text."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from lxml import etree

from sitecrawl.templates.parts import Part, length_of, names_in
from sitecrawl.templates.roles import Units

_TEXT_NAME = re.compile(r"content|text|body|message|entry", re.I)
_NO_TEXT_NAME = re.compile(
    r"signature|\bsig\b|profile|user-?info|avatar|author|quote|title|subject|attach|action|button", re.I
)
_LIKED, _DISLIKED = 1.3, 0.3
_PIECES = tuple(f"/{tag}" for tag in "p a b i em strong span h2 h3 h4 h5 blockquote p[1] p[2] p[3]".split())
_PIECE, _WHOLE = 0.6, 0.75
"""Weight of addresses that find a piece of a text, and the share of the record's words from which one may stand for all."""
_REPEATED = 1.6
"""Elements a unit from which an address names pieces of a text, not the text."""
_NEARLY = 0.7
"""Share of the best part's worth from which a narrower part is preferred."""
_EVERYWHERE = 0.9
"""Share of the best part's units in which the narrower part must be."""
_ENOUGH = 0.25
"""Worth, as a share of the best, of a part without name and date of the author beside one that holds them."""
_HOLDS = 0.4
"""Share of the units from which a part holds name or date."""


@dataclass(slots=True)
class _Choice:
    """A part, its words a unit, those weighed by what it is called, and whether it holds name or date of the author."""

    part: Part
    words: float
    worth: float
    holds: bool

    @property
    def units(self) -> int:
        return sum(node is not None for node in self.part.nodes)


def text_part(
    parts: Sequence[Part], units: Units, taken: Sequence[Part | None], weigh: Callable[[etree._Element], float]
) -> Part | None:
    """The part with most words as ``weigh`` counts them, and the narrowest of those with nearly as many.

    Name and date (``taken``) are left outside if they can be; None where only the whole unit holds all of the text.
    """
    holders = _holders(taken, units)
    choices = [_choice(part, holders, weigh) for part in parts if _may_be_text(part, taken)]
    best = max(choices, key=lambda one: one.worth, default=None)
    free = max((one for one in choices if not one.holds), key=lambda one: one.worth, default=None)
    if best is not None and free is not None and free.worth >= _ENOUGH * best.worth:
        best, choices = free, [one for one in choices if not one.holds]
    if best is None or best.worth <= 1:
        return None
    near = [one for one in choices if one.worth >= _NEARLY * best.worth and one.units >= _EVERYWHERE * best.units]
    chosen = min(near, key=lambda one: (round(one.words, 1), length_of(one.part)))
    return None if chosen.words < _WHOLE * _all_words(units, taken, weigh) and _is_piece(chosen.part) else chosen.part


def _may_be_text(part: Part, taken: Sequence[Part | None]) -> bool:
    found = sum(node is not None for node in part.nodes)
    return part.count <= _REPEATED * found and part not in taken and length_of(part) > 0


def _choice(
    part: Part, holders: Sequence[Collection[etree._Element]], weigh: Callable[[etree._Element], float]
) -> _Choice:
    words = sum(weigh(node) for node in part.nodes if node is not None) / len(part.nodes)
    names = names_in(part)
    weight = _DISLIKED if _NO_TEXT_NAME.search(names) else _LIKED if _TEXT_NAME.search(names) else 1.0
    weight *= _PIECE if _is_piece(part) else 1.0
    held = sum(node is not None and node in above for node, above in zip(part.nodes, holders, strict=True))
    return _Choice(part, words, weight * words, held > _HOLDS * len(part.nodes))


def _is_piece(part: Part) -> bool:
    return part.address.endswith(_PIECES)


def _all_words(units: Units, taken: Sequence[Part | None], weigh: Callable[[etree._Element], float]) -> float:
    """Words of a unit beside name and date."""
    aside = sum(weigh(node) for part in taken if part for node in part.nodes if node is not None)
    return (sum(map(weigh, units.nodes)) - aside) / len(units.nodes)


def _holders(parts: Sequence[Part | None], units: Units) -> list[Collection[etree._Element]]:
    """For each unit the elements that hold one of ``parts``."""
    found: list[Collection[etree._Element]] = []
    for number in range(len(units.nodes)):
        nodes = [node for part in parts if part and (node := part.nodes[number]) is not None]
        found.append({above for node in nodes for above in (node, *node.iterancestors())})
    return found
