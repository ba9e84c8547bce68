"""A synthetic portal and its pages: what a link to each is labelled, and how it is written."""

from __future__ import annotations

from binascii import crc32
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from random import Random
from typing import Any, TypeVar

from benchmarks.portals.schemes import Family
from benchmarks.portals.style import Style
from benchmarks.portals.tongue import Tongue

ARTICLE, SECTION, OTHER = "article", "section", "other"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Item:
    """A page of a site: path (and query), what it is called, what a link to it is labelled; the section it belongs to."""

    path: str
    title: str
    label: str
    day: date
    above: Item | None = None


@dataclass(slots=True)
class Site:
    """One portal. ``labels`` tells what every path leads to; what is not in it is ``other``.

    ``base`` is the folder that all its paths lie in, ``prefix`` what it writes before them; ``routes`` are the fields of
    the URLs of its sections; ``lean`` sites have little beside a menu and a list. ``memo`` holds what was drawn once.
    """

    number: int
    chance: Random
    kind: str
    tongue: Tongue
    style: Style
    host: str
    name: str
    fields: dict[str, str]
    lean: bool = False
    base: str = ""
    prefix: str = ""
    labels: dict[str, str] = field(default_factory=dict)
    routes: dict[str, dict[str, object]] = field(default_factory=dict)
    sections: list[Item] = field(default_factory=list)
    subs: list[Item] = field(default_factory=list)
    fixed: list[Item] = field(default_factory=list)
    articles: list[Item] = field(default_factory=list)
    tags: list[Item] = field(default_factory=list)
    months: list[Item] = field(default_factory=list)
    indexes: list[Item] = field(default_factory=list)
    people: list[Item] = field(default_factory=list)
    tasks: list[Item] = field(default_factory=list)
    products: list[Item] = field(default_factory=list)
    shelves: list[Item] = field(default_factory=list)
    traits: frozenset[str] = frozenset()
    family: Family | None = None
    memo: dict[str, Any] = field(default_factory=dict)

    def once(self, key: str, make: Callable[[], T]) -> T:
        """What was made for a key the first time it was asked for."""
        if key not in self.memo:
            self.memo[key] = make()
        found: T = self.memo[key]
        return found

    def add(self, into: list[Item], scheme: str, item: Item, fields: Mapping[str, object]) -> Item | None:
        """Add a page under the path that a scheme makes of the fields, unless there is one: None then."""
        path = self.kept(self.base + scheme.format_map({**self.fields, **fields}))
        if path in self.labels or path.rstrip("/") in self.labels:
            return None
        self.labels[path] = item.label
        into.append(Item(path, item.title, item.label, item.day, item.above))
        return into[-1]

    def kept(self, path: str) -> str:
        """A path under the name that it has here: on a mirror that of a file."""
        return mirrored(path) if "mirror" in self.traits else path

    def labelled(self, path: str, label: str) -> str:
        """A path as it is written here, after what it leads to was noted."""
        path = self.kept(path)
        self.labels.setdefault(path.partition("#")[0], label)
        return path

    def href(self, path: str) -> str:
        """A path as the site writes it: absolute, from the root, or with the protocol left out."""
        return path if path[:1] != "/" else f"{self.prefix}{path}"

    def link(self, item: Item, text: str = "", attributes: str = "") -> str:
        """A link to a page, with its title where no other text is given."""
        return f'<a href="{self.href(item.path)}"{attributes}>{text or item.title}</a>'

    @property
    def home(self) -> Item:
        """The front page."""
        return Item(self.kept(f"{self.base}/"), self.tongue.phrases("home")[self.number % 2], SECTION, date(2024, 5, 1))

    def label(self, url: str) -> str:
        """What an absolute URL leads to."""
        scheme, found, path = url.partition("#")[0].partition(f"//{self.host}")
        return self.labels.get(path or "/", OTHER) if found and scheme.endswith(":") else OTHER


def mirrored(path: str) -> str:
    """A path as a copy on disk names it: every page is a file, a query four characters of its checksum.

    >>> mirrored("/news/"), mirrored("/a/12"), mirrored("/list.php?page=2"), mirrored("/a.htm#top")
    ('/news/index.html', '/a/12.html', '/list2dd0.html', '/a.htm#top')
    """
    path, mark, fragment = path.partition("#")
    path, asked, query = path.partition("?")
    folder, _, name = path.rpartition("/")
    stem, dot, ending = (name or "index.html").rpartition(".")
    stem, ending = (stem, ending) if dot else (ending, "html")
    ending = ending if ending in ("htm", "html", "shtml") else "html"
    code = f"{crc32(query.encode()) & 0xFFFF:04x}" if asked else ""
    return f"{folder}/{stem}{code}.{ending}{mark}{fragment}"
