"""Answers of a site: a template's article, completed by what one page alone says when a caller reads it; or the fallback."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

from sitecrawl.dom.align import Names
from sitecrawl.dom.page import Page
from sitecrawl.dom.render import Content
from sitecrawl.extract.details import split_tags, with_details
from sitecrawl.extract.ensemble import Selection
from sitecrawl.extract.fields import READERS, prose_of
from sitecrawl.extract.headline import Headline
from sitecrawl.extract.published import Dated
from sitecrawl.extract.single import Extraction, Landmarks, extract_around
from sitecrawl.items.article import ITEM_FIELDS, Article, Comment, FieldKind
from sitecrawl.items.kinds import UNSURE_BELOW, Flag
from sitecrawl.site.assurance import template_confidence
from sitecrawl.templates.address import find, is_address
from sitecrawl.templates.apply import Applied, TemplateBody, is_titled
from sitecrawl.templates.comments.comment_records import records_of
from sitecrawl.templates.comments.reading import read_opener, read_records
from sitecrawl.templates.field_values import read_links, value_of
from sitecrawl.templates.sheet import Sample, sheets_of
from sitecrawl.templates.template import Field, Records, Template
from sitecrawl.text.dates import parse_date
from sitecrawl.text.names import clean_names, squeeze

_ENOUGH = 4
"""Pages from which it counts that none of them had a field."""
_MOSTLY = 0.5
"""Share of a template's pages whose title holds the headline, from which a page is asked whether it does."""


class Reading:
    """A page and its single-page extraction, made at most once.

    ``later`` tells that it is not the first part of its thread, ``anchor`` is the text of the link that led to it.
    """

    def __init__(self, page: Page, method: str = "ensemble", later: bool = False, anchor: str = "") -> None:
        self.page, self.method = page, method
        self.later, self.anchor = later, anchor

    @cached_property
    def marks(self) -> Landmarks:
        """Headline and date of the page alone; far cheaper than the whole guess."""
        return Landmarks(self.page, self.anchor)

    @cached_property
    def guess(self) -> Extraction:
        return extract_around(self.marks, self.method)

    @cached_property
    def paths(self) -> frozenset[int]:
        """The page's signature."""
        return self.page.signature

    @property
    def sample(self) -> Sample:
        return Sample(self.page, self.guess)

    def _comments(self) -> list[Comment]:
        """Records of this page alone, where they are beyond doubt."""
        names = Names([self.page.tree])
        records = records_of(sheets_of([self.sample], names), names)
        return self.read(records) if records else []

    def read(self, records: Records) -> list[Comment]:
        """The comments or posts of the page; on a later part the first one is a reply as well."""
        skip = records.skip_first and not self.later
        return read_records(replace(records, skip_first=skip), self.page.root, self.page.base_url)

    def opener(self, records: Records | None) -> list[dict[str, str]]:
        """The author of a thread, where its first post is the article."""
        name = read_opener(records, self.page.root) if records and not self.later else None
        return [{"name": name}] if name else []

    def fallback(self, *flags: str) -> Article:
        """The extractor's article, flagged; comments that it found none of are looked for when they are read."""
        article = self.guess.article
        if not article.comments:
            article.defer(("comments",), lambda _: self._comments())
        article.provenance.flags.extend(flag for flag in flags if flag not in article.provenance.flags)
        return article


def complete(applied: Applied, reading: Reading, template: Template) -> Article:
    """The template's article; what it did not find is read from the page's own evidence, field by field, when a caller asks."""
    article = applied.article
    rest = _Rest(applied, reading, template)
    if _is_doubtful(article, reading.page, template):
        own, said = rest.headline, article.headline or ""
        if own.text and own.node is not None and is_titled(own.text, reading.page):
            better = squeeze(own.text) in squeeze(said) or not is_titled(said, reading.page)
            if better:
                article.headline, article.provenance.fields["headline"] = own.text, own.origin
    article.defer([name for name in (*READERS, *_RECORDED) if not article.__dict__.get(name)], rest)
    if template.vague and isinstance(article.body, TemplateBody) and reading.guess.selection.nodes:
        article.body = _within(reading.guess.selection, article.body)
    guessed = template.vague and isinstance(article.body, Content)
    sure = reading.guess.article.provenance.confidence if guessed else template_confidence(template, applied)
    article.provenance.confidence = sure
    article.provenance.flags += [Flag.TRUNCATED] * reading.page.truncated + [Flag.UNSURE] * (
        guessed and sure < UNSURE_BELOW
    )
    return article


def _within(selection: Selection, body: TemplateBody) -> Content:
    """The extractor's body without what the template leaves out."""
    skip = selection.skip | body.left_out
    return Content(selection.nodes, skip, body.base(), selection.mute, lines=frozenset(body.rules.texts))


def _is_doubtful(article: Article, page: Page, template: Template) -> bool:
    """Whether the page's title stands in for the headline's element, with the names of sites that no page taught; or whether the title says
    nothing of what stands in that element, as it does on most of the template's pages."""
    rule, source = template.fields.get("headline"), article.provenance.fields.get("headline", "")
    if rule is None or not article.headline:
        return False
    if "/head/" in source:
        return "/head/" not in rule.sources[0]
    return template.statistics.get("titled", 0.0) >= _MOSTLY and not is_titled(article.headline, page)


class _Rest:
    """Gives what a template's article leaves for later, by the name of the field, and notes where it was found.

    It is the clues for the readers of single pages, too. It never refers to the article itself: a cycle would keep page
    after page until the collector runs.
    """

    __slots__ = ("is_new", "nodes", "provenance", "reading", "template", "title")

    def __init__(self, applied: Applied, reading: Reading, template: Template) -> None:
        body = applied.article.body
        self.reading, self.template, self.provenance = reading, template, applied.article.provenance
        self.title = applied.article.headline or ""
        self.nodes = [body.node] if isinstance(body, TemplateBody) else []
        self.is_new = template.statistics.get("pages", 0) < _ENOUGH or not template.knows(reading.page.url)

    def __call__(self, name: str) -> Any:
        value, where = self._by_template(name)
        if not value and name in READERS and self._may_have(name):
            value, where = READERS[name](self), self._origin(name)
        elif name == "authors" and value:
            value = with_details(self.page, [author["name"] for author in value], [value[0].get("nameRaw", "")])
        if value and where:
            self.provenance.fields[name] = where
        return value or ITEM_FIELDS[name].empty()

    def _by_template(self, name: str) -> tuple[Any, str]:
        """Value and address, where the template holds the field and the page has it there."""
        if name in _RECORDED and (recorded := _RECORDED[name](self)):
            return recorded, self.template.records.unit if self.template.records and name != "extra" else ""
        rule = self.template.fields.get(name)
        read = _BY_KIND.get(ITEM_FIELDS[name].kind) if rule is not None else None
        return read(rule, self.page) if rule is not None and read is not None else (None, "")

    def _may_have(self, name: str) -> bool:
        """Whether such pages have the field at all, as far as it is known."""
        return self.is_new or self.template.statistics.get(f"has_{name}", 1.0) > 0

    def _origin(self, name: str) -> str:
        """Where the page's own evidence stands; told where a template would have been expected to find it."""
        if name == "headline":
            return self.headline.origin
        if name == "datePublished":
            return self.dated.origin if self.dated else ""
        return "page" if name in self.template.fields else ""

    @property
    def page(self) -> Page:
        return self.reading.page

    @property
    def headline(self) -> Headline:
        return self.reading.marks.headline

    @property
    def dated(self) -> Dated | None:
        """The page's own date, where pages of the template have any."""
        return self.reading.marks.dated if self._may_have("datePublished") else None

    @property
    def near(self) -> list[str]:
        """Texts around the headline: where the template found it on the page, the page alone need not be asked."""
        address = self.provenance.fields.get("headline", "")
        nodes = find(address, self.page.root) if is_address(address) else []
        if len(nodes) != 1 or nodes[0] not in self.page.tree.nodes:
            return self.reading.marks.near
        return self.reading.marks.beside(self.page.tree.nodes.index(nodes[0]))

    @property
    def sample(self) -> str:
        return prose_of(self.nodes)


_RECORDED: dict[str, Callable[[_Rest], Any]] = {
    "authors": lambda rest: rest.reading.opener(rest.template.records),
    "comments": lambda rest: rest.reading.read(rest.template.records) if rest.template.records else [],
    "extra": lambda rest: _extra(rest.template, rest.page),
}
"""Fields that a template gives by its records, or by names of its own."""
Read = Callable[[Field, Page], tuple[Any, str]]


def _linked(make: Callable[[str, str | None], Any]) -> Read:
    return lambda rule, page: ([make(*link) for link in read_links(rule, page)], rule.sources[0])


def _valued(make: Callable[[str], Any], good: Callable[[str | None], object] = bool) -> Read:
    def read(rule: Field, page: Page) -> tuple[Any, str]:
        value, source = value_of(rule, page, good)
        return make(value) if value else None, source

    return read


_BY_KIND: dict[FieldKind, Read] = {
    FieldKind.TEXT: _valued(str),
    FieldKind.URL: _valued(str),
    FieldKind.DATE: _valued(parse_date, parse_date),
    FieldKind.IMAGE: _valued(lambda url: {"url": url}),
    FieldKind.PEOPLE: _valued(lambda names: [{"name": name, "nameRaw": names} for name in clean_names([names])]),
    FieldKind.NAMES: lambda rule, page: (split_tags([text for text, _ in read_links(rule, page)]), rule.sources[0]),
    FieldKind.LINKS: _linked(lambda text, url: {"name": text} | ({"url": url} if url else {})),
}
"""How a template gives a field that it holds an address of, by the kind of the field."""


def _extra(template: Template, page: Page) -> dict[str, str]:
    """Values of the template's extra fields, those that the page has."""
    found = {name: value_of(rule, page)[0] for name, rule in template.extra.items()}
    return {name: value for name, value in found.items() if value}
