"""Answers that a page shows after a click: the texts below questions, buttons and terms, which are
collapsed until then. They belong to the body as what they are below."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from sitecrawl.dom.blocks import ASIDE, BITS, HIDDEN, Flags
from sitecrawl.dom.document import Document
from sitecrawl.dom.page import Page
from sitecrawl.dom.tree import HEADINGS, is_hidden

_CONTROLS = ("aria-controls", "aria-expanded", "data-target", "data-bs-target")
_CONTROLS_OF = ("aria-controls", "data-bs-target", "data-target")
_ASKS = frozenset(("dt", "summary", "button", "label", *HEADINGS))
"""Elements that what is collapsed stands below."""
_QUESTION_MARKS = ("?", "？", "؟", ";", "՞")
_QUESTION_CHARS = 300
_ASKING_ELEMENTS = 200  # of a question that are looked at
_MOST = 400  # answers of a page
_ELSEWHERE = ASIDE & ~HIDDEN & ~BITS["nav"]
"""Parts of a page whose answers are none of the article; tabs are named like menus."""
_LINKED = 0.5  # share of an answer's characters in links: with more it is a menu
_GAP = 2  # blocks of a question, or between it and its answer, such as a sign that opens it


class _Collapsed(NamedTuple):
    """The blocks of a question, ``asked:told``, and those of its answer, ``begin:end``."""

    asked: int
    told: int
    begin: int
    end: int


def with_collapsed(page: Page, kept: Flags) -> Flags:
    """``kept`` with the collapsed answers, and their questions, that belong to it."""
    answers = _answers(page)
    if not answers:
        return kept
    rows = [[answers[0]]]
    for answer in answers[1:]:
        if answer.asked - rows[-1][-1].end <= _GAP:
            rows[-1].append(answer)
        else:
            rows.append([answer])
    whole = kept.copy()
    for row in rows:
        if _is_of_body(row, kept, texts=page.document.blocks.texts):
            for answer in row:
                whole[answer.asked : answer.told] = True
                whole[answer.begin : answer.end] = True
    return whole


def _is_of_body(row: list[_Collapsed], kept: Flags, *, texts: Sequence[str]) -> bool:
    """Whether a row of questions and answers belongs to the body: most are kept, or it stands amid
    what is kept, or what it asks below that ends as questions do."""
    count = 0
    asking = 0
    for one in row:
        if kept[one.asked : one.told].any() or kept[one.begin : one.end].all():
            count += 1
        if texts[one.told - 1].endswith(_QUESTION_MARKS):
            asking += 1
    if 2 * count > len(row):
        return True
    begin = row[0].asked
    end = row[-1].end
    is_below = bool(kept[max(0, begin - _GAP) : begin].any())
    is_amid = is_below and bool(kept[end : end + _GAP].any())
    return is_amid or (is_below and len(row) > 1 and 2 * asking > len(row))


def _answers(page: Page) -> list[_Collapsed]:
    """The collapsed texts of a page that stand right below what opens them, in their order."""
    document = page.document
    blocks = document.blocks
    first, last = document.ranges
    sums = blocks.sums
    found: list[_Collapsed] = []
    for panel, control in sorted(_panels(document).items()):
        answer = _Collapsed(
            int(first[control]), int(last[control]), int(first[panel]), int(last[panel])
        )
        is_below = answer.told <= answer.begin <= answer.told + _GAP and answer.begin < answer.end
        is_question = 0 < answer.told - answer.asked <= _GAP
        if not is_below or not is_question or document.above[panel] & _ELSEWHERE:
            continue
        linked, _, chars, _ = sums[:, answer.end] - sums[:, answer.begin]
        if linked <= _LINKED * chars and (not found or answer.begin >= found[-1].end):
            found.append(answer)
    return found


def _panels(document: Document) -> dict[int, int]:
    """What opens each element that is collapsed, by their numbers."""
    controls = _controls(document)
    panels = _named_panels(document, controls)
    for label in document.tagged("label")[:_MOST]:
        box = document.nodes[label].getprevious()
        opened = document.nodes[label].getnext()
        # a style sheet shows what stands behind while the box is ticked
        is_opened = box is not None and box.get("type") in ("checkbox", "radio")
        if is_opened and opened is not None and opened in document.number:
            panels.setdefault(document.number[opened], label)
    for hidden in [*document.attributes["hidden"], *_unshown(document)][:_MOST]:
        at = _before(document, hidden)
        if at is not None and hidden not in panels and _asks(document, at, controls=controls):
            panels[hidden] = at
    return panels


def _named_panels(document: Document, controls: list[int]) -> dict[int, int]:
    """What controls name as the element that they open."""
    panels: dict[int, int] = {}
    named = document.holders("id") if controls else {}
    for control in controls:
        node = document.nodes[control]
        target = next(filter(None, map(node.get, _CONTROLS_OF)), "").lstrip("#")
        for panel in named.get(target, ())[:1]:
            panels[panel] = control
    return panels


def _asks(document: Document, at: int, *, controls: list[int]) -> bool:
    """Whether an element is a question or a heading, or holds a control."""
    end = min(document.ends[at], at + _ASKING_ELEMENTS)
    if not _ASKS.isdisjoint(document.tags[at:end]) or any(at <= one < end for one in controls):
        return True
    return document.text(at, most=_QUESTION_CHARS).endswith(_QUESTION_MARKS)


def _before(document: Document, panel: int) -> int | None:
    """The element before one, behind a sign that opens it."""
    node = document.nodes[panel].getprevious()
    for _ in range(_GAP):
        at = document.number.get(node) if node is not None else None
        if at is None or any(map(str.isalnum, document.text(at, most=_QUESTION_CHARS))):
            return at
        node = document.nodes[at].getprevious()
    return None


def _controls(document: Document) -> list[int]:
    """The elements of the body that open others."""
    found = set(chain.from_iterable([document.attributes[name] for name in _CONTROLS]))
    body = next(iter(document.tagged("body")), len(document))
    return sorted([at for at in found if at > body])[:_MOST]


def _unshown(document: Document) -> list[int]:
    styles = document.attributes["style"]
    hiding = {style for style in {*styles.values()} if is_hidden(style)}
    return [at for at, style in styles.items() if style in hiding]
