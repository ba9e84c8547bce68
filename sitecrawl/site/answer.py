"""The article of a page of a known site: by template, completed field by field from the page's own
evidence, or by the extractor."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import takewhile
from math import inf
from typing import Any, cast

import numpy as np
from lxml import etree

from sitecrawl.dom.align import Names
from sitecrawl.dom.blocks import BITS, hint_bits
from sitecrawl.dom.page import Page
from sitecrawl.dom.render import Content
from sitecrawl.extract.details import is_teaser, split_tags, with_details
from sitecrawl.extract.fields import READERS, near_element
from sitecrawl.extract.published import Dated
from sitecrawl.extract.single import Extraction, texts_below
from sitecrawl.items.article import ITEM_FIELDS, Article, Comment, FieldKind
from sitecrawl.items.kinds import UNSURE_BELOW, Flag, Headline, PageKind
from sitecrawl.site.assurance import template_confidence
from sitecrawl.templates.address import find_on, is_address, text_of
from sitecrawl.templates.aligned_pages import align_pages
from sitecrawl.templates.apply import Applied, TemplateBody
from sitecrawl.templates.comments.comment_records import induce_records
from sitecrawl.templates.comments.read_records import read_opener, read_records
from sitecrawl.templates.comments.rows import may_show_comments
from sitecrawl.templates.field_values import is_printed, people_of, read_links, value_of
from sitecrawl.templates.signs import Signs
from sitecrawl.templates.template import Field, Records, line_digest
from sitecrawl.text.dates import find_date, has_relative, parse_date, tells_minute
from sitecrawl.text.names import SEPARATOR, squeeze

_FILE = re.compile(
    r"\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|zip|rar|7z|epub|jpe?g|png|gif|webp|mp[34]|m4a|ogg|wps|ofd)(?:$|[?#])",
    re.I,
)
"""Extensions of files that may be the content of a page."""
_BOXES = cast(
    Callable[[etree._Element], list[etree._Element]],
    etree.XPath(
        "//*[@class or @id][self::div or self::li or self::article or self::section or self::dl"
        " or self::ol or self::ul or self::table]"
    ),
)
"""Elements with a name that may hold comments."""
_ICON = 100  # pixels of a picture that is no content
_SHORT = 500  # characters beside a headline; longer elements hold banners and logos
_OPENING = 300  # characters of such an element that are searched for a date
_ENOUGH = 4  # pages without a field from which the field is considered missing on the whole site


def _has_content(root: etree._Element) -> bool:
    """Whether there is a picture (unless it is declared narrower than an icon), a player or a link
    to a file below ``root``."""
    for node in root.iter(
        "img",
        "a",
        "video",
        "audio",
        "iframe",
        "embed",
        "object",
    ):
        width = str(node.get("width") or "")
        is_icon = width.isdecimal() and int(width[:6]) < _ICON
        if node.tag == "a":
            if _FILE.search(node.get("href") or ""):
                return True
        elif not is_icon:
            return True
    return False


class LazyExtraction:
    """A page and its single-page extraction, computed on demand and at most once. ``method`` is the
    extractor, ``is_later_part``: the page is not the first one of its article or thread, ``anchor``
    is the text of the link to the page."""

    def __init__(
        self,
        page: Page,
        *,
        method: str = "ensemble",
        is_later_part: bool = False,
        anchor: str = "",
    ) -> None:
        self.page = page
        self.is_later_part = is_later_part
        self.guess = Extraction(page, method, anchor=anchor)
        self._opener: tuple[Comment | None] | None = None

    def read_comments(
        self, records: Records | None, skip: Collection[etree._Element] = ()
    ) -> list[Comment]:
        """The comments or posts that a template's records find, without those in ``skip``. On a
        later part the first post is a reply as well."""
        if records is None:
            return []
        records = replace(records, skip_first=records.skip_first and not self.is_later_part)
        return read_records(
            records,
            self.page.root,
            base_url=self.page.base_url,
            skip=skip,
        )

    def read_opener(self, records: Records | None) -> Comment | None:
        """The post that opens a thread, which is the article; None on a later part."""
        if records is None or self.is_later_part:
            return None
        if self._opener is None:
            self._opener = (read_opener(records, self.page.root),)
        return self._opener[0]

    def article(self, *flags: str) -> Article:
        """The extractor's article with flags. Repeated records of the page are searched when its
        comments are read."""
        article = self.guess.article
        article.find_comments_by(self._own_comments)
        for flag in flags:
            add_flag(article, flag)
        return self.own_up(article)

    def own_up(self, article: Article, container: etree._Element | None = None) -> Article:
        """Mark an article without text: with ``no-text`` if a picture, player or file is its
        content, else with confidence 0."""
        if not article.articleBody.strip():
            if self.shows_other_content(container):
                add_flag(article, Flag.TEXTLESS)
            else:
                article.provenance.confidence = 0.0
                add_flag(article, Flag.UNSURE)
        return article

    def shows_other_content(self, container: etree._Element | None = None) -> bool:
        """Whether a picture, a player or a link to a file is the content of a page without text. It
        is searched in the body's ``container``, else beside the headline: in a short element around
        it, since longer ones contain the page's banners and logos."""
        if container is not None:
            return _has_content(container)
        node = self.guess.headline.node

        def is_short(one: etree._Element) -> bool:
            return one.tag != "body" and len(" ".join(one.itertext(with_tail=False))) <= _SHORT

        around = node.iterancestors() if node is not None else ()
        return any(_has_content(one) for one in takewhile(is_short, around))

    def _own_comments(self, container: etree._Element | None = None) -> list[Comment]:
        """The comments that the page shows by itself, without what stands in the ``container`` of
        the body."""
        document = self.page.document
        signs = Signs(document)
        is_named = bool((document.bits & BITS["comment"]).any()) or self.page.is_forum
        if not may_show_comments(signs, is_named=is_named):
            return []
        pages = align_pages([self.guess])
        pages[0].signs = signs
        records = induce_records(pages, Names([document]))
        units = find_on(records.unit, self.page) if records and container is not None else ()
        return self.read_comments(
            records, [unit for unit in units if container in unit.iterancestors()]
        )

    def new_comments(self, container: etree._Element) -> list[Comment]:
        """The comments of a page of which other pages of the site have none: something is called a
        comment and has a date."""
        boxes = _BOXES(self.page.root)
        names = ((box, f"{box.get('class', '')} {box.get('id', '')}") for box in boxes)
        named = (box for box, name in names if hint_bits(name) & BITS["comment"])
        is_dated = any(_shows_time(text_of(box, _OPENING)) for box in named)
        return self._own_comments(container) if is_dated else []


def add_flag(article: Article, flag: str) -> None:
    """Flag an article, once."""
    if flag not in article.provenance.flags:
        article.provenance.flags.append(flag)


def _shows_time(text: str) -> bool:
    if tells_minute(text) or has_relative(text):
        return True
    return find_date(text) is not None


def complete(applied: Applied, page: LazyExtraction) -> Article:
    """The template's article; fields that the template did not find are read from the page itself
    on demand."""
    article = applied.article
    rest = _MissingFields(applied, page)
    for name in ITEM_FIELDS:
        is_read = name in READERS or name == "extra"
        if is_read and not getattr(article, name, None):
            setattr(article, name, rest(name))
    article.find_comments_by(lambda: rest("comments"))
    _set_headline(article, rest)
    _set_opening(article, applied, page=page)
    provenance = article.provenance
    provenance.confidence = template_confidence(applied)
    body = applied.body
    container = body.node if body else None
    if body:
        article.body = body.content
        if applied.template.is_whole_page and _set_whole_body(article, body, page=page):
            container = None
    provenance.flags += _flags(article, page.page, has_body=body is not None)
    return page.own_up(article, container)


def _flags(article: Article, page: Page, *, has_body: bool) -> list[Flag]:
    """What the reader of an article by template must know."""
    is_unsure = article.provenance.confidence < UNSURE_BELOW
    is_for_payers = article.isAccessibleForFree is False
    holds = {
        Flag.TRUNCATED: page.truncated or page.meter.is_spent,
        Flag.UNSURE: has_body and is_unsure,
        Flag.INCOMPLETE: page.ends_early,
        Flag.PAYWALLED: is_for_payers and is_teaser(page, article.wordCount or 0),
    }
    return [flag for flag, is_held in holds.items() if is_held]


def _set_headline(article: Article, rest: _MissingFields) -> None:
    """Replace the title of the head by the page's own headline, if that is a part of it: sections
    and sites may be named in parts that no other page has."""
    where = article.provenance.fields.get("headline", "")
    if article.headline and where.endswith("head/title"):
        own = rest.headline.text or ""
        if squeeze(own) in map(squeeze, SEPARATOR.split(article.headline)):
            article.headline = own


def _set_opening(article: Article, applied: Applied, *, page: LazyExtraction) -> None:
    """Replace the day of a thread by that of the post that opens it. On the pages from which the
    template was learned a reply may have stood where it looks for the day."""
    template = applied.template
    where = article.provenance.fields.get("datePublished", "")
    if template.kind is not PageKind.THREAD or (where and not is_printed(where)):
        return
    opener = page.read_opener(template.records)
    if opener and opener.datePublished and template.records:
        article.datePublished = opener.datePublished
        article.datePublishedRaw = None
        article.provenance.fields["datePublished"] = template.records.unit


def _set_whole_body(
    article: Article,
    body: TemplateBody,
    *,
    page: LazyExtraction,
) -> bool:
    """Replace the body by the extractor's, without what the template leaves out; False if the
    extractor found none."""
    found = page.guess.selection
    if not found.nodes:
        return False
    skip = found.skip | body.left_out
    base_url = page.page.base_url
    article.body = Content(
        found.nodes,
        skip,
        base_url,
        found.mute,
        lines=body.fixed_lines,
        meter=page.page.meter,
    )
    article.provenance.confidence = page.guess.article.provenance.confidence
    return True


class _MissingFields:
    """Reads the fields that a template's article lacks, by name, and records where each was found.
    It has the attributes that the single-page readers expect (``sitecrawl.extract.fields``). It
    does not refer to the article: such a cycle would keep pages in memory until the garbage
    collector runs."""

    def __init__(self, applied: Applied, reading: LazyExtraction) -> None:
        template = applied.template
        self.body = applied.body
        self.reading = reading
        self.page = reading.page
        self.template = template
        self.provenance = applied.article.provenance
        self.title = applied.article.headline or ""
        self.has_grown = applied.rest > template.statistics.get("rest_high", inf)
        is_young = template.statistics.get("pages", 0) < _ENOUGH
        self.is_new = is_young or not template.knows(self.page.url)

    def __call__(self, name: str) -> Any:
        value, where = self._by_template(name)
        if not value and name in READERS and self._may_have(name):
            value = READERS[name](self)
            where = self._origin(name)
        elif name == "authors" and value:
            names = [author["name"] for author in value]
            value = with_details(self.page, names, texts=[value[0].get("nameRaw", "")])
        if value and where:
            self.provenance.fields[name] = where
        return value if value or value is False else ITEM_FIELDS[name].empty()

    def _by_template(self, name: str) -> tuple[Any, str]:
        """Value and address of a field by the template; None if the template or the page lacks
        it."""
        if name == "extra":
            return self._extra(), ""
        records = self.template.records
        if name == "comments" and records is None and self.has_grown and self.body:
            return self.reading.new_comments(self.body.node), "page"
        recorded = self._recorded(name, records) if records else []
        if records and recorded:
            return recorded, records.unit
        rule = self.template.fields.get(name)
        read = _BY_KIND.get(ITEM_FIELDS[name].kind)
        return read(rule, self.page) if rule is not None and read is not None else (None, "")

    def _recorded(self, name: str, records: Records) -> list[Any]:
        """The authors or comments that a template's records find."""
        if name == "authors":
            opener = self.reading.read_opener(records)
            return [{"name": opener.author}] if opener and opener.author else []
        if name != "comments":
            return []
        # text of the body that looks like comments must not be in the item twice
        return self.reading.read_comments(records, self.body.body_units if self.body else ())

    def _extra(self) -> dict[str, str]:
        """Values of the fields of the template that items do not have by themselves."""
        found = dict[str, str]()
        for key, rule in self.template.extra.items():
            value, _ = value_of(rule, self.page)
            if value:
                found[key] = value
        return found

    def _may_have(self, name: str) -> bool:
        """Whether pages of the template are known to have the field, or too little is known."""
        if self.is_new or self.template.statistics.get(f"has_{name}", 1.0) > 0:
            return True
        # an author that the page declares is no guess
        meta = self.page.metadata
        return name == "authors" and bool(meta.linked.get("author") or meta.people)

    def _origin(self, name: str) -> str:
        """Where the page's own value was found; empty for fields that no template holds."""
        if name == "headline":
            return self.headline.origin
        if name == "datePublished":
            return self.dated.origin if self.dated else ""
        return "page" if name in self.template.fields else ""

    @cached_property
    def below(self) -> Sequence[str]:
        """Short texts from the end of the body on, where the author may sign."""
        document = self.page.document
        at = document.number.get(self.body.node) if self.body else None
        if at is None:
            return ()
        owners = document.blocks.owner
        inside = np.flatnonzero((owners >= at) & (owners < document.ends[at]))
        if not len(inside):
            return ()
        below, _ = texts_below(self.page, int(inside[-1]))
        return below

    @property
    def content(self) -> Content:
        return self.body.content if self.body else Content(())

    @property
    def headline(self) -> Headline:
        """The page's own headline: the most likely one that other pages of the template do not
        share."""
        guess = self.reading.guess
        shared = self.template.boilerplate
        if line_digest(guess.headline.text or "") not in shared:
            return guess.headline
        others = (one for one in guess.headlines if line_digest(one.text or "") not in shared)
        return next(others, guess.headline)

    @property
    def dated(self) -> Dated | None:
        """The page's own date, if pages of the template have dates."""
        return self.reading.guess.dated if self._may_have("datePublished") else None

    @property
    def changed(self) -> str | None:
        """None: by template only the metadata tell it, because the texts around the headline cost
        more than the rest of the answer."""
        return None

    @cached_property
    def near(self) -> list[str]:
        """Texts around the headline, which is searched only if the template did not find it."""
        address = self.provenance.fields.get("headline", "")
        nodes = find_on(address, self.page) if is_address(address) else []
        document = self.page.document
        if len(nodes) != 1 or nodes[0] not in document.nodes:
            return self.reading.guess.near
        return near_element(document, document.nodes.index(nodes[0]))


Read = Callable[[Field, Page], tuple[Any, str]]


def _valued(make: Callable[[str], Any], good: Callable[[str | None], object] = bool) -> Read:
    def read(rule: Field, page: Page) -> tuple[Any, str]:
        value, source = value_of(rule, page, good=good)
        return make(value) if value else None, source

    return read


def _people(rule: Field, page: Page) -> tuple[Any, str]:
    value, source = value_of(rule, page)
    names = people_of(value, source, page=page)
    return [{"name": name, "nameRaw": value} for name in names], source


def _linked(make: Callable[[list[tuple[str, str | None]]], Any]) -> Read:
    return lambda rule, page: (make(read_links(rule, page)), next(iter(rule.sources)))


def _named_link(text: str, url: str | None) -> dict[str, str]:
    return {"name": text, "url": url} if url else {"name": text}


_BY_KIND: dict[FieldKind, Read] = {
    FieldKind.TEXT: _valued(str),
    FieldKind.URL: _valued(str),
    FieldKind.DATE: _valued(parse_date, parse_date),
    FieldKind.IMAGE: _valued(lambda url: {"url": url}),
    FieldKind.PEOPLE: _people,
    FieldKind.NAMES: _linked(lambda links: split_tags([text for text, _ in links])),
    FieldKind.LINKS: _linked(lambda links: [_named_link(*link) for link in links]),
}
"""How a template reads a field from an address, by the kind of the field."""
