"""How much of the pages' bodies stands in repeated units, and how much before them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sitecrawl.templates.sheet import Sheet


@dataclass(slots=True)
class Held:
    """Shares of the body's words, 0..1: in the units, in all but the first of each page, and before the first."""

    share: float = 0.0
    rest: float = 0.0
    before: float = 0.0


def held_by(address: str, sheets: Sequence[Sheet]) -> Held:
    """The shares that what ``address`` finds holds, over the pages where it finds something."""
    total = held = first = before = 0.0
    for sheet in sheets:
        numbers = sheet.numbers(address)
        if not numbers or not sheet.total:
            continue
        good, tree, end = sheet.held[0], sheet.page.tree, -1
        total, first = total + sheet.total, first + good[numbers[0]]
        before += _before(sheet, numbers[0])
        for number in numbers:
            held, end = held + (good[number] if number >= end else 0.0), max(end, tree.ends[number])
    total = max(1.0, total)
    return Held(held / total, (held - first) / total, before / total)


def _before(sheet: Sheet, number: int) -> float:
    """Kept words of the elements that end before an element starts."""
    tree, kept, words = sheet.page.tree, sheet.held[0], 0.0
    for above in tree.ancestors(number):
        child = above + 1
        while tree.ends[child] <= number:
            words, child = words + kept[child], tree.ends[child]
    return words
