"""Headline, date, authors, tags and breadcrumbs: the places where the pages of a template have
them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import chain, islice

from lxml import etree

from sitecrawl.dom.align import Names, addresses_of
from sitecrawl.dom.page import PUBLISHED_META
from sitecrawl.dom.tree import HEADINGS
from sitecrawl.resources import table_beside
from sitecrawl.templates.address import URL, find_on, is_address, text_of
from sitecrawl.templates.aligned_pages import AlignedPage
from sitecrawl.templates.field_spec import FieldCandidate, FieldSpec, induce_field, near_best
from sitecrawl.templates.field_values import MARKS, cut, is_printed, likeness, people_of, read
from sitecrawl.templates.induction.labelled_values import known_name, labels_in
from sitecrawl.templates.template import NO_CUT, Field
from sitecrawl.text.dates import (
    CHANGED,
    FoundDate,
    calendar_of,
    find_publication,
    order_of_numbers,
    parse_date,
)
from sitecrawl.text.names import clean_names, squeeze

_TABLE: dict[str, list[str]] = table_beside(__file__)
"""Sources that many sites have, by field (``url`` is the page's own URL); they are tried beside the
places where the pages print the field."""
Regions = Mapping[
    str | None, list[etree._Element]
]  # elements around links by the field that they seem to hold
_CHANGED = (
    "modif",
    "updat",
    "edit",
    "change",
)  # parts of the names of places that hold the date of the last change


def fields_of(pages: Sequence[AlignedPage], names: Names) -> dict[str, Field]:
    """The rules of all fields on which the pages agree."""
    regions = [_link_regions(page) for page in pages]
    days = DateSpec(pages, names)
    specs: dict[str, FieldSpec] = {
        "headline": HeadlineSpec(pages, names),
        "datePublished": days,
        "authors": AuthorSpec(pages, names),
        **{
            name: LinkListSpec(pages, names, name=name, regions=regions)
            for name in ("tags", "breadcrumbs")
        },
    }
    found = {name: rule for name, spec in specs.items() if (rule := induce_field(spec))}
    if (dated := found.get("datePublished")) is not None:
        dated.month_first = days.writes_month_first(dated.sources)
        dated.calendar = days.calendar
    return found


def site_keywords(pages: Sequence[AlignedPage], *, least_pages: int = 4) -> str:
    """The keywords in the head that all pages share: they are about the site, and no tags of an
    article. Empty if there are none."""
    given = {page.page.metadata.first("keywords") or "" for page in pages}
    return given.pop() if len(given) == 1 and len(pages) >= least_pages else ""


def _source_cost(source: str, *, url: int, head: int) -> int:
    """Preference among equally good sources: elements at a fixed place come before sources that
    need a search of the page or decoding."""
    if source.startswith(("json-ld", "//")):
        return 3 if source.startswith("json-ld") else 2
    return url if source == URL else head if "/head/" in source else 0


class HeadlineSpec(FieldSpec):
    """The headline: its text differs from page to page, is both in the head and on the page, and
    agrees with the extractor."""

    presence_weight = 0.3

    def __init__(self, pages: Sequence[AlignedPage], names: Names) -> None:
        self.pages, self.names = pages, names
        # texts that half of the pages have name the site or the section
        found = [page.guess.headlines for page in pages]
        count = Counter(
            short for guesses in found for short in {squeeze(guess.text or "") for guess in guesses}
        )
        many = max(2, 0.5 * len(pages))
        self.guesses = [
            [guess for guess in guesses if count[squeeze(guess.text or "")] < many]
            for guesses in found
        ]

    def candidates(self, *, pages: int = 4, nodes: int = 4, faint: float = 0.02) -> Iterable[str]:
        found: dict[str, None] = dict.fromkeys(_TABLE["headline"])
        for page, likely in list(zip(self.pages, self.guesses, strict=True))[:pages]:
            headings = [
                *(guess.node for guess in likely if guess.score > faint),
                *page.page.root.iter("h1"),
            ]
            for node in [node for node in headings if node is not None][:nodes]:
                found |= dict.fromkeys(
                    filter(is_address, addresses_of(_innermost(node), self.names))
                )
        return found

    def read(self, source: str) -> FieldCandidate | None:
        values, ends = [read(source, page.page) for page in self.pages], NO_CUT
        if _in_head(source):
            ends = affixes([value for value in values if value])
        candidate = FieldCandidate(source, [cut(value, ends) for value in values], ends)
        is_varied = len(set(candidate.given)) > 0.6 * len(candidate.given)
        return candidate if candidate.presence >= 0.5 and is_varied else None

    def agreement(self, candidate: FieldCandidate, others: Sequence[FieldCandidate]) -> float:
        apart = (other for other in others if _in_head(other.source) != _in_head(candidate.source))
        confirmed = max(
            (sum(map(likeness, candidate.values, other.values)) for other in apart), default=0.0
        )
        guessed = 0.0
        for value, likely in zip(candidate.values, self.guesses, strict=True):
            if total := sum(guess.score for guess in likely):
                guessed += (
                    sum(guess.score * likeness(value, guess.text) for guess in likely) / total
                )
        return (0.28 * confirmed + 0.42 * guessed) / len(self.pages)

    def cost(self, source: str) -> float:
        return _source_cost(source, url=0, head=1)

    def keep(self, ranked: Sequence[FieldCandidate]) -> Sequence[FieldCandidate]:
        return near_best(ranked, least=0.55, spread=0.15)[:4]


def _innermost(node: etree._Element, *, depth: int = 3) -> etree._Element:
    """The innermost element, at most ``depth`` levels below ``node``, with all of its text: on
    other pages ``node`` may hold more, such as links to the pages of a thread. A heading holds its
    headline alone."""
    text = squeeze(text_of(node))
    for _ in range(0 if node.tag in HEADINGS else depth):
        node = next((child for child in node if squeeze(text_of(child)) == text), node)
    return node


def _in_head(source: str) -> bool:
    return source.startswith(("/html/head", "//head", "json-ld"))


def affixes(values: Sequence[str]) -> tuple[str, str]:
    """Prefix and suffix that all values share, cut at punctuation.

    >>> affixes(["A - The Example", "Bees - The Example", "Cats - The Example"])
    ('', ' - The Example')
    """
    if len(set(values)) < 2:
        return NO_CUT
    return _shared_to_mark(values), _shared_to_mark([value[::-1] for value in values])[::-1]


def _shared_to_mark(values: Sequence[str]) -> str:
    """The longest prefix that all values share and that ends in a separator of title and site name,
    with the blanks after it."""
    low, high = min(values), max(values)  # what these two share all others share
    shared = low[
        : next((at for at, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
    ]
    at = max((shared.rfind(mark) for mark in MARKS), default=-1)
    end = len(shared) - len(shared[at + 1 :].lstrip(" "))
    return shared[:end] if at >= 0 and end - at <= 2 and any(map(str.isalnum, shared[:end])) else ""


_LEAST_LIES = 3  # pages whose metadata are later than the printed day, before metadata are doubted
_LONGEST_LINE = 120  # characters of a line that prints the day
_MOST_NAMING = 200  # short texts of a page that hold the name of an author and are read


class DateSpec(FieldSpec):
    """The date of publication: a source that agrees with the extractor and with other sources, and
    is not the same on all pages."""

    presence_weight = 0.5

    def __init__(self, pages: Sequence[AlignedPage], names: Names) -> None:
        self.pages, self.names = pages, names
        self.calendar = _calendar_of_pages(pages)
        self.order = order_of_numbers(
            text
            for page in pages
            for text in page.document.blocks.texts
            if "/" in text or "-" in text
        )
        self.guess = [self._guessed(page) for page in pages]
        self._doubt_metadata()

    def _doubt_metadata(self) -> None:
        """Take the printed day for that of the extractor, if it is earlier on most pages: then the
        metadata say when the pages were imported, and one page cannot know."""
        hits = [self._shown(page) for page in self.pages]
        shown = [
            day if hit is None or day in (hit.value[:10], hit.other[:10]) else hit.value[:10]
            for day, hit in zip(self.guess, hits, strict=True)
        ]
        both = _both(self.guess, shown)
        lies = [(a, b) for a, b in both if a > b and _days_apart(a, b) > 1]
        if len(lies) >= _LEAST_LIES and 2 * len(lies) > len(self.pages):
            self.guess = shown

    def _shown(self, page: AlignedPage, *, below: int = 3, longest: int = 40) -> FoundDate | None:
        """The date that stands by itself in one of the first lines ``below`` the headline, with at
        most ``longest`` other characters."""
        node = page.guess.nodes.get("headline")
        if node is None or node not in page.number:
            return None
        start = page.document.block_at(page.number[node]) + 1
        for line in page.document.blocks.texts[start : start + below]:
            hit = self._hit(line) if len(line) <= _LONGEST_LINE else None
            if hit is None or CHANGED.search(line):
                continue
            if len(line) - (hit.end - hit.start) <= longest:
                return hit
        return None

    def _guessed(self, page: AlignedPage) -> str | None:
        """The day that the extractor found on one page, read in the order of all pages."""
        article = page.guess.article
        day = (article.datePublished or "")[:10]
        if self.order:
            hit = find_publication(article.datePublishedRaw or "", True)
            if hit is not None and hit.other[:10] == day:
                return hit.value[:10]
        return day or None

    def writes_month_first(self, sources: Iterable[str]) -> bool:
        """Whether the pages write the month before the day: a number above 12 on one page decides,
        else one vote a page, by the days that the extractor found."""
        if self.order is not None:
            return self.order
        votes: Counter[bool] = Counter()
        for page, day in zip(self.pages, self.guess, strict=True):
            for source in sources:
                text = read(source, page.page) or ""
                hit = find_publication(text)
                if hit is None or not hit.other or day not in (hit.value[:10], hit.other[:10]):
                    continue
                # the text itself may have decided, by a zone where the month comes first
                first = find_publication(text, True)
                votes[first is not None and first.value[:10] == day] += 1
                break
        return votes[True] > votes[False]

    def candidates(self, *, pages: int = 5, most: int = 60) -> Iterable[str]:
        found: Counter[str] = Counter()
        for page in self.pages[:2]:
            found |= dict.fromkeys(self._named(page), len(self.pages))
        found |= dict.fromkeys(_TABLE["date"], len(self.pages))
        fixed = len(found)
        for page in self.pages[:pages]:
            found.update(dict.fromkeys(self._printed(page), 1))
        return [source for source, _ in found.most_common(fixed + most)]

    def _named(self, page: AlignedPage) -> list[str]:
        """Addresses of ``meta`` elements whose name says that they hold the date, the most exact
        first."""
        metas = [
            (kind, node.get(kind, ""))
            for node in page.page.root.iterfind("head/meta")
            for kind in ("property", "name")
        ]
        named = {
            key.casefold(): f'/html/head/meta[@{kind}="{key}"]/@content' for kind, key in metas
        }
        return [named[name] for name in PUBLISHED_META if name in named]

    def _printed(self, page: AlignedPage, *, longest: int = 120, nodes: int = 12) -> Iterator[str]:
        """Addresses of elements whose text (at most ``longest`` characters) or ``datetime`` is a
        date."""
        document, guessed = page.document, page.guess.nodes.get("datePublished")
        owners = (
            document.nodes[owner]
            for owner, chunk in zip(document.owners, document.chunks, strict=True)
            if len(chunk) <= longest
            and any(map(str.isdigit, chunk))
            and parse_date(chunk, calendar=self.calendar)
        )
        for node in islice(chain([guessed] if guessed is not None else (), owners), nodes):
            end = "/@datetime" if node.get("datetime") else ""
            for address in addresses_of(node, self.names):
                yield from filter(is_address, (address + end, address))

    def read(self, source: str) -> FieldCandidate | None:
        hits = [self._hit(read(source, page.page)) for page in self.pages]
        days = [hit.value[:10] if hit else None for hit in hits]
        if any(hit.other for hit in hits if hit):
            others = [(hit.other or hit.value)[:10] if hit else None for hit in hits]
            days = max((days, others), key=lambda days: _same_days(days, self.guess))
        candidate = FieldCandidate(source, days)
        return (
            candidate if len(candidate.given) >= max(2, 0.2 * len(self.pages)) else None
        )  # the field may be optional

    def _hit(self, text: str | None) -> FoundDate | None:
        return find_publication(text, self.order is True, calendar=self.calendar) if text else None

    def agreement(self, candidate: FieldCandidate, others: Sequence[FieldCandidate]) -> float:
        days = {tuple(other.values) for other in others if other.values != candidate.values}
        confirmed = max((_same_days(candidate.values, other) for other in days), default=0.0)
        prior = 0.5 * candidate.source.startswith(
            ("json-ld", "/html/head/meta", "//meta", "//time[")
        )
        # else the page prints another day
        prior *= all(_days_apart(a, b) <= 1 for a, b in _both(candidate.values, self.guess))
        prior -= 0.6 * any(word in candidate.source.casefold() for word in _CHANGED)
        is_constant = len(candidate.given) > 2 and len(set(candidate.given)) == 1
        return (
            1.5 * _same_days(candidate.values, self.guess)
            + 0.3 * confirmed
            + prior
            - 0.8 * is_constant
        )

    def cost(self, source: str) -> float:
        return _source_cost(source, url=1, head=0)

    def keep(self, ranked: Sequence[FieldCandidate]) -> Sequence[FieldCandidate]:
        """The best source and at most two that do not contradict it. A printed date is kept too: it
        corrects time stamps in UTC."""
        best, kept = ranked[0], list[FieldCandidate]()
        for candidate in near_best(ranked, least=0.6, spread=0.3):
            both = _both(candidate.values, best.values)
            if sum(a == b for a, b in both) >= 0.8 * len(both):
                kept.append(candidate)
        kept = kept[:3]
        for candidate in ranked if kept else ():
            both = _both(candidate.values, kept[0].values)
            is_near = len(both) >= max(2, 0.6 * len(best.values)) and all(
                _days_apart(a, b) <= 1 for a, b in both
            )
            if candidate not in kept and is_printed(candidate.source) and is_near:
                return [*kept, candidate]
        return kept


def _calendar_of_pages(pages: Sequence[AlignedPage]) -> str:
    """The calendar that most pages may use beside the Gregorian one, one vote a page."""
    metadata = [page.page.metadata for page in pages]
    votes = Counter(calendar_of(meta.language, meta.title) for meta in metadata)
    return votes.most_common(1)[0][0] if votes else ""


def _days_apart(one: str, other: str) -> int:
    return abs((date.fromisoformat(one) - date.fromisoformat(other)).days)


def _both(days: Sequence[str | None], others: Sequence[str | None]) -> list[tuple[str, str]]:
    return [(a, b) for a, b in zip(days, others, strict=True) if a and b]


def _same_days(days: Sequence[str | None], others: Sequence[str | None]) -> float:
    """Share of the pages on which both sources give the same day, among the pages on which both
    give a day; lower if these pages are few."""
    both = _both(days, others)
    return sum(a == b for a, b in both) / (len(both) + 0.5)


class AuthorSpec(FieldSpec):
    """The authors: one source that names the same people as the extractor on most pages where it
    names any."""

    def __init__(self, pages: Sequence[AlignedPage], names: Names) -> None:
        people = [[author["name"] for author in page.guess.article.authors] for page in pages]
        self.wanted = [(page, named) for page, named in zip(pages, people, strict=True) if named]
        self.names = names

    def candidates(self, *, most: int = 24) -> Iterable[str]:
        if len(self.wanted) < 2:
            return []
        votes = Counter(
            source
            for page, people in self.wanted
            for source in dict.fromkeys(self._printed(page, people))
        )
        return [*_TABLE["author"], *(source for source, _ in votes.most_common(most))]

    def _printed(self, page: AlignedPage, people: list[str], *, nodes: int = 4) -> Iterator[str]:
        """Addresses of elements whose own text is exactly the names."""
        document = page.document
        texts = zip(document.owners, document.chunks, strict=True)
        short = ((at, text) for at, text in texts if people[0] in text and len(text) < 100)
        # to read the names of a text costs more than to find one in it
        naming = [
            at
            for at, text in islice(short, _MOST_NAMING)
            if clean_names([text]) in (people, people[:1])
        ]
        for at in naming[:nodes]:
            yield from filter(is_address, addresses_of(document.nodes[at], self.names))

    def read(self, source: str) -> FieldCandidate | None:
        values = ((page.page, read(source, page.page)) for page, _ in self.wanted)
        return FieldCandidate(
            source, [people_of(value, source, page=page) for page, value in values]
        )

    def agreement(self, candidate: FieldCandidate, others: Sequence[FieldCandidate]) -> float:
        right = [
            have == want for have, (_, want) in zip(candidate.values, self.wanted, strict=True)
        ]
        return float(sum(right) / len(right))

    def cost(self, source: str) -> float:
        return not ("@class" in source or source.startswith("id("))

    def keep(self, ranked: Sequence[FieldCandidate]) -> Sequence[FieldCandidate]:
        return near_best(ranked, least=0.8, spread=0)[:1]


class LinkListSpec(FieldSpec):
    """Tags or breadcrumbs: the links of a region whose class, id or label names them. They must
    agree with the extractor. If the extractor found none on most pages, a short list (at most
    ``most`` links) on the share ``presence`` of the pages is accepted."""

    def __init__(
        self, pages: Sequence[AlignedPage], names: Names, *, name: str, regions: Sequence[Regions]
    ) -> None:
        self.pages, self.names, self.name, self.regions = pages, names, name, regions
        self.most, self.presence = (
            (20, 0.4) if name == "tags" else (8, 0.7)
        )  # an article may go without tags
        articles, shared = [page.guess.article for page in pages], site_keywords(pages)
        crumbs = [[crumb["name"] for crumb in article.breadcrumbs] for article in articles]
        tags = [[tag for tag in article.tags if tag not in shared] for article in articles]
        self.wanted = tags if name == "tags" else crumbs

    def candidates(self, *, least_pages: int = 3, most: int = 12) -> Iterable[str]:
        votes: Counter[str] = Counter()
        for regions in self.regions if len(self.pages) >= least_pages else ():
            places = (
                address
                for node in regions.get(self.name, ())
                for address in addresses_of(node, self.names)
            )
            votes.update(dict.fromkeys((f"{place}//a" for place in places), 1))
        return [source for source, _ in votes.most_common(most) if is_address(source)]

    def read(self, source: str, *, longest: int = 40) -> FieldCandidate | None:
        links = (
            [text_of(node).strip("# ") for node in find_on(source, page.page)]
            for page in self.pages
        )
        candidate = FieldCandidate(source, [list(filter(None, texts)) for texts in links])
        pairs = [
            (have, want) for have, want in zip(candidate.values, self.wanted, strict=True) if want
        ]
        if 2 * len(pairs) >= len(self.pages):
            return (
                candidate if sum(have == want for have, want in pairs) >= 0.8 * len(pairs) else None
            )
        is_common = len(candidate.given) >= max(2, self.presence * len(self.pages))
        is_short = all(
            len(texts) <= self.most and max(map(len, texts)) <= longest for texts in candidate.given
        )
        is_varied = self.name == "breadcrumbs" or len(set(map(tuple, candidate.given))) > 1
        return candidate if is_common and is_short and is_varied else None

    def agreement(self, candidate: FieldCandidate, others: Sequence[FieldCandidate]) -> float:
        return 1.0


def _link_regions(page: AlignedPage, *, chunks: int = 60, longest_label: int = 40) -> Regions:
    """Elements of at most ``chunks`` texts around links, by the field that their class or id, or
    the word before the links, names."""
    document, found = page.document, defaultdict[str | None, list[etree._Element]](list)
    classes, idents, parents = (
        document.attributes["class"].get,
        document.attributes["id"].get,
        document.parents,
    )
    near = dict.fromkeys(parents[at] for at in document.tagged("a"))
    around = (
        up for at in near for up in (at, parents[at], parents[max(0, parents[at])]) if up >= 0
    )
    first, last = document.first, document.last
    numbers = [at for at in dict.fromkeys(around) if 0 < last[at] - first[at] <= chunks]
    names = {at: f"{classes(at, '')} {idents(at, '')}" for at in numbers}
    distinct = set(names.values())
    known = dict(zip(distinct, known_name.each(distinct), strict=True))
    for number in numbers:
        before = document.chunks[document.first[number]].lstrip()[:longest_label]
        label = next(iter(labels_in(before)), "") if ":" in before or "：" in before else ""
        labelled = known_name(label) if label and before.startswith(label) else None
        for name in {labelled, known[names[number]]}:
            found[name].append(document.nodes[number])
    return found
