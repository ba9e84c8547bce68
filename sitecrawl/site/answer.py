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

from lxml import etree

from sitecrawl.dom.align import Names
from sitecrawl.dom.blocks import BITS, hint_bits
from sitecrawl.dom.page import AUTHOR_META, Page, is_forum
from sitecrawl.dom.render import Content
from sitecrawl.extract.details import split_tags, with_details
from sitecrawl.extract.fields import READERS, near_element
from sitecrawl.extract.published import Dated
from sitecrawl.extract.single import Extraction
from sitecrawl.items.article import ITEM_FIELDS, Article, Comment, FieldKind
from sitecrawl.items.kinds import UNSURE_BELOW, Flag, Headline
from sitecrawl.site.assurance import template_confidence
from sitecrawl.templates.address import find, is_address, text_of
from sitecrawl.templates.aligned_pages import align_pages
from sitecrawl.templates.apply import Applied
from sitecrawl.templates.comments.comment_records import induce_records
from sitecrawl.templates.comments.read_records import read_opener, read_records
from sitecrawl.templates.comments.rows import may_show_comments
from sitecrawl.templates.field_values import people_of, read_links, value_of
from sitecrawl.templates.signs import Signs
from sitecrawl.templates.template import Field, Records, line_digest
from sitecrawl.text.dates import find_date, has_relative, parse_date
from sitecrawl.text.names import SEPARATOR, squeeze

_FILE = re.compile(
    r"\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|zip|rar|7z|epub|jpe?g|png|gif|webp|mp[34]|m4a|ogg|wps|ofd)(?:$|[?#])",
    re.I,
)
"""Extensions of files that may be the content of a page."""
_CLOCK = re.compile(r"\d:[0-5]\d")  # a time of day, beside a date of any form
_BOXES = cast(
    Callable[[etree._Element], list[etree._Element]],
    etree.XPath(
        "//*[@class or @id][self::div or self::li or self::article or self::section or self::dl"
        " or self::ol or self::ul or self::table]"
    ),
)
"""Elements with a name that may hold comments."""
_OPENING = 300  # characters of such an element that are searched for a date
_ENOUGH = 4  # pages without a field from which the field is considered missing on the whole site


def _has_content(root: etree._Element, *, least: int = 100) -> bool:
    """Whether there is a picture (unless it is declared narrower than ``least`` pixels), a player
    or a link to a file below ``root``."""
    for node in root.iter("img", "a", "video", "audio", "iframe", "embed", "object"):
        width = str(node.get("width") or "")
        is_icon = width.isdecimal() and int(width[:6]) < least
        if not is_icon if node.tag != "a" else _FILE.search(node.get("href") or ""):
            return True
    return False


class LazyExtraction:
    """A page and its single-page extraction, computed on demand and at most once. ``method`` is the
    extractor, ``is_later_part``: the page is not the first one of its article or thread, ``anchor``
    is the text of the link to the page."""

    def __init__(
        self, page: Page, *, method: str = "ensemble", is_later_part: bool = False, anchor: str = ""
    ) -> None:
        self.page, self.is_later_part = page, is_later_part
        self.guess = Extraction(page, method, anchor=anchor)

    def read_comments(
        self, records: Records | None, skip: Collection[etree._Element] = ()
    ) -> list[Comment]:
        """The comments or posts that a template's records find, without those in ``skip``. On a
        later part the first post is a reply as well."""
        if records is None:
            return []
        records = replace(records, skip_first=records.skip_first and not self.is_later_part)
        return read_records(records, self.page.root, base_url=self.page.base_url, skip=skip)

    def read_opener(self, records: Records | None) -> list[dict[str, str]]:
        """The author of a thread whose first post is the article."""
        name = read_opener(records, self.page.root) if records and not self.is_later_part else None
        return [{"name": name}] if name else []

    def article(self, *flags: str) -> Article:
        """The extractor's article with flags. Repeated records of the page are searched when its
        comments are read."""
        article = self.guess.article
        article.find_comments_by(self._own_comments)
        article.provenance.flags.extend(
            flag for flag in flags if flag not in article.provenance.flags
        )
        return self.own_up(article)

    def own_up(self, article: Article, container: etree._Element | None = None) -> Article:
        """Mark an article without text: with ``no-text`` if a picture, player or file is its
        content, else with confidence 0."""
        if not article.articleBody.strip():
            is_shown = self.shows_other_content(container)
            article.provenance.confidence *= is_shown
            flag = Flag.TEXTLESS if is_shown else Flag.UNSURE
            article.provenance.flags += [flag] * (flag not in article.provenance.flags)
        return article

    def shows_other_content(
        self, container: etree._Element | None = None, *, longest: int = 500
    ) -> bool:
        """Whether a picture, a player or a link to a file is the content of a page without text. It
        is searched in the body's ``container``, else beside the headline: in an element around it
        with at most ``longest`` characters, since longer ones contain the page's banners and
        logos."""
        if container is not None:
            return _has_content(container)
        node = self.guess.headline.node

        def is_short(one: etree._Element) -> bool:
            return one.tag != "body" and len(" ".join(one.itertext(with_tail=False))) <= longest

        around = node.iterancestors() if node is not None else ()
        return any(_has_content(one) for one in takewhile(is_short, around))

    def _own_comments(self, container: etree._Element | None = None) -> list[Comment]:
        """The comments that the page shows by itself, without what stands in the ``container`` of
        the body."""
        if not self._may_show_comments():
            return []
        records = induce_records(align_pages([self.guess]), Names([self.page.document]))
        units = find(records.unit, self.page.root) if records and container is not None else ()
        return self.read_comments(
            records, [unit for unit in units if container in unit.iterancestors()]
        )

    def _may_show_comments(self) -> bool:
        """Whether repeated elements are worth a comparison."""
        named_comments = self.page.document.bits & BITS["comment"]
        is_named = bool(named_comments.any()) or is_forum(self.page)
        return may_show_comments(Signs(self.page.document), is_named=is_named)

    def new_comments(self, container: etree._Element) -> list[Comment]:
        """The comments of a page of which other pages of the site have none: something is called a
        comment and has a date."""
        boxes = _BOXES(self.page.root)
        named = (box for box in boxes if hint_bits(_name_of(box)) & BITS["comment"])
        is_dated = any(_shows_time(text_of(box, _OPENING)) for box in named)
        return self._own_comments(container) if is_dated else []


def _name_of(node: etree._Element) -> str:
    return f"{node.get('class', '')} {node.get('id', '')}"


def _shows_time(text: str) -> bool:
    if _CLOCK.search(text) or has_relative(text):
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
    if article.headline and article.provenance.fields.get("headline", "").endswith("head/title"):
        own = (
            rest.headline.text or ""
        )  # sections and sites may be named in parts of the title that no other page has
        if squeeze(own) in map(squeeze, SEPARATOR.split(article.headline)):
            article.headline = own
    sure, body, unsure = template_confidence(applied), applied.body, False
    container = body.node if body else None
    if body:
        article.body = body.content
    if applied.template.is_whole_page and body and (found := page.guess.selection).nodes:
        skip = found.skip | body.left_out
        article.body = Content(
            found.nodes,
            skip,
            page.page.base_url,
            found.mute,
            lines=body.fixed_lines,
            meter=page.page.meter,
        )
        container, sure = None, page.guess.article.provenance.confidence
        unsure = sure < UNSURE_BELOW
    article.provenance.confidence = sure
    if page.page.truncated or page.page.meter.is_spent:
        article.provenance.flags.append(Flag.TRUNCATED)
    article.provenance.flags += [Flag.UNSURE] * unsure
    article.provenance.flags += [Flag.INCOMPLETE] * page.page.ends_early
    return page.own_up(article, container)


class _MissingFields:
    """Reads the fields that a template's article lacks, by name, and records where each was found.
    It has the attributes that the single-page readers expect (``sitecrawl.extract.fields``). It
    does not refer to the article: such a cycle would keep pages in memory until the garbage
    collector runs."""

    def __init__(self, applied: Applied, reading: LazyExtraction) -> None:
        self.body, template = applied.body, applied.template
        self.reading, self.page = reading, reading.page
        self.template, self.provenance = template, applied.article.provenance
        self.title = applied.article.headline or ""
        self.has_grown = applied.rest > template.statistics.get("rest_high", inf)
        self.is_new = template.statistics.get("pages", 0) < _ENOUGH or not template.knows(
            self.page.url
        )

    def __call__(self, name: str) -> Any:
        value, where = self._by_template(name)
        if not value and name in READERS and self._may_have(name):
            value, where = READERS[name](self), self._origin(name)
        elif name == "authors" and value:
            value = with_details(
                self.page, [author["name"] for author in value], texts=[value[0].get("nameRaw", "")]
            )
        if value and where:
            self.provenance.fields[name] = where
        return value if value or value is False else ITEM_FIELDS[name].empty()

    def _by_template(self, name: str) -> tuple[Any, str]:
        """Value and address of a field by the template; None if the template or the page lacks
        it."""
        records, recorded = self.template.records, list[Any]()
        if name == "extra":
            found = {key: value_of(rule, self.page)[0] for key, rule in self.template.extra.items()}
            return {key: value for key, value in found.items() if value}, ""
        if name == "authors":
            recorded = self.reading.read_opener(records)
        if (
            name == "comments"
        ):  # text of the body that looks like comments must not be in the item twice
            recorded = self.reading.read_comments(
                records, self.body.body_units if self.body else ()
            )
            if records is None and self.has_grown and self.body:
                return self.reading.new_comments(self.body.node), "page"
        if records and recorded:
            return recorded, records.unit
        rule = self.template.fields.get(name)
        read = _BY_KIND.get(ITEM_FIELDS[name].kind)
        return read(rule, self.page) if rule is not None and read is not None else (None, "")

    def _may_have(self, name: str) -> bool:
        """Whether pages of the template are known to have the field, or too little is known."""
        meta = self.page.metadata  # an author that the page declares is no guess
        is_declared = name == "authors" and bool(
            meta.linked.get("author") or meta.first(*AUTHOR_META)
        )
        return is_declared or self.is_new or self.template.statistics.get(f"has_{name}", 1.0) > 0

    def _origin(self, name: str) -> str:
        """Where the page's own value was found; empty for fields that no template holds."""
        if name == "headline":
            return self.headline.origin
        if name == "datePublished":
            return self.dated.origin if self.dated else ""
        return "page" if name in self.template.fields else ""

    @property
    def below(self) -> Sequence[str]:
        return ()

    @property
    def content(self) -> Content:
        return self.body.content if self.body else Content(())

    @property
    def headline(self) -> Headline:
        """The page's own headline: the most likely one that other pages of the template do not
        share."""
        own, shared = self.reading.guess.headline, self.template.boilerplate
        if line_digest(own.text or "") not in shared:
            return own
        return next(
            (
                one
                for one in self.reading.guess.headlines
                if line_digest(one.text or "") not in shared
            ),
            own,
        )

    @property
    def dated(self) -> Dated | None:
        """The page's own date, if pages of the template have dates."""
        return self.reading.guess.dated if self._may_have("datePublished") else None

    @cached_property
    def near(self) -> list[str]:
        """Texts around the headline, which is searched only if the template did not find it."""
        address = self.provenance.fields.get("headline", "")
        nodes, document = (
            find(address, self.page.root) if is_address(address) else [],
            self.page.document,
        )
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
    return [
        {"name": name, "nameRaw": value} for name in people_of(value, source, page=page)
    ], source


def _linked(make: Callable[[list[tuple[str, str | None]]], Any]) -> Read:
    return lambda rule, page: (make(read_links(rule, page)), next(iter(rule.sources)))


_BY_KIND: dict[FieldKind, Read] = {
    FieldKind.TEXT: _valued(str),
    FieldKind.URL: _valued(str),
    FieldKind.DATE: _valued(parse_date, parse_date),
    FieldKind.IMAGE: _valued(lambda url: {"url": url}),
    FieldKind.PEOPLE: _people,
    FieldKind.NAMES: _linked(lambda links: split_tags([text for text, _ in links])),
    FieldKind.LINKS: _linked(
        lambda links: [{"name": text} | ({"url": url} if url else {}) for text, url in links]
    ),
}
"""How a template reads a field from an address, by the kind of the field."""
