"""Superscripts and subscripts in plain text, where 2 with a raised 14 must not read 214."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from sitecrawl.dom.tree import Flat
from sitecrawl.resources import table_beside

Texts = list[str | None]
_TABLE = table_beside(__file__)
_SIGNS = {tag: {pair[0]: pair[1] for pair in _TABLE[tag].split()} for tag in ("sup", "sub")}
"""The signs of Unicode for each character that has one (Superscripts and Subscripts, Phonetic
Extensions)."""
_VARIABLES = {tag: frozenset(letters.split()) for tag, letters in _TABLE["variables"].items()}
"""Letters that stand alone above or below a line in formulas; others abbreviate: 1er, No."""
RAISED = frozenset(_SIGNS)
_MARK = {"sup": "^", "sub": "_"}  # before what Unicode has no signs for, as in LaTeX
_CALCULATES = re.compile(r"[+=−/·×]|^[-–]|\b\w[-–]\w\b")
_BRACKETED = re.compile(r"[\[(（［【].*[\])）］】]")
_LEVELS = 10  # elements around one in which code is looked for
_LONGEST = 40  # characters; a longer text is no exponent, index or note mark


def with_raised(
    flat: Flat, hidden: Collection[int], *, within: Collection[str] = ()
) -> tuple[Texts, Texts]:
    """Texts and tails of a part of a page, superscripts and subscripts in signs of Unicode: all, or
    those ``within`` some elements."""
    texts = list(flat.texts)
    tails = list(flat.tails)
    end = 0
    for at, tag in enumerate(flat.tags):
        if at < end or tag not in RAISED or at in hidden:
            continue
        if within and not _is_within(flat, at, tags=within):
            continue
        end = flat.ends[at]
        places = list(_places(flat, at, hidden=hidden))
        columns = [tails if is_tail else texts for is_tail, _ in places]
        own = [column[place] or "" for column, (_, place) in zip(columns, places, strict=True)]
        before = _text_before(flat, at)[-1:]
        behind = (tails[at] or "")[:1]
        written = _pieces(tag, own, before=before, behind=behind)
        for column, (_, place), piece in zip(columns, places, written, strict=True):
            column[place] = piece
    return texts, tails


def _is_within(flat: Flat, at: int, *, tags: Collection[str]) -> bool:
    for _ in range(_LEVELS):
        at = flat.parents[at]
        if at < 0:
            return False
        if flat.tags[at] in tags:
            return True
    return False


def _places(flat: Flat, at: int, *, hidden: Collection[int]) -> Iterator[tuple[bool, int]]:
    """Where the visible texts in an element stand: whether it is a tail, and of which element."""
    yield False, at
    shown_from = at
    for inner in range(at + 1, flat.ends[at]):
        if inner < shown_from:
            continue
        if inner in hidden:
            shown_from = flat.ends[inner]
        else:
            yield False, inner
        yield True, inner


def _text_before(flat: Flat, at: int) -> str:
    """The text right before an element within the one around it."""
    parent = flat.parents[at]
    if parent < 0:
        return ""
    beside = flat.nodes[at].getprevious()
    return (flat.texts[parent] if beside is None else beside.tail) or ""


def _pieces(tag: str, own: list[str], *, before: str, behind: str) -> list[str]:
    """The texts of one superscript or subscript as they are written."""
    whole = "".join(own).strip()
    written = raised(tag, whole, before=before, behind=behind)
    if written == whole:
        return own
    if written[0] != _MARK[tag]:
        signs = _SIGNS[tag]
        return ["".join([signs.get(char, char) for char in text]).strip() for text in own]
    filled = [place for place, text in enumerate(own) if text.strip()]
    opening, _, closing = written.partition(whole)
    own[filled[0]] = opening + own[filled[0]].lstrip()
    own[filled[-1]] = own[filled[-1]].rstrip() + closing
    return own


def raised(tag: str, text: str, *, before: str = "", behind: str = "") -> str:
    """A superscript or subscript as plain text; ``before`` and ``behind`` are the characters beside
    it.

    >>> [raised("sup", text, before="2") for text in ("14", "-6", "n+1", "nd", "[3]", "qk+1")]
    ['¹⁴', '⁻⁶', 'ⁿ⁺¹', 'nd', '[3]', '^(qk+1)']
    >>> raised("sub", "2", before="O"), raised("sub", "2", behind="8"), raised("sub", "n-1")
    ('2', '₂', 'ₙ₋₁')
    """
    if not text or len(text) > _LONGEST or _BRACKETED.fullmatch(text):
        return text
    # a number below the line that touches no other number is read as it is meant: CO2; not log2n
    touches = before.isdigit() or behind.isdigit() or behind.islower()
    is_plain = tag == "sub" and text.isdecimal() and not touches
    if is_plain or not _is_formula(tag, text):
        return text
    signs = _SIGNS[tag]
    if all(char in signs or not char.isalnum() for char in text):
        return "".join([signs.get(char, char) for char in text])
    if not before.isalnum():
        return text
    return _MARK[tag] + (text if len(text) == 1 else f"({text})")


def _is_formula(tag: str, text: str) -> bool:
    if text in _VARIABLES[tag] or any(map(str.isdigit, text)):
        return True
    return _CALCULATES.search(text) is not None
