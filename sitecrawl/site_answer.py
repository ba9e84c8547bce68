"""Answers of a site: a template's article, completed by what one page alone says when a caller reads it; or the fallback."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from sitecrawl.article import Article, Comment
from sitecrawl.dom.align import Names
from sitecrawl.dom.page import Page
from sitecrawl.dom.signature import signature
from sitecrawl.extract.fields import canonical_url, description, images_of, main_image, tags_of
from sitecrawl.extract.published import find_modified
from sitecrawl.extract.single import Extraction, extract_page
from sitecrawl.templates.apply import Applied, TemplateBody, value_of
from sitecrawl.templates.listed import read_links
from sitecrawl.templates.people import LESSER
from sitecrawl.templates.reading import read_records
from sitecrawl.templates.records import records_of
from sitecrawl.templates.sheet import Sample, sheets_of
from sitecrawl.templates.template import Field, Records, Template
from sitecrawl.values.language import language_of
from sitecrawl.values.names import clean_names

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

    def fallback(self, *flags: str) -> Article:
        """The extractor's article, flagged; comments that it found none of are looked for when they are read."""
        article = self.guess.article
        if not article.comments:
            article.defer({"comments": self._comments})
        article.provenance.flags.extend(flag for flag in flags if flag not in article.provenance.flags)
        return article


def complete(applied: Applied, reading: Reading, template: Template) -> Article:
    """The template's article; fields that it does not hold are computed from the page when they are read.

    What is deferred never refers to the article itself: a cycle would keep page after page until the collector runs.
    """
    article, page, headline = applied.article, reading.page, applied.article.headline
    nodes = [article.body.node] if isinstance(article.body, TemplateBody) else []
    later: dict[str, Any] = {
        "canonicalUrl": lambda: canonical_url(page),
        "description": lambda: description(page.metadata),
        "mainImage": lambda: main_image(page),
        "inLanguage": lambda: language_of(page.metadata.language, headline or ""),
        "images": lambda: images_of(nodes, page.base_url),
    }
    later |= _lesser(reading, template)
    if article.headline is None:
        later["headline"] = lambda: reading.guess.article.headline
    article.defer(later)
    if page.truncated:
        article.provenance.flags.append("truncated")
    return article


def _lesser(reading: Reading, template: Template) -> dict[str, Any]:
    """Fields by the template where it knows how; by the extractor where it does not but such pages have them at all."""
    page, records = reading.page, template.records
    later: dict[str, Any] = {"dateModified": lambda: find_modified(page.metadata)}
    for name in LESSER:
        if template.statistics.get(f"has_{name}", 1.0) > 0 or template.statistics.get("pages", 0) < _ENOUGH:
            later[name] = lambda name=name: getattr(reading.guess.article, name)
    later["tags"] = lambda: tags_of(page)
    if records is not None:
        later["comments"] = lambda: reading.read(records)
    if template.extra:
        later["extra"] = lambda: _extra(template, page)
    return later | _addressed(template, page)


def _addressed(template: Template, page: Page) -> dict[str, Any]:
    """The lesser fields that the template has an address for."""
    return {
        name: partial(reader, template.fields[name], page)
        for name, reader in _READERS.items()
        if name in template.fields
    }


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
