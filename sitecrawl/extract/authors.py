"""The authors of an article: from the metadata, from marked elements, and from the texts near the
headline."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache, cached_property
from itertools import chain, compress, islice
from math import inf
from operator import not_
from typing import Protocol
from urllib.parse import unquote

from lxml import etree

from sitecrawl.dom.blocks import ASIDE, BITS, HIDDEN, ZONE
from sitecrawl.dom.class_names import words_of, words_of_picture
from sitecrawl.dom.document import Document
from sitecrawl.dom.linked_data import linked_names, linked_people
from sitecrawl.dom.page import AUTHOR_META, NAMES_PERSON, Page, listed_behind
from sitecrawl.dom.tree import SILENT, runs_of
from sitecrawl.extract.bylines import (
    LONGEST_CREDITS,
    PERSON,
    Line,
    byline_names,
    is_byline,
    name_before_date,
)
from sitecrawl.extract.details import People, with_details
from sitecrawl.text.chars import fold, line_of
from sitecrawl.text.names import (
    FULL_NAME,
    clean_names,
    credits_of,
    fuller_name,
    is_organisation,
    is_placeholder,
    squeeze,
)
from sitecrawl.urls.scope import host_of

_WRITES = re.compile(
    "writ|author|autor|auteur|écrit|verfasst|geschr|escrit|scritto|автор|作者|著者|執筆", re.I
)
_READING = re.compile(
    r"\d[ -]?min(?:ute)?s?\.? (?:read|lesezeit|de lect)|[阅閱][读讀][^。]{0,6}分[钟鐘]", re.I
)
"""How long one reads an article: stands beside its author."""
_POST = re.compile(r"(?:^|\s)(?:h-?entry|post|entry|article)(?:\s|$)", re.I)
"""Classes of the element of an article."""
_DAY = re.compile(r"^.{0,60}\b[1-3]?\d\b.{0,40}$")  # of a day without its year, in a short text
_LOGIN = re.compile(r"[a-z][a-z\d]*[._-]?[a-z\d]+$")
_BAR = re.compile(r"\s[|·•]\s")  # behind a by-line
_ACRONYM = re.compile(r"[A-Z]{2,6}$")
_FOOT = BITS["foot"] | ZONE["footer"]
_COLUMN = BITS["side"] | ZONE["aside"]

# bounds on hostile pages, far above what real pages have
_PICTURES_OF_PERSONS = words_of("pictures of persons")
_MOST_MARKS = 500
_MOST_BOXES = 50
_MOST_IMAGES = 200
_MOST_ELEMENTS = 200  # a marked element with more is no by-line
_LONGEST_NAMES = 60  # characters of an element that holds names and nothing else
_WIDEST_PORTRAIT = 150  # pixels of a picture beside a by-line
_LONGEST_MEMBER = 40  # characters of the name of a forum's member
_LONGEST_BOX = 100  # characters of a box with a picture and a name


_length = etree.XPath("string-length(normalize-space(.))")
_Bits = Callable[[etree._Element], int]


class AuthorClues(Protocol):
    """What authors are found by: the page, the headline of its article, texts around that."""

    @property
    def page(self) -> Page: ...
    @property
    def title(self) -> str: ...
    @property
    def near(self) -> Sequence[str]: ...


def find_authors(clues: AuthorClues, below: Sequence[str] = ()) -> People:
    """Authors, from the metadata, from marked elements, and from the texts near the headline, else
    from those ``below`` the body. "admin" or the name of the site is returned only if there is no
    other name."""
    search = _Search(clues, below)
    named = _first_specific(search.sources)
    found = named
    # below the first post of a thread are other people's posts
    if not named and not search.is_thread:
        found = _first_specific(search.told_by(list(map(Line, below))))
    if search.organisations and not any(map(FULL_NAME.match, found)):
        found = search.organisations
    names = search.whole_byline(search.people(found)) if found else []
    texts = [*clues.near, *(line.text for line in search.signed)] if named else below
    return with_details(clues.page, names, texts=texts)


class _Memory:
    """What an iterator gives, for several readers; it is asked only for what none has read."""

    def __init__(self, found: Iterator[list[str]]) -> None:
        self._found = found
        self._read = list[list[str]]()

    def __iter__(self) -> Iterator[list[str]]:
        yield from self._read
        for names in self._found:
            self._read.append(names)
            yield names


def _names_of_site(page: Page) -> set[str]:
    """The names of the site and of its publisher, without blanks and signs."""
    metadata = page.metadata
    site = metadata.first("og:site_name", "application-name") or ""
    publisher = linked_names(metadata.linked.get("publisher"))
    return {squeeze(name) for name in (host_of(page.url), *publisher, site, metadata.site)} - {""}


def _is_other_person(name: str, own: Collection[str]) -> bool:
    """Whether a text names a person and not the site. ``own`` holds the names of the site without
    blanks and signs."""
    if FULL_NAME.match(name) is None or is_organisation(name):
        return False
    return not any(site in squeeze(name) for site in own)


def _first_specific(found: Iterable[list[str]]) -> list[str]:
    """The first names that stand for somebody, else the first: neither "admin" nor what a link to a
    profile says ("More from this author")."""
    generic = list[str]()
    for names in found:
        if not names:
            continue
        before, _, last = names[0].rpartition(" ")
        is_phrase = before and last[0].islower() and not names[0].islower()
        if not is_phrase and not is_placeholder(names[0]):
            return names
        generic = generic or names
    return generic


class _Search:
    """The sources of authors of one page."""

    def __init__(self, clues: AuthorClues, below: Sequence[str]) -> None:
        self.clues = clues
        self.page = clues.page
        self.below = below
        self.bits = cache(self.page.bits_of)  # marked elements share the elements around them

    @cached_property
    def near(self) -> list[Line]:
        """Texts near the headline without itself, which may begin as a by-line does ("Von Hamburg
        nach Berlin")."""
        title = squeeze(self.clues.title)
        near = self.clues.near
        return [Line(text) for text in near if "：" in text or squeeze(text) != title]

    @cached_property
    def signed(self) -> list[Line]:
        """The signature below the article, which names more than an editor. The last text of the
        article is one only if it is short."""
        last = [text for text in self.below[:1] if len(text) < _LONGEST_NAMES]
        return [line for line in map(Line, (*last, *self.below[1:2])) if line.is_signature]

    @cached_property
    def sources(self) -> _Memory:
        """What each source gives, the surest first."""
        return _Memory(self._sources())

    def _sources(self) -> Iterator[list[str]]:
        metadata = self.page.metadata
        people, _ = self._linked
        yield people
        if self.is_thread:
            # only with a day, because a thread has columns ("Author", "Message")
            dated = [line for line in self.near if line.has_date or _DAY.search(line.text)]
            yield _first_specific(byline_names(dated))
            yield self._beside_posts()
        else:
            yield from self._sure_lines()
        yield self.marked()
        yield from self._declared
        yield _cleaned([_reversed(name) for name in metadata.cited])
        if _WRITES.search(metadata.first("twitter:label1") or ""):
            # the cards of X name what they show
            yield _cleaned([metadata.first("twitter:data1") or ""])
        yield from self.told_by(self.near)
        if self.is_thread and self._shown:
            yield self._shown[0].shown
        yield _named_by_url(metadata.first("article:author") or "")
        yield self._boxed_author()

    @cached_property
    def _linked(self) -> tuple[list[str], list[str]]:
        """Names of people and of organisations in JSON-LD."""
        metadata = self.page.metadata
        told = metadata.linked or metadata.linked_page
        people, organisations = linked_people(told.get("author"))
        return _cleaned(people), _cleaned(organisations)

    @property
    def organisations(self) -> list[str]:
        """The organisations that JSON-LD calls authors; they count where no person is found."""
        _, organisations = self._linked
        return organisations

    @cached_property
    def _declared(self) -> list[list[str]]:
        """The names in each kind of meta elements that name authors. Makers of the program that
        writes the pages are no authors."""
        metadata = self.page.metadata
        if not metadata.people:
            return []
        declared = [
            _cleaned(metadata.people[name]) for name in AUTHOR_META if name in metadata.people
        ]
        made_by = squeeze(metadata.first("generator", "copyright") or "")
        if not made_by:
            return declared
        return [[name for name in names if not _is_maker(name, made_by)] for names in declared]

    def people(self, found: list[str]) -> list[str]:
        """The names ``found`` that are neither those of the site nor of an organisation, nor written
        by a program; if all are, the people whom another source names."""
        own = _names_of_site(self.page)
        people = [name for name in found if squeeze(name) not in own]
        if people and not all(map(self._is_weak, people)):
            return people
        for names in chain(self.sources, self._one_by_one()):
            others = [name for name in names if _is_other_person(name, own)]
            if others:
                return others
        return people or found

    def _one_by_one(self) -> Iterator[list[str]]:
        """What each marked element and each text near the headline tells."""
        texts = [line.text for line in self.near]
        for mark in self._marks:
            yield mark.names(texts)
        for line in self.near:
            if is_byline(line.text):
                yield from byline_names([line])
            elif "," in line.text or "/" in line.text:
                yield _listed_in(line) or _member(line.text)

    def _is_weak(self, name: str) -> bool:
        """Whether a name is that of an organisation that no by-line shows, or is one word that only
        the metadata tell: that of the host, an acronym, or a name with which somebody logs in."""
        if is_organisation(name):
            return name not in chain(*byline_names(self.near))
        people, _ = self._linked
        if self.is_thread or " " in name or name not in (*people, *chain(*self._declared)):
            return False
        if _LOGIN.match(name) or _ACRONYM.match(name):
            return True
        return squeeze(name) in host_of(self.page.url).split(".")

    def whole_byline(self, names: list[str]) -> list[str]:
        """The longest list of names, of the metadata or of a by-line, that holds all of ``names``;
        often only one of several authors is marked."""
        people, _ = self._linked
        lines = [line for line in self.near if names[0] in line.text]
        printed = [_listed_in(line) for line in lines if len(line.text) > len(names[0])]
        whole = [self._fuller(name) for name in names]
        # names that stand alone may be several marked ones
        marked = self.marked() if any(line.text == names[0] for line in lines) else []
        for named in (people, *self._declared, *printed, marked):
            if len(named) <= len(whole) or not set(whole) <= set(named):
                continue
            own = _names_of_site(self.page)
            others = [name for name in named if squeeze(name) not in own]
            if len(others) > len(whole):
                whole = others
        return whole

    def _fuller(self, name: str) -> str:
        """The full name that the metadata or a by-line give to who is called by one word."""
        if " " in name or self.is_thread:
            return name
        people, _ = self._linked
        sources = chain([people], self._declared, byline_names(self.near))
        return fuller_name(name, chain.from_iterable(sources))

    @cached_property
    def is_thread(self) -> bool:
        return self.page.is_forum

    def _sure_lines(self) -> Iterator[list[str]]:
        """By-lines above the text, surer than a marked element, which may be of a card."""
        above = [line for line in self.near if line.text not in self.below]
        sure = [line for line in above if line.has_mark or line.has_date]
        yield _first_specific(byline_names(sure))
        if self.signed:
            marked = self.marked([line.text for line in above])
            yield marked or _first_specific(byline_names(self.signed))

    def told_by(self, lines: Sequence[Line]) -> Iterator[list[str]]:
        """What texts tell."""
        texts = [line.text for line in lines]
        if texts:
            yield self.marked(texts)
        yield _first_specific(byline_names(lines))
        beside = self._beside_avatar(lines) if texts else []
        yield beside or name_before_date(lines, is_thread=self.is_thread)

    def marked(self, near: Collection[str] = ()) -> list[str]:
        """Names in the first element that class, rel, itemprop, property or the target of a link
        marks as the author. Of ``near`` some texts, the element must have one of these; without
        them it must be in the article."""
        named = _first_specific(mark.names(near) for mark in self._marks)
        if not named:
            return []
        beside = [text for text in self.clues.near if named[0] in text]
        others = {one.text for text in beside for one in credits_of(text) if one.kind == "other"}
        if not others:
            return named
        return [name for name in named if not any(name in text for text in others)]

    @cached_property
    def _shown(self) -> list[_AuthorMark]:
        """The marked elements that hold a text."""
        return [mark for mark in self._marks if mark.line]

    def _beside_posts(self) -> list[str]:
        """The opener of a thread whose first mark holds the day of the post alone: the one person
        whom marks of another class name."""
        if not self._shown or self._shown[0].shown:
            return []
        posts = self._shown[0].node.get("class")
        beside = (mark.shown for mark in self._shown if mark.node.get("class") != posts)
        named = list(filter(None, beside))
        return named[0] if named and all(names == named[0] for names in named) else []

    def _boxed_author(self, *, most_texts: int = 20) -> list[str]:
        """The name that begins a box about the author, as below many articles; empty if several boxes
        begin with different names."""
        name = ""
        for node in self.page.bylines[:_MOST_BOXES]:
            texts = map(fold, islice(node.itertext(), most_texts))
            text = next(filter(None, texts), "")
            if " " not in text or not _in_sight(node, self.bits, in_column=True):
                continue
            if text != (name or text) or not PERSON.match(text):
                return []
            name = text
        return _cleaned([name])

    def _beside_avatar(self, near: Sequence[Line], *, levels: int = 4) -> list[str]:
        """The name beside the first picture of a person that stands in one of the texts ``near``, in a
        small box. A picture is one whose class or file says so, whose text is a name near the
        headline, or that has no text in a box that tells how long one reads."""
        document = self.page.document
        pictured = self._pictured(near)
        for at in document.tagged("img")[:_MOST_IMAGES]:
            image = document.nodes[at]
            is_named = image is pictured
            if not is_named:
                words = words_of_picture(image.get("class") or "", image.get("src") or "")
                is_named = not _PICTURES_OF_PERSONS.isdisjoint(words)
            if not (is_named or image.get("alt") == ""):
                continue
            runs = _runs_around(document, at, levels=levels)
            found = _beside_picture(runs, is_named=is_named)
            is_near = bool(found) and any(found[0] in line.text for line in near)
            if is_near and _in_sight(image, self.bits):
                return found
        return []

    def _pictured(self, near: Sequence[Line]) -> etree._Element | None:
        """The picture whose text has a full name that is a text of ``near``; None if there are several
        such names, as below the pictures of an article, or if it has a caption."""
        full_names = tuple(line.before_date for line in near if FULL_NAME.match(line.before_date))
        found = dict[str, etree._Element]()
        images = self.page.root.iter("img") if full_names else ()
        for image in islice(images, _MOST_IMAGES):
            text = image.get("alt")
            if not text or not text.endswith(full_names):
                continue
            called = [name for name in full_names if text.endswith(name)]
            if not _is_wide(image) and next(image.iterancestors("figure"), None) is None:
                found.setdefault(called[0], image)
        return next(iter(found.values())) if len(found) == 1 else None

    @cached_property
    def _marks(self) -> list[_AuthorMark]:
        """Marked elements with the marked elements inside them, which are examined before."""
        marks = {node: _AuthorMark(node, self.bits) for node in self.page.bylines[:_MOST_MARKS]}
        for node, mark in marks.items():
            parts = list(islice(node.iter("*"), _MOST_ELEMENTS))
            if len(parts) < _MOST_ELEMENTS:
                inner = [marks[part] for part in parts[1:] if part in marks]
                mark.parts = [*inner, mark]
        return list(marks.values())


def _cleaned(texts: Iterable[str]) -> list[str]:
    given = [text for text in texts if text]
    return clean_names(given) if given else []


def _listed_in(line: Line) -> list[str]:
    """The names in a text that is nothing but a by-line: all full names, which are with their labels
    most of the text before its date; else none."""
    text, *_ = _BAR.split(line.before_date or line.text)
    names = clean_names([text]) if len(text) <= LONGEST_CREDITS else []
    told = sum(map(len, names)) + sum(len(credit.label) for credit in credits_of(text))
    is_byline = len(names) > 1 and told > 0.5 * len(text)
    return names if is_byline and all(map(FULL_NAME.match, names)) else []


def _member(text: str) -> list[str]:
    """The full name at the beginning of a text that goes on with an organisation."""
    name, _, rest = text.partition(", ")
    is_person = FULL_NAME.match(name) is not None and not is_organisation(name)
    return [name] if is_person and is_organisation(rest) else []


def _is_maker(name: str, made_by: str, *, least: int = 4) -> bool:
    """Whether a name is that of a program or of its makers: a word of ``least`` letters of it is in
    what a page says of the program."""
    words = (squeeze(word) for word in name.split())
    return any(len(word) >= least and word in made_by for word in words)


def _reversed(name: str) -> str:
    """A name in the order in which it is said: "Onym, Ann" is Ann Onym."""
    return " ".join(reversed(name.split(", ", 1)))


def _named_by_url(url: str) -> list[str]:
    """The name in the address of somebody's page, which stands where the name should be."""
    if not NAMES_PERSON.search(url):
        return []
    _, _, last = unquote(url).rstrip("/").rpartition("/")
    return clean_names([re.sub(r"[-_+]", " ", last)])


class _AuthorMark:
    """An element that is marked as the author, read once for all who ask."""

    def __init__(self, node: etree._Element, bits: _Bits) -> None:
        self.node = node
        self.bits = bits
        self.parts = list[_AuthorMark]()

    def names(self, near: Collection[str]) -> list[str]:
        """Names in the first of the parts that has any, with those of a list that it begins."""
        for part in self.parts:
            names = part.own_names(near)
            if names:
                return clean_names([*names, *listed_behind(part.node)])
        return []

    @property
    def shown(self) -> list[str]:
        """The name that a visible element holds and nothing else, in whatever part of a page."""
        text = self.line
        if not 1 < len(text) <= _LONGEST_MEMBER or text.isdecimal():
            return []
        parts = (self.node, *self.node.iterancestors())
        if any(part.tag in SILENT or self.bits(part) & HIDDEN for part in parts):
            return []
        return clean_names([text])

    def own_names(self, near: Collection[str]) -> list[str]:
        """Names in this element: what it tells machines, all of its text, or a run of the text that
        is a full name."""
        told = self._told if self.node.get("itemprop") else []
        if told and _in_sight(self.node, self.bits, in_column=bool(near)):
            return told
        if not 1 < len(self.line) <= _LONGEST_NAMES:
            return []
        if near and self.line not in near and not self._is_in_byline(near):
            return []
        if not _in_sight(self.node, self.bits, in_column=bool(near)):
            return []
        if self.has_image and self.node.get("rel") is None:
            return _leading_name(self.runs)
        return self._line_names

    def _is_in_byline(self, near: Collection[str]) -> bool:
        """Whether one of the texts ``near`` is a list of names that holds all of this element."""
        lines = [text for text in near if self.line in text]
        return bool(lines) and self.line in clean_names(lines)

    @cached_property
    def _told(self) -> list[str]:
        """The name in a ``meta`` element inside it."""
        metas = (one for one in self.node.iter("meta") if one.get("itemprop") == "name")
        return _cleaned(one.get("content") or "" for one in islice(metas, 1))

    @cached_property
    def runs(self) -> list[str]:
        """Its texts; empty if they are longer than names."""
        return _runs(self.node, longest=_LONGEST_NAMES)

    @cached_property
    def line(self) -> str:
        return line_of(self.runs)

    @property
    def has_image(self) -> bool:
        return next(self.node.iter("img"), None) is not None

    @cached_property
    def _line_names(self) -> list[str]:
        names = [name for run in self.runs[:10] for name in clean_names([run])]
        full_names = [name for name in names if " " in name and PERSON.match(name)]
        whole = clean_names([self.line])
        return [next((full for full in full_names if full in name), name) for name in whole]


def _runs(node: etree._Element, *, longest: float = inf) -> list[str]:
    """The texts of an element that readers see; empty if they have more than ``longest``
    characters."""
    if not len(node):
        return [node.text or ""]
    if next(node.iter(*SILENT), None) is not None:
        return runs_of(node)
    if longest < inf and float(_length(node)) > longest:
        return []
    texts = list(node.itertext("*"))
    return list(compress(texts, map(not_, map(str.isspace, texts))))


def _runs_around(document: Document, at: int, *, levels: int) -> list[str]:
    """The texts of the innermost element around a picture that has any; empty if they are too many
    for a box."""
    box = at
    for _ in range(levels):
        box = document.parents[box]
        if box < 0:
            break
        begin, end = document.first[box], document.last[box]
        if begin < end:
            return document.chunks[begin:end] if end - begin <= _LONGEST_BOX else []
    return []


def _leading_name(runs: Sequence[str]) -> list[str]:
    """The name in the first of ``runs`` that is more than a label. Beside a picture of the author
    stand name, office and date, in this order."""
    for run in runs:
        names = clean_names([run])
        if names:
            return names if PERSON.match(fold(run)) else []
    return []


def _beside_picture(runs: Sequence[str], *, is_named: bool) -> list[str]:
    line = "".join(runs)
    if len(line) > _LONGEST_BOX:
        return []
    return _leading_name(runs) if is_named or _READING.search(line) else []


def _is_wide(image: etree._Element) -> bool:
    width = image.get("width") or ""
    return width.isdecimal() and len(width) < 6 and int(width) > _WIDEST_PORTRAIT


def _in_sight(node: etree._Element, bits_at: _Bits, *, in_column: bool = False) -> bool:
    """Whether an element is in a visible part of the page that belongs to the article. The
    article's own footer belongs to it, side columns only with ``in_column``. An element that
    contains the main heading is no side column, whatever its name ("no-sidebar")."""
    aside = ASIDE & ~_FOOT
    if in_column:
        aside &= ~_COLUMN
    is_footed = False
    for part in (node, *node.iterancestors()):
        bits = bits_at(part)
        if part.tag in SILENT:
            return False
        if bits & aside and next(part.iterdescendants("h1"), None) is None:
            return False
        is_footed = is_footed or bool(bits & _FOOT)
        if is_footed and _is_article(part):
            is_footed = False
    return not is_footed


def _is_article(node: etree._Element) -> bool:
    return node.tag in ("article", "main") or _POST.search(node.get("class") or "") is not None
