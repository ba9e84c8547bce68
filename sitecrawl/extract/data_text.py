"""The text of an article that a page holds only as data for its scripts: as ``articleBody`` of
JSON-LD, or in the state of the program that draws the page (``__NEXT_DATA__`` and its kin)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from sitecrawl.dom.page import Page
from sitecrawl.extract.script_data import data_about, is_source, read_source
from sitecrawl.text.chars import CJK, unescaped, word_count
from sitecrawl.text.names import squeeze

_SHOWN_WORDS = 60  # words that are shown, from which the state of programs is not read
_PROBED_WORDS = 5  # of a block that is looked for in other text; shorter ones occur anywhere
_PROBE = 24  # letters of a block that are looked for
_MOST_VALUES = 20_000  # values of a script that are visited
_MOST_OBJECTS = 20  # with the headline that are read
_WRAPPED = 3  # objects and lists around a headline that hold nothing else
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
    linked = _told_text(page)
    if linked and _is_missing(linked, shown, words=words):
        return DataText(linked, "json-ld")
    if words >= _SHOWN_WORDS:
        return NO_TEXT
    stored = _text_of_state(page, headline)
    if stored and _is_missing(stored, shown, words=words):
        return DataText(stored, "data")
    return NO_TEXT


def _told_text(page: Page) -> str:
    """The text in the metadata of a page, in the vocabulary of schema.org; empty without one."""
    linked = page.metadata.linked
    told = (
        linked.get("articleBody") or linked.get("text") or page.metadata.first("articlebody") or ""
    )
    if isinstance(told, list):
        told = "\n".join([part for part in told if isinstance(part, str)])
    return told.strip() if isinstance(told, str) else ""


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
    """The longest text in the objects of the page's data that have its headline."""
    letters = squeeze(headline)
    if len(letters) < _PROBED_WORDS:
        return ""
    best = ""
    for data in data_about(page.root, headline):
        state = _State(data, letters)
        for found in state.about[:_MOST_OBJECTS]:
            text = _longest_text(found, state.entities)
            if len(text) > len(best):
                best = text
    return best if word_count(best) >= _LEAST_TEXT else ""


class _State:
    """What is found in some data: ``about`` are the objects that have the headline as a value, and
    those around them; ``entities`` are objects that others name instead of holding them (Apollo)."""

    def __init__(self, data: Any, headline: str) -> None:
        self.about: list[dict[str, Any]] = []
        self.entities: dict[str, dict[str, Any]] = {}
        self._headline = headline
        waiting: list[tuple[Any, Any]] = [(data, None)]
        for value, around in islice(waiting, _MOST_VALUES):  # it grows while it is read
            if isinstance(value, dict):
                self._look_at(value, around)
                waiting.extend((inner, value) for inner in value.values())
            elif isinstance(value, list):
                waiting.extend((inner, around) for inner in value)
            elif isinstance(value, str) and is_source(value):
                waiting.append((read_source(value), around))

    def _look_at(self, value: dict[str, Any], around: Any) -> None:
        for key, inner in value.items():
            if isinstance(inner, dict) and ":" in key:
                self.entities[key] = inner
        if any(map(self._is_headline, value.values())):
            self.about.append(value)
            # what describes an article may stand in an object of its own, beside the text
            if isinstance(around, dict) and any(inner is value for inner in around.values()):
                self.about.append(around)

    def _is_headline(self, value: Any) -> bool:
        """Whether a value is the headline, or holds nothing else: ``{"rendered": "..."}``."""
        for _ in range(_WRAPPED):
            if isinstance(value, dict):
                value = list(value.values())
            if not isinstance(value, list) or len(value) != 1:
                break
            value = value[0]
        return isinstance(value, str) and squeeze(unescaped(value[:1_000])) == self._headline


class _Piece(NamedTuple):
    """A text, the keys that lead to it from the last list, the line it is a part of (0 without one),
    and whether it is an entry of a list itself."""

    key: str
    text: str
    line: int
    is_entry: bool


def _longest_text(found: dict[str, Any], entities: Mapping[str, dict[str, Any]]) -> str:
    """The texts under the key that has most of it, and the lists between them, in their order."""
    pieces = list(_pieces(found, entities))
    by_key: dict[str, list[_Piece]] = {}
    for piece in pieces:
        by_key.setdefault(piece.key, []).append(piece)
    prose = [own for own in by_key.values() if _is_prose(own)]
    if not prose:
        return ""
    best = max(prose, key=lambda own: sum(len(piece.text) for piece in own))
    first = pieces.index(best[0])
    last = pieces.index(best[-1])
    text = ""
    line = 0
    for piece in pieces[first : last + 1]:
        if piece.key != best[0].key and not piece.is_entry:
            continue
        is_joined = piece.line and piece.line == line
        text += piece.text if not text or is_joined else f"\n{piece.text}"
        line = piece.line
    return text


def _is_prose(own: list[_Piece]) -> bool:
    lines = {piece.line or -at for at, piece in enumerate(own, 1)}
    is_text = any(" " in piece.text or _CJK.search(piece.text) for piece in own)
    return is_text and sum(len(piece.text) for piece in own) >= _LEAST_PIECE * len(lines)


class _Value(NamedTuple):
    """A value that is still to be read: the keys that lead to it from the last list, how many lists
    it is in, and the line that it is a part of."""

    key: str
    value: Any
    level: int = 0
    line: int = 0
    is_entry: bool = False


def _pieces(found: dict[str, Any], entities: Mapping[str, dict[str, Any]]) -> Iterator[_Piece]:
    """The texts in an object, in their order. Objects with a title of their own are other articles."""
    waiting = [_Value("", found)]
    seen: set[int] = set()
    for number in range(1, _MOST_VALUES):
        if not waiting:
            break
        one = waiting.pop()
        value = one.value
        if isinstance(value, str):
            if one.line or " " in value or _CJK.search(value):
                yield _Piece(one.key, value, one.line, one.is_entry)
        elif isinstance(value, (dict, list)) and id(value) not in seen:
            seen.add(id(value))
            if isinstance(value, list):
                waiting += _entries(one, number)
            elif value is found or not _is_titled(value):
                waiting += _members(one, entities)


def _entries(one: _Value, number: int) -> list[_Value]:
    """The entries of a list, the last first. The parts of a line stand in a list within the list of
    the lines; that line is called by a ``number``."""
    is_line = one.level and not one.line and not _holds_lists(one.value)
    line = number if is_line else one.line
    texts = [isinstance(entry, str) for entry in one.value]
    return [
        _Value(one.key if is_text else "", entry, one.level + 1, line, is_text)
        for entry, is_text in reversed(list(zip(one.value, texts, strict=True)))
    ]


def _members(one: _Value, entities: Mapping[str, dict[str, Any]]) -> list[_Value]:
    """The values of an object, the last first; where it only names another, the values of that."""
    named = one.value.get("__ref")
    value = entities.get(named, one.value) if isinstance(named, str) else one.value
    return [
        one._replace(key=f"{one.key}.{name}", value=inner)
        for name, inner in reversed(value.items())
    ]


def _holds_lists(value: list[Any]) -> bool:
    """Whether the entries of a list hold lists."""
    objects = [one for one in value if isinstance(one, dict)]
    return any(isinstance(one, list) and one for inner in objects for one in inner.values())


def _is_titled(value: dict[str, Any]) -> bool:
    return any(isinstance(value.get(title), str) and value[title] for title in _TITLES)
