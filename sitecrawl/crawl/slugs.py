"""Paths of which a server reads the beginning only: ``/story/17/any-name`` shows story 17 under every
name. The site tells: pages below one folder that have one text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from sitecrawl.crawl.ledger import Fact, Lesson
from sitecrawl.crawl.soft_errors import is_asked
from sitecrawl.limits import LIMITS, forget_oldest
from sitecrawl.urls.canonical import url_key
from sitecrawl.urls.scope import bare_host

_ENOUGH = 3  # folders that agree; two may do so by chance
_DEEPEST = 8  # steps of a path that are looked at


@dataclass(slots=True)
class FolderText:
    """The first page that was read below a folder, and its text."""

    key: str
    text: str
    is_asked: bool = False  # whether a page below it had the headline that its link names
    is_repeated: bool = False  # whether another page below it had the same text
    is_other: bool = False  # whether another page below it had another text


@dataclass(slots=True)
class FolderCounts:
    """Folders of one shape: those below which two pages had one text, and those with another text."""

    same: int = 0
    other: int = 0

    @property
    def decide(self) -> bool:
        """Whether what follows such a folder in a path makes no difference."""
        return self.same >= _ENOUGH and self.same >= _ENOUGH * self.other


@dataclass(slots=True)
class Slugs:
    """What pages below each folder said."""

    texts: dict[str, FolderText] = field(default_factory=dict)
    shapes: defaultdict[str, FolderCounts] = field(
        default_factory=lambda: defaultdict(FolderCounts)
    )

    def take(self, lesson: Lesson) -> None:
        """Add the text of an article page."""
        reading = lesson.reading
        if lesson.fact is Fact.SAID and reading.text and "?" not in reading.url:
            digest = reading.text.split()[0].lstrip("+-")
            for folder, shape in _folders(reading.url):
                self._record(folder, shape, key=url_key(reading.url), text=digest)
                self.texts[folder].is_asked |= is_asked(reading.text)

    def knows(self, url: str) -> bool:
        """Whether a page shows what was read under the name that its link gives it, as far as the
        site has told."""
        known = filter(None, map(self.texts.get, self.deciding(url)))
        return any(text.is_asked and text.key != url_key(url) for text in known)

    def deciding(self, url: str) -> list[str]:
        """The folders above a page of which the site has told that what follows makes no
        difference."""
        if "?" in url:
            return []
        known = ((folder, self.shapes.get(shape)) for folder, shape in _folders(url))
        return [folder for folder, counts in known if counts is not None and counts.decide]

    def are_one(self, url: str, other: str) -> bool:
        """Whether the site shows one page at two URLs, as far as it has told."""
        return not set(self.deciding(url)).isdisjoint(self.deciding(other))

    def _record(self, folder: str, shape: str, *, key: str, text: str) -> None:
        known = self.texts.get(folder)
        if known is None:
            self.texts[folder] = FolderText(key, text)
            forget_oldest(self.texts, LIMITS.texts)
            return
        if known.key == key:
            return
        if known.text == text and not known.is_repeated:
            known.is_repeated = True
            self.shapes[shape].same += 1
        if known.text != text and not known.is_other:
            known.is_other = True
            self.shapes[shape].other += 1


def _folders(url: str) -> Iterator[tuple[str, str]]:
    """The folders above a page, from the root, and the shape of each: its host, its depth and its
    first step. The first step of a folder that is one step deep is blurred.

    >>> [shape for _, shape in _folders("http://a.org/story/17/a-name")]
    ['a.org 1 *', 'a.org 2 story']
    >>> [shape for _, shape in _folders("http://a.org/17/a-name")]
    ['a.org 1 #']
    """
    parts = urlsplit(url)
    host = bare_host(parts.netloc)
    steps = [step for step in parts.path.split("/") if step]
    folder = host
    for depth, step in enumerate(steps[: min(len(steps) - 1, _DEEPEST)], 1):
        folder += f"/{step}"
        first = steps[0]
        if depth == 1:
            first = "#" if any(map(str.isdigit, step)) else "*"
        yield folder, f"{host} {depth} {first}"
