"""Answers of a site: a template's article, completed by what one page alone says when a caller reads it; or the fallback."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

from sitecrawl.dom.align import Names
from sitecrawl.dom.page import Page
from sitecrawl.dom.signature import signature
from sitecrawl.extract.fields import canonical_url, description, images_of, main_image, tags_of
from sitecrawl.extract.published import find_modified
from sitecrawl.extract.single import Extraction, extract_page
from sitecrawl.items.article import Article, Comment
from sitecrawl.templates.apply import Applied, TemplateBody
from sitecrawl.templates.comments.reading import read_opener, read_records
from sitecrawl.templates.comments.records import records_of
from sitecrawl.templates.field_values import read_links, value_of
from sitecrawl.templates.induction.lesser_fields import LESSER
from sitecrawl.templates.sheet import Sample, sheets_of
from sitecrawl.templates.template import Field, Records, Template
from sitecrawl.text.language import language_of
from sitecrawl.text.names import clean_names

_ENOUGH = 4
"""Pages from which it counts that none of them had a field."""


class Reading:
    """A page and its single-page extraction, made at most once; ``later`` tells that it is not the first part of its thread."""

    def __init__(self, page: Page, method: str = "ensemble", later: bool = False) -> None:
        self.page = page
        self.method = method
        self.later = later

    @cached_property
    def guess(self) -> Extraction:
        return extract_page(self.page, self.method)

    @cached_property
    def paths(self) -> frozenset[int]:
        """The page's signature."""
        return signature(self.page.root)

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
    """The template's article; fields that it does not hold are computed from the page when they are read."""
    article = applied.article
    rest = _Rest(applied, reading, template)
    article.defer(_LATER, rest)
    if "dateModified" not in template.fields:
        article.defer(("dateModified",), rest)
    if article.headline is None:
        article.defer(("headline",), rest)
    if reading.page.truncated:
        article.provenance.flags.append("truncated")
    return article


class _Rest:
    """Gives what a template's article leaves for later, by the name of the field.

    It never refers to the article itself: a cycle would keep page after page until the collector runs.
    """

    __slots__ = ("headline", "nodes", "reading", "template")

    def __init__(self, applied: Applied, reading: Reading, template: Template) -> None:
        body = applied.article.body
        self.reading, self.template, self.headline = reading, template, applied.article.headline
        self.nodes = [body.node] if isinstance(body, TemplateBody) else []

    def __call__(self, name: str) -> Any:
        rule, page = self.template.fields.get(name), self.reading.page
        if name == "authors" and (opener := self.reading.opener(self.template.records)):
            return opener
        if rule is not None and name in _READERS:
            return _READERS[name](rule, page)
        if name == "comments" and self.template.records is not None:
            return self.reading.read(self.template.records)
        return _ALONE[name](self) if name in _ALONE else self._guessed(name)

    def _guessed(self, name: str) -> Any:
        """A field by the extractor, where such pages have it at all."""
        seen = self.template.statistics
        if seen.get(f"has_{name}", 1.0) > 0 or seen.get("pages", 0) < _ENOUGH:
            return getattr(self.reading.guess.article, name)
        return None if name == "source" else []


_ALONE: dict[str, Callable[[_Rest], Any]] = {
    "canonicalUrl": lambda rest: canonical_url(rest.reading.page),
    "description": lambda rest: description(rest.reading.page.metadata),
    "mainImage": lambda rest: main_image(rest.reading.page),
    "inLanguage": lambda rest: language_of(rest.reading.page.metadata.language, rest.headline or ""),
    "images": lambda rest: images_of(rest.nodes, rest.reading.page.base_url),
    "dateModified": lambda rest: find_modified(rest.reading.page.metadata),
    "tags": lambda rest: tags_of(rest.reading.page),
    "extra": lambda rest: _extra(rest.template, rest.reading.page),
}
_LATER = (*(name for name in _ALONE if name not in ("dateModified", *LESSER)), *LESSER)
"""Fields that are left for later whatever the template holds."""
_READERS: dict[str, Callable[[Field, Page], Any]] = {
    "authors": lambda rule, page: [{"name": name} for name in clean_names([value_of(rule, page)[0] or ""])],
    "source": lambda rule, page: value_of(rule, page)[0],
    "tags": lambda rule, page: [text for text, _ in read_links(rule, page)],
    "breadcrumbs": lambda rule, page: [
        {"name": text} | ({"url": url} if url else {}) for text, url in read_links(rule, page)
    ],
}


def _extra(template: Template, page: Page) -> dict[str, str]:
    """Values of the template's extra fields, those that the page has."""
    found = {name: value_of(rule, page)[0] for name, rule in template.extra.items()}
    return {name: value for name, value in found.items() if value}
