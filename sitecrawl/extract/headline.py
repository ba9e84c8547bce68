"""The headline: the heading that the page's own titles confirm; else the candidate that a network
chooses."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator
from functools import cached_property, lru_cache
from itertools import islice

import numpy as np

from sitecrawl.dom.blocks import BITS, HIDDEN, ZONE
from sitecrawl.dom.class_names import names_one_of, words_of
from sitecrawl.dom.document import Document
from sitecrawl.dom.page import Page
from sitecrawl.dom.tree import HEADINGS, SILENT, line_below
from sitecrawl.extract import candidates
from sitecrawl.extract.bylines import is_byline
from sitecrawl.extract.candidates import HeadlineCandidate, Titles
from sitecrawl.extract.weights import BlockModel, load_model
from sitecrawl.items.kinds import Headline
from sitecrawl.resources import model_path, table_beside
from sitecrawl.text.chars import line_of, word_count
from sitecrawl.text.names import squeeze

PROTOCOL = 3  # 3: without looks, links home and colons as features
_CONFIRMING = frozenset(("json-ld", "og", "title", "first part", "all but last"))
"""Sources that confirm a heading. Later parts of a title are excluded: they usually name the
section or the site."""
_SURE = _CONFIRMING - {"first part"}  # sources that hold no name of the site alone
_PARTS = {"first part": "last part", "last part": "first part"}
"""The half of a title that is beside each half."""
_REST = ("last part", "all but first")  # what is left of a title behind the name of the site
_TABLE: dict[str, list[str]] = table_beside(__file__)
_FACTS = re.compile(rf"\W*(?:{'|'.join(_TABLE['facts'])})\s*[:：]", re.I)
"""A line that begins as those of facts and controls do."""
_SIDES = ZONE["aside"] | ZONE["nav"] | ZONE["footer"]
"""By tags alone: names such as "banner" stand on the boxes of headlines, too."""
_names_kicker = names_one_of(words_of("kickers"))
_names_trail = names_one_of(words_of("trails"))
_TRAIL = re.compile(r"[»›→>/|｜]|&gt;|::")
_FIRST_LINKS = 16  # of a page, among which its logo is
_LEAST_BELIEF = 1e-9  # against a division by what is left of 1
_LEAST_CHARS = 4  # letters and digits of a heading that a title confirms
_LEAST_WORDS = 3  # and words; a shorter one may name the site or a section
_MOST_RUNS = 12  # runs of text in a heading
_ABOVE = 20  # blocks above the prose that may be the headline, if a title says so
_BELOW = 10  # and below its beginning, since what seems to be prose may describe the site
_NAME_CHARS = 8  # letters of the shortest name of a site that a longer title may begin with
_NAME_SHARE = 0.5  # of the part of a title that is the name of the site, at least
_HOST_CHARS = 4  # letters of the shortest name of a host that is looked for in a title


class HeadlineSearch:
    """The headlines of a page, each step computed once; ``anchor`` is the text of the link to the
    page, if known. Raises ModelError if the shipped model cannot be read."""

    def __init__(self, page: Page, anchor: str = "") -> None:
        self.page, self.anchor = page, anchor

    @cached_property
    def best(self) -> Headline:
        """The headline; its text is None if the page has neither title nor heading nor text."""
        document, number = self.page.document, self._confirmed
        if number >= 0:
            node = document.nodes[number]
            text = headline_in(self.page, number, titles=self._titles)
            text = text or line_below(node, silent=SILENT)
            return Headline(text, document.tags[number], number, node, 1.0)
        found, _ = self._scored
        if not found:
            return Headline(None, "")
        at, score = next(self._allowed())
        better = self._behind_name(found, at) or self._half_of_title(found, at)
        return self._as_headline(better or found[at], score)

    def _allowed(self) -> Iterator[tuple[int, float]]:
        """The numbers of the candidates, best first, with their probabilities, without those that
        can be no headline; if all are such, the first one. Few are asked for, and a test costs more
        than the network."""
        found, scores = self._scored
        ranked = np.argsort(-np.array(scores), kind="stable").tolist()
        left = 1.0
        none_is_allowed = True
        for at in ranked:
            if self._is_barred(found[at]):
                left -= scores[at]
                continue
            none_is_allowed = False
            yield at, min(1.0, scores[at] / max(left, scores[at], _LEAST_BELIEF))
        if none_is_allowed:
            yield ranked[0], scores[ranked[0]]

    def _half_of_title(self, found: list[HeadlineCandidate], at: int) -> HeadlineCandidate | None:
        """The title without the name of the site, if the chosen candidate is that name, or an element
        that nothing marks as a headline, and that no title resembles."""
        chosen = found[at]
        if chosen.element < 0:
            is_headline = chosen.source not in _PARTS or not self._names.has(chosen.short)
        else:
            is_headline = candidates.is_marked(self.page, chosen, titles=self._titles)
        if is_headline:
            return None
        for source, text in self._titles.given:
            short = squeeze(text)
            if source not in _PARTS or word_count(text) < _LEAST_WORDS:
                continue
            others = [squeeze(part) for name, part in self._titles.given if name == _PARTS[source]]
            names = [other for other in others if self._names.has(other)]
            if names and not self._names.has(short):
                return HeadlineCandidate(text, short, source)
        return None

    def _behind_name(self, found: list[HeadlineCandidate], at: int) -> HeadlineCandidate | None:
        """The candidate below a chosen one that is the rest of a title, if the chosen one is the
        name of the site, with which the title begins."""
        chosen = found[at]
        sources = self._titles.sources.get(chosen.short, set())
        if chosen.element < 0 or "first part" not in sources or not _SURE.isdisjoint(sources):
            return None
        rests = set(map(squeeze, _halves(self._titles)[1]))
        below = [one for one in found[at + 1 :] if one.element >= 0 and one.short in rests]
        return below[0] if below and self._names.has(chosen.short) else None

    def likely(self, *, most: int = 8, confirmed: float = 0.9) -> list[Headline]:
        """The ``most`` most likely headlines, best first, with scores that sum to at most 1, for a
        vote of several pages. A confirmed heading has at least the score ``confirmed``."""
        found, _ = self._scored
        if not found:
            return []
        allowed = islice(self._allowed(), most)
        sure = [at for at, one in enumerate(found) if one.element == self._confirmed >= 0]
        if not sure:
            return [self._as_headline(found[at], score) for at, score in allowed]
        shares = dict.fromkeys(sure, confirmed)
        for at, score in allowed:
            shares[at] = shares.get(at, 0.0) + (1 - confirmed) * score
        best = sorted(shares, key=lambda at: -shares[at])[:most]
        return [self._as_headline(found[at], shares[at]) for at in best]

    @cached_property
    def _names(self) -> SiteNames:
        return SiteNames(self.page)

    @cached_property
    def _titles(self) -> Titles:
        return candidates.titles_of(self.page)

    @cached_property
    def _confirmed(self) -> int:
        return confirmed_heading(
            self.page, self._titles, names=self._names, anchor=squeeze(self.anchor)
        )

    @cached_property
    def _scored(self) -> tuple[list[HeadlineCandidate], list[float]]:
        """The candidates of the page and the probability of each, summing to 1."""
        found = candidates.candidates_of(self.page, self._titles)
        if not found:
            return [], []
        features = candidates.headline_features(
            self.page, found, titles=self._titles, anchor=self.anchor
        )
        logits = headline_model().logits(features)
        belief = np.exp(logits - logits.max())
        return found, (belief / belief.sum()).tolist()

    def _is_barred(self, found: HeadlineCandidate) -> bool:
        """Whether a candidate can be no headline: a line of facts or controls, a trail of links, or
        in a side box. A title of the page that is equal to it says otherwise."""
        if found.element < 0 or found.short in self._titles.sources:
            return False
        if _FACTS.match(found.text) or (found.source not in HEADINGS and is_byline(found.text)):
            return True
        document = self.page.document
        blocks = document.blocks
        if blocks.link_chars[found.block] > 0 and _is_trail(self.page, found):
            return True
        names = document.names[found.element]
        if _names_kicker(names):
            return True
        if _names_trail(names):
            return document.last[found.element] - document.first[found.element] > 2
        return found.source != "h1" and _aside(document, found.element) & _SIDES > 0

    def _as_headline(self, found: HeadlineCandidate, score: float) -> Headline:
        if found.element < 0:
            return Headline(
                found.text, "json-ld" if found.source == "json-ld" else "meta", score=score
            )
        node = self.page.document.nodes[found.element]
        line = line_below(node, silent=SILENT)  # has blanks where boxes meet
        text = found.text
        if squeeze(line) == squeeze(found.text):
            text = headline_in(self.page, found.element, titles=self._titles) or line
        return Headline(text, found.source, found.element, node, score)


def confirmed_heading(page: Page, titles: Titles, *, names: SiteNames, anchor: str = "") -> int:
    """Number of the first heading of the first four levels whose text is a title of the page; -1 if
    there is none, or if such headings differ in text. A heading with few letters or words may name
    the site or a section. One with many runs of text is no headline. If the title begins with the
    name of the site, the heading that is the rest of the title counts. ``anchor`` is the text of
    the link to the page. The network agrees on nearly all pages; this saves the time of two
    parses."""
    headings = _short_headings(page)
    name = squeeze(page.metadata.first("og:site_name") or "")
    found: dict[str, int] = {}
    sure = False
    for number, short in headings:
        sources = titles.sources.get(short, set())
        if _CONFIRMING.isdisjoint(sources) or short == name or _is_logo(page, number):
            continue
        found.setdefault(short, number)
        sure = sure or not _SURE.isdisjoint(sources)
    if not sure:
        behind = _behind_site_name(page, titles, headings=headings, names=names, anchor=anchor)
        if behind >= 0:
            return behind
    if not found:
        return _titled_in_part(page, titles, headings=headings)
    first = next(iter(found.values()), -1)
    is_long = word_count(page.document.text(first)) >= _LEAST_WORDS if first >= 0 else False
    return first if len(found) == 1 and is_long else -1


def _titled_in_part(page: Page, titles: Titles, *, headings: list[tuple[int, str]]) -> int:
    """Number of the first heading above the prose that holds a title of the page beside a kicker or
    a subtitle; -1 without one."""
    document = page.document
    blocks = document.blocks
    begin = int(blocks.start[document.prose_start]) if len(blocks) else 0
    for number, _ in headings:
        if document.first[number] > begin or document.last[number] == document.first[number] + 1:
            continue
        text = headline_in(page, number, titles=titles)
        sources = titles.sources.get(squeeze(text or ""), set())
        if not _CONFIRMING.isdisjoint(sources) and not _is_logo(page, number):
            return number
    return -1


def _short_headings(page: Page) -> list[tuple[int, str]]:
    """The headings that may be the headline, each with its letters and digits."""
    document = page.document
    found = list[tuple[int, str]]()
    for number in document.headings:
        if 0 < document.last[number] - document.first[number] <= _MOST_RUNS:
            short = squeeze(document.text(number))
            if len(short) >= _LEAST_CHARS:
                found.append((number, short))
    return found


def _halves(titles: Titles) -> tuple[set[str], set[str]]:
    """The first parts of titles, and what stands behind these and is no first part itself. The
    first part may end in a colon, as on Blogger."""
    firsts = {text for source, text in titles.given if source == "first part"}
    rests = {text.strip() for source, text in titles.given if source in _REST}
    for source, text in titles.given:
        first, _, rest = text.partition(": ")
        if source == "title" and rest:
            firsts.add(first)
            rests.add(rest)
    return firsts, rests - firsts


def _behind_site_name(
    page: Page, titles: Titles, *, headings: list[tuple[int, str]], names: SiteNames, anchor: str
) -> int:
    """Number of the element that is the rest of a title whose first part names the site; -1 without
    one. The first part names it if a heading above the rest begins it and is no longer than the
    rest, or by the metadata and the host; or if the link to the page had the text of the rest."""
    firsts, rests = _halves(titles)
    if not rests:
        return -1
    number = _nearest_to_prose(page, rests, headings=headings)
    if number < 0 or _is_logo(page, number):
        return -1
    document = page.document
    rest = squeeze(document.text(number))
    if rest == anchor:
        return number
    if names.has(rest):
        return -1
    firsts = set(map(squeeze, firsts))
    words = word_count(document.text(number))
    for at, short in headings:
        if at >= number or not any(first.startswith(short) for first in firsts):
            continue
        if word_count(document.text(at)) <= words:
            return number
    return number if any(map(names.has, firsts)) else -1


def _nearest_to_prose(
    page: Page, titles: Collection[str], *, headings: list[tuple[int, str]]
) -> int:
    """Number of the last heading above the prose or a little below its beginning that is one of
    ``titles``, or else of the last such block above it; -1 without one."""
    document = page.document
    blocks = document.blocks
    if not len(blocks):
        return -1
    start = document.prose_start
    begin = int(blocks.start[min(start + _BELOW, len(blocks) - 1)])
    shorts = {squeeze(text) for text in titles} if headings else set()
    numbers = [at for at, short in headings if short in shorts and document.first[at] <= begin]
    if numbers:
        return numbers[-1]
    for at in range(start, max(-1, start - _ABOVE), -1):
        if blocks.texts[at] in titles:
            return int(blocks.owner[at])
    return -1


class SiteNames:
    """The names of a page's site, each read once."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def has(self, short: str) -> bool:
        """Whether letters and digits are the name of the site, or little more: that of the
        metadata, of the host, or of a link to the front page."""
        if any(name in short and len(name) >= _NAME_SHARE * len(short) for name in self._given):
            return True
        for text in self._of_home:
            is_name = len(text) >= _NAME_CHARS and short.startswith(text)
            if is_name or short in text:
                return True
        return False

    @cached_property
    def _given(self) -> set[str]:
        """The names that the metadata and the host give."""
        host = self.page.url.partition("//")[2].partition("/")[0]
        label = host.removeprefix("www.").partition(".")[0]
        given = [self.page.metadata.first("og:site_name", "application-name") or ""]
        if len(label) >= _HOST_CHARS:
            given.append(label)
        return {squeeze(name) for name in given} - {""}

    @cached_property
    def _of_home(self) -> list[str]:
        """The texts of the first links that lead to the front page, and of the pictures in them."""
        document = self.page.document
        found = list[str]()
        for at in document.tagged("a")[:_FIRST_LINKS]:
            node = document.nodes[at]
            if candidates.leads_home(self.page, node):
                found.append(squeeze(document.text(at)))
                found += [squeeze(image.get("alt") or "") for image in node.iter("img")]
        return found


def headline_in(page: Page, number: int, *, titles: Titles) -> str | None:
    """The headline in a heading that holds more: whole runs of text at one end that are a title of
    the page, or what is left without a kicker and without signs that are links; None if it holds
    nothing more. A title that is the whole heading keeps its kicker."""
    document = page.document
    first, last = document.first[number], document.last[number]
    if not 1 < last - first <= _MOST_RUNS:
        return None
    runs = document.chunks[first:last]
    title, is_whole = _title_at_end(runs, titles)
    if title:
        return title
    kept = list[str]()
    for at in range(first, last):
        is_kicker = not is_whole and _is_in_kicker(page, at, heading=number)
        if not is_kicker and not _is_sign(document, at):
            kept.append(document.chunks[at])
    if len(kept) == len(runs) or not squeeze("".join(kept)):
        return None
    return line_of(kept).lstrip(" :|/-–—")


def _title_at_end(runs: list[str], titles: Titles) -> tuple[str | None, bool]:
    """The first title that is whole runs of text at one end, and whether all runs together are a
    title. JSON-LD and ``og:title`` come before others."""
    shorts = [squeeze(run) for run in runs]
    whole = "".join(shorts)
    ends = set[str]()
    for at in range(1, len(runs)):
        ends |= {"".join(shorts[:at]), "".join(shorts[at:])}
    for source, text in titles.given:
        if source not in _CONFIRMING:
            continue
        short = squeeze(text)
        is_described = source in ("json-ld", "og")
        if short == whole or (whole in titles.sources and not is_described):
            return None, True
        if short in ends and word_count(text) >= _LEAST_WORDS:
            return text, False
    return None, False


def _is_sign(document: Document, chunk: int) -> bool:
    """Whether a run of text is a sign that is a link, without letters and digits."""
    text = document.chunks[chunk]
    return bool(document.linked[document.owners[chunk]] and text.strip() and not squeeze(text))


def _is_in_kicker(page: Page, chunk: int, *, heading: int) -> bool:
    """Whether a run of text in a heading is in an element that is named as a kicker."""
    document = page.document
    owner = document.owners[chunk]
    while owner > heading:
        if _names_kicker(document.names[owner]):
            return True
        owner = document.parents[owner]
    return False


def _is_trail(page: Page, found: HeadlineCandidate) -> bool:
    """Whether a candidate is a trail of links from the front page to the article."""
    document = page.document
    links = document.tagged("a")
    end = bisect_left(links, document.ends[found.element])
    links = links[bisect_right(links, found.element) : end]
    if len(links) < 2:
        return False
    is_parted = len(_TRAIL.findall(found.text)) >= 2
    return is_parted or candidates.leads_home(page, document.nodes[links[0]])


def _aside(document: Document, element: int) -> int:
    """Bits of the side regions around an element that the prose is not in."""
    blocks = document.blocks
    above = int(document.above[element]) & (_SIDES | BITS["nav"])
    if not above:
        return 0
    return above & ~int(document.above[blocks.owner[document.prose_start]])


def _is_logo(page: Page, number: int) -> bool:
    """Whether a heading is hidden, in a menu, or a link to the front page. What is around the prose
    as well is no menu, whatever its name (``__next``)."""
    document = page.document
    above = int(document.above[number])
    if above & HIDDEN:
        return True
    if above & BITS["nav"] and _aside(document, number) & BITS["nav"]:
        return True
    node = document.nodes[number]
    link = next(
        (link for links in (node.iter("a"), node.iterancestors("a")) for link in links), None
    )
    return link is not None and candidates.leads_home(page, link)


@lru_cache(maxsize=1)
def headline_model() -> BlockModel:
    return load_model(
        model_path("headline.npz"),
        PROTOCOL,
        trainer="train_headline",
        features=len(candidates.NAMES),
    )
