"""The headline: the heading that the page's own titles confirm, never the site's name."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from itertools import compress
from urllib.parse import urljoin, urlsplit

from lxml import etree

from sitecrawl.dom.blocks import BITS, HIDDEN, ZONE
from sitecrawl.dom.metadata import Metadata, linked_text
from sitecrawl.extract.features import View
from sitecrawl.text.chars import fold
from sitecrawl.text.titles import SEPARATOR, squeeze, strip_site_name

_WEIGHT = {"h1": 1.0, "h2": 0.6, "h3": 0.3, "h4": 0.1}
_ASIDE = (
    BITS["nav"] | BITS["side"] | BITS["foot"] | BITS["comment"] | ZONE["nav"] | ZONE["footer"] | ZONE["aside"] | HIDDEN
)
_LONGEST = 300
"""Characters of the longest text that can be a headline."""
_INDEX = re.compile(r"/(?:index|default|home)\.[a-z]{3,5}$")
_ENOUGH = 1.5
"""Score a heading must reach to be believed against the page's metadata; more than one gets for its tag and name."""


@dataclass(frozen=True, slots=True)
class Headline:
    """Text, where it came from, its element's number and node (-1 and None when metadata gave it), and a score, 0..5."""

    text: str | None
    origin: str
    element: int = -1
    node: etree._Element | None = None
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Title:
    """A title and, letters and digits only, the ``whole`` of it and, where it has several, its ``parts``."""

    text: str
    whole: str
    parts: tuple[str, ...]


def find_headline(view: View) -> Headline:
    """The headline of a page; its text is None when the page has neither title nor heading."""
    name = view.page.metadata.first("og:site_name") or ""
    names = _Names(view, squeeze(name))
    apart = [title for title in map(title_of, _titles(view.page.metadata)) if title.whole not in names]
    scored = []
    for number, text, short in names.headings:
        match = max([_best_match((text, short), title) for title in apart], default=0.0)
        if match or not apart:  # without a match no heading scores enough against a title
            scored.append((_score(view, number, match), -number, text, short))
    scored.sort(reverse=True)
    best = next((one for one in scored if one[3] not in names), (0.0, 0, "", ""))
    if best[0] >= _ENOUGH or (best[0] > 0 and not apart):
        return Headline(best[2], view.tree.tags[-best[1]], -best[1], view.tree.nodes[-best[1]], best[0])
    given = linked_text(view.page.metadata.linked.get("headline"))
    if given:
        return Headline(given, "json-ld")
    return Headline(strip_site_name(apart[0].text, (name,)), "meta") if apart else Headline(None, "")


class _Names:
    """What a page calls its site: its ``og:site_name``, and headings that lead home; asked only of what is in question."""

    def __init__(self, view: View, name: str) -> None:
        self.view, self.name = view, name
        self.headings = [(number, text, squeeze(text)) for number, text in _headings(view)]
        self.shorts = {short for _, _, short in self.headings}

    def __contains__(self, short: str) -> bool:
        if short == self.name or short not in self.shorts:
            return short == self.name
        return any(own == short and _leads_home(self.view, number) for number, _, own in self.headings)


def _titles(metadata: Metadata) -> list[str]:
    """What the page's metadata calls it, most trusted first."""
    found = [
        linked_text(metadata.linked.get("headline")),
        metadata.first("og:title", "twitter:title", "title"),
        metadata.title,
        metadata.first("articletitle", "dc.title"),
    ]
    return [fold(title) for title in found if title and title.strip()]


def _headings(view: View) -> list[tuple[int, str]]:
    """Numbers and texts of the elements that can be a headline."""
    tree, found = view.tree, []
    headings = compress(range(len(tree)), map(_WEIGHT.__contains__, tree.tags))
    for number in sorted({*headings, *view.hinted("title")}):
        if 0 < tree.last[number] - tree.first[number] <= 12:
            text = tree.text(number)
            if 1 < len(text) <= _LONGEST:
                found.append((number, text))
    return found[:400]


def _score(view: View, number: int, match: float) -> float:
    """Score of a heading that matches a title by ``match``, 0..1."""
    tag, above = view.tree.tags[number], int(view.layout.above[number])
    score = _WEIGHT.get(tag, 0.35) + 3 * match
    score -= _distance(view, number)
    if int(view.layout.bits[number]) & BITS["title"]:
        score += 0.25
    if above & _ASIDE and tag != "h1":
        score -= 1.0
    return score


def title_of(text: str) -> Title:
    """A title taken apart."""
    parts = tuple(squeeze(part) for part in SEPARATOR.split(text) if part)
    return Title(text, squeeze(text), parts if len(parts) > 1 else ())


def _best_match(heading: tuple[str, str], title: Title) -> float:
    """The match with the title or, less, with one of its parts: the last ones often name the site."""
    (text, short), parts = heading, title.parts
    best = _match(text, short, title.whole) if not parts or short != parts[-1] else 0.0
    for number, part in enumerate(parts):
        best = max(best, _match(text, short, part) * (0.5 if number else 0.9))
    return best


def _distance(view: View, number: int) -> float:
    """Penalty, 0..1.5, for blocks between a heading and the start of the prose."""
    starts, chunk = view.starts, view.tree.first
    first, here = bisect_left(starts, chunk[view.prose]), bisect_left(starts, chunk[number])
    return min(1.5, 0.06 * abs(here - first)) if here < first else min(0.75, 0.03 * (here - first))


def _match(text: str, short: str, whole: str) -> float:
    """How much of a title the heading is, 0..1; a heading inside a title that also names the site scores high.

    ``short`` and ``whole`` are heading and title, letters and digits only.
    """
    if not short or not whole:
        return 0.0
    if short == whole:
        return 1.0
    if short in whole:
        return 0.3 + 0.65 * (len(short) / len(whole)) ** 0.5 if len(short) > 3 else 0.2
    if whole not in short:
        return 0.0
    if whole in map(squeeze, SEPARATOR.split(text)):
        return 0.9
    return 0.6 if len(whole) > 0.5 * len(short) else 0.0


def _leads_home(view: View, number: int) -> bool:
    """Whether the heading is a link to the site's front page, or stands in one."""
    tree = view.tree
    if not view.layout.linked[number] and "a" not in tree.tags[number : tree.ends[number]]:
        return False
    node = tree.nodes[number]
    links = [*node.iter("a"), *(a for a in node.iterancestors("a"))]
    for link in links[:3]:
        try:
            path = urlsplit(urljoin(view.page.base_url, link.get("href") or "#"))
        except ValueError:
            continue
        here = urlsplit(view.page.url)
        home = _INDEX.sub("/", path.path or "/")
        if _is_front(home, _INDEX.sub("/", here.path or "/")) and not path.query and link.get("href", "#")[:1] != "#":
            return True
    return False


def _is_front(path: str, here: str) -> bool:
    """Whether ``path`` is the root, or a folder at most one below it that holds ``here``."""
    return path != here and path.endswith("/") and path.count("/") <= 2 and here.startswith(path)
