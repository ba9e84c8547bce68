"""The text of an article that a page holds only as data for its scripts: as ``articleBody`` of
JSON-LD, or in the state of the program that draws the page (``__NEXT_DATA__`` and its kin)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from sitecrawl.dom.linked_data import load_json
from sitecrawl.dom.page import Page
from sitecrawl.text.chars import CJK, word_count
from sitecrawl.text.names import squeeze

_SHOWN_WORDS = 60  # words that are shown, from which the state of programs is not read
_PROBED_WORDS = 5  # of a block that is looked for in other text; shorter ones occur anywhere
_PROBE = 24  # letters of a block that are looked for
_MOST_SCRIPTS = 40  # of a page that are read
_LEAST_SCRIPT = 500  # characters; a shorter script holds no article
_MOST_VALUES = 20_000  # values of a script that are visited
_LEAST_TEXT = 30  # words of an article in the state of a program
_LEAST_PIECE = 20  # characters of its pieces on average: shorter ones are labels
_CJK = re.compile(f"[{CJK}]{{4}}")  # in a script without blanks it tells a text from a code
_TITLES = ("headline", "title", "name")


class DataText(NamedTuple):
    """A text that stands only in data, and where: ``json-ld`` or ``data``; empty without one."""

    text: str
    origin: str


NO_TEXT = DataText("", "")


def text_in_data(page: Page, headline: str, *, shown: Sequence[str], words: int) -> DataText:
    """The text of the article in the data of a page that shows none, or shows less and something
    else; ``shown`` are the texts of the blocks that were taken for the body, which have so many
    ``words``."""
    linked = page.metadata.linked.get("articleBody")
    if isinstance(linked, str) and linked.strip() and _is_missing(linked, shown, words=words):
        return DataText(linked, "json-ld")
    if words >= _SHOWN_WORDS:
        return NO_TEXT
    stored = _text_of_state(page, squeeze(headline))
    if stored and _is_missing(stored, shown, words=words):
        return DataText(stored, "data")
    return NO_TEXT


def _is_missing(text: str, shown: Sequence[str], *, words: int) -> bool:
    """Whether what is shown is shorter than a text, and no part of it."""
    if not shown:
        return True
    if words >= word_count(text):
        return False
    whole = squeeze(text)
    for block in shown:
        letters = squeeze(block)
        if word_count(block) < _PROBED_WORDS or len(letters) < _PROBE:
            continue
        middle = (len(letters) - _PROBE) // 2
        probes = letters[:_PROBE], letters[middle : middle + _PROBE], letters[-_PROBE:]
        if any(map(whole.__contains__, probes)):
            return False
    return True


def _text_of_state(page: Page, headline: str) -> str:
    """The longest text in the object of a script that has the headline of the page."""
    if len(headline) < _PROBED_WORDS:
        return ""
    best = ""
    for script in islice(page.root.iter("script"), _MOST_SCRIPTS):
        source = script.text or ""
        kind = script.get("type") or ""
        if len(source) < _LEAST_SCRIPT or "ld+json" in kind:
            continue
        for found in _objects_about(load_json(source), headline):
            text = _longest_text(found)
            if len(text) > len(best):
                best = text
    return best if word_count(best) >= _LEAST_TEXT else ""


def _objects_about(data: Any, headline: str) -> Iterator[dict[str, Any]]:
    """The objects that have the headline as a value of their own."""
    waiting = [data]
    for value in islice(waiting, _MOST_VALUES):  # it grows while it is read
        if isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, dict):
            waiting.extend(value.values())
            if any(
                isinstance(own, str) and squeeze(own[:1_000]) == headline for own in value.values()
            ):
                yield value


def _longest_text(found: dict[str, Any]) -> str:
    """The texts under the key that has most of it, in their order. Objects with a title of their
    own are other articles."""
    pieces: dict[str, list[str]] = {}
    waiting: list[tuple[str, Any]] = [("", found)]
    for _ in range(_MOST_VALUES):
        if not waiting:
            break
        key, value = waiting.pop()
        if isinstance(value, str):
            if " " in value or _CJK.search(value):
                pieces.setdefault(key, []).append(value)
        elif isinstance(value, list):
            waiting.extend((key, one) for one in reversed(value))
        elif isinstance(value, dict) and (value is found or not _is_titled(value)):
            waiting.extend(reversed(value.items()))
    prose = [own for own in pieces.values() if sum(map(len, own)) >= _LEAST_PIECE * len(own)]
    return "\n".join(max(prose, key=lambda own: sum(map(len, own)), default=[]))


def _is_titled(value: dict[str, Any]) -> bool:
    return any(isinstance(value.get(title), str) and value[title] for title in _TITLES)
