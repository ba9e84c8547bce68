"""The records that leave sitecrawl: an article and its comments (names of zyte-common-items' Article)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol


class Body(Protocol):
    """Rendered content of a page; ``sitecrawl.dom.render.Content`` is the one implementation."""

    @property
    def text(self) -> str: ...
    @property
    def html(self) -> str: ...
    @property
    def markdown(self) -> str: ...


@dataclass(slots=True)
class Comment:
    """A reader's comment, or a post of a thread after the first."""

    text: str
    author: str | None = None
    datePublished: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {"author": self.author, "datePublished": self.datePublished, "text": self.text}


@dataclass(slots=True)
class Provenance:
    """Where an article's values came from.

    ``method`` is ``template``, ``fallback`` or an extractor's name; ``confidence`` lies in 0..1;
    ``fields`` maps a field name to its origin (an address, ``json-ld``, ``meta``, an extractor);
    ``flags`` are warnings such as ``truncated`` or ``drifting``; ``parts`` are the URLs of an article over several pages.
    """

    method: str = "fallback"
    templateId: str | None = None
    templateVersion: int | None = None
    confidence: float = 0.0
    fields: dict[str, str] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        known = {"method": self.method, "confidence": round(self.confidence, 3), "fields": dict(self.fields)}
        if self.templateId is not None:
            known |= {"templateId": self.templateId, "templateVersion": self.templateVersion}
        known |= {"parts": list(self.parts)} if self.parts else {}
        return known | ({"flags": list(self.flags)} if self.flags else {})


@dataclass(slots=True)
class Article:
    """One structured article or thread.

    ``body`` renders text, HTML and Markdown when asked, so that a caller pays only for what it reads.
    Dates are ISO 8601 strings, as exact as the page gives them.
    """

    url: str | None = None
    canonicalUrl: str | None = None
    headline: str | None = None
    datePublished: str | None = None
    datePublishedRaw: str | None = None
    dateModified: str | None = None
    authors: list[dict[str, str]] = field(default_factory=list)
    inLanguage: str | None = None
    description: str | None = None
    mainImage: dict[str, str] | None = None
    images: list[dict[str, str]] = field(default_factory=list)
    breadcrumbs: list[dict[str, str]] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    source: str | None = None
    comments: list[Comment] = field(default_factory=list)
    sectionUrl: str | None = None
    extra: dict[str, str] = field(default_factory=dict)
    body: Body | None = None
    provenance: Provenance = field(default_factory=Provenance)
    _later: dict[str, Callable[[str], Any]] = field(default_factory=dict, repr=False, compare=False)

    def defer(self, names: Iterable[str], compute: Callable[[str], Any]) -> None:
        """Let ``compute`` give the fields of these names when they are first read: a caller pays only for what it reads."""
        for name in names:
            self._later[name] = compute
            delattr(self, name)

    def __getattr__(self, name: str) -> Any:
        """A deferred field, computed once; called only for fields that hold no value."""
        if name.startswith("_") or name not in self._later:
            raise AttributeError(name)
        value = self._later.pop(name)(name)
        setattr(self, name, value)
        return value

    @property
    def articleBody(self) -> str:
        """Plain text, a paragraph a line."""
        return self.body.text if self.body else ""

    @property
    def articleBodyHtml(self) -> str:
        """Clean HTML: structure and links, no classes, scripts or styles."""
        return self.body.html if self.body else ""

    @property
    def articleBodyMarkdown(self) -> str:
        return self.body.markdown if self.body else ""

    def to_dict(self) -> dict[str, Any]:
        """The item as it stands in a feed: every contract field, in a fixed order."""
        return {
            "url": self.url,
            "canonicalUrl": self.canonicalUrl,
            "headline": self.headline,
            "datePublished": self.datePublished,
            "datePublishedRaw": self.datePublishedRaw,
            "dateModified": self.dateModified,
            "authors": [dict(author) for author in self.authors],
            "inLanguage": self.inLanguage,
            "description": self.description,
            "articleBody": self.articleBody,
            "articleBodyHtml": self.articleBodyHtml,
            "mainImage": self.mainImage,
            "images": [dict(image) for image in self.images],
            "breadcrumbs": [dict(crumb) for crumb in self.breadcrumbs],
            "tags": list(self.tags),
            "source": self.source,
            "comments": [comment.to_dict() for comment in self.comments],
            "sectionUrl": self.sectionUrl,
            "provenance": self.provenance.to_dict(),
        } | ({"extra": dict(self.extra)} if self.extra else {})
