"""The records that sitecrawl returns and writes (an article, its comments, its provenance; names of
zyte-common-items' Article) and the table of item fields: one row per field, written beside its name
and type in ``Article``. Every output follows the table."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, Protocol, cast

import numpy as np

from sitecrawl.text.chars import without_controls, word_count

_POWERS = [(step, np.uint64(pow(0x9E3779B97F4A7C15, step, 1 << 64))) for step in (1, 2, 4)]
_FINISHER = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))  # of SplitMix64
_IS_LETTER = np.array([chr(code).isalnum() for code in range(128)] + [True])


def fingerprint(text: str) -> str:
    """Simhash of 64 bits over runs of eight letters and digits, as 16 hex digits; empty for a text
    without any.

    Two texts with fingerprints that differ in at most three bits are near duplicates (Manku, Jain
    and Das Sarma 2007).

    >>> fingerprint("The bridge was opened this morning"), fingerprint(" the bridge was OPENED, this morning. ")
    ('7b1aa108c2b603f9', '7b1aa108c2b603f9')
    """
    codes = np.frombuffer(text.casefold().encode("utf-32-le", "surrogatepass"), np.uint32)
    letters = codes[_IS_LETTER[np.minimum(codes, 128)]]
    if not letters.size:
        return ""
    runs = np.zeros(-(-letters.size // 255) * 255 + 7, np.uint64)
    np.multiply(letters, _POWERS[0][1], out=runs[: letters.size])
    for step, power in _POWERS:  # of one letter, of two, of four, of eight
        runs = runs[:-step] + runs[step:] * power
    counts, some = (
        np.zeros(64, np.int64),
        255 * 256,
    )  # runs at a time: a long text would take 64 bytes a letter
    for start in range(0, runs.size, some):
        part = runs[start : start + some]
        for shift, factor in _FINISHER:
            part = (part ^ (part >> np.uint64(shift))) * np.uint64(factor)
        # one bit a byte: a byte holds the sum of 255 of them
        bits = np.unpackbits(part.astype("<u8", copy=False).view(np.uint8), bitorder="little").view(
            np.uint64
        )
        counts += (
            bits.reshape(255, -1)
            .sum(axis=0)
            .view(np.uint8)
            .reshape(-1, 64)
            .sum(axis=0, dtype=np.int64)
        )
    return np.packbits(2 * counts[::-1] > letters.size).tobytes().hex()


_ROWS = "item fields"


class FieldKind(StrEnum):
    """What a field holds: how a template reads it, how the parts of an article are joined, how
    feeds write it."""

    TEXT = "text"
    DATE = "date"  # ISO 8601
    URL = "url"
    IMAGE = "image"  # `{"url": ...}`
    # a list of `{"name": ..., "nameRaw": ..., "url": ...}`, the last two where they are known
    PEOPLE = "people"
    NAMES = "names"  # a list of texts
    LINKS = "links"  # a list of `{"name": ..., "url": ...}`
    NUMBER = "number"  # a whole number
    SWITCH = "switch"  # True or False
    # no XPath of its own: comments, images, provenance, the host
    NOT_FROM_TEMPLATE = "not from a template"

    @property
    def has_place(self) -> bool:
        """Whether a template can hold an XPath for a field of this kind."""
        return self not in (FieldKind.NUMBER, FieldKind.SWITCH, FieldKind.NOT_FROM_TEMPLATE)


@dataclass(frozen=True, slots=True)
class ItemField:
    """A row of the table.

    ``feed`` is the field's name in JSON Feed; without one the field goes into ``_sitecrawl``.
    ``rare`` says that whole sites lack it, so that a template remembers whether its pages have it
    at all. ``summed`` fields of an article over several pages hold the values of all parts, each
    once; the others are those of the first part. ``optional`` fields are left out of an item where
    they are empty. ``empty`` returns the value of a field that a page lacks."""

    name: str
    kind: FieldKind = FieldKind.TEXT
    feed: str = ""
    rare: bool = False
    summed: bool = False
    optional: bool = False
    empty: Callable[[], Any] = lambda: None


def _row(
    kind: FieldKind = FieldKind.TEXT, *, empty: Callable[[], Any] = lambda: None, **row: Any
) -> dict[str, Any]:
    """The metadata of a dataclass field that is one row of the table; ``row`` holds the other
    columns of :class:`ItemField`."""
    return {_ROWS: lambda name: [ItemField(name, kind, empty=empty, **row)]}


def item_field(
    kind: FieldKind = FieldKind.TEXT, *, empty: Callable[[], Any] = lambda: None, **row: Any
) -> Any:
    """A dataclass field that is one row of the table. Its value is None or what ``empty`` returns;
    ``row`` holds the other columns of :class:`ItemField`."""
    return field(default_factory=empty, metadata=_row(kind, empty=empty, **row))


def item_fields(*rows: ItemField) -> Any:
    """A dataclass field that defines several fields of an item."""
    return field(default_factory=lambda: None, metadata={_ROWS: lambda _: rows})


class Flag(StrEnum):
    """Warning in an article's provenance."""

    # the page was cut: it is larger, or costs more, than what is read of one
    TRUNCATED = "truncated"
    UNSURE = "unsure"  # the body is more likely wrong than right (see `UNSURE_BELOW`)
    DRIFTING = "drifting"  # the template of such pages was withdrawn, and none is trusted since
    DOUBTED = "template-doubted"  # template and extractor disagree; the extractor answered
    # the extractor confirms no body, or much of the body is in new elements
    UNCONFIRMED = "unconfirmed"
    # the body is empty: a picture, a player or an attachment beside the headline is the content
    TEXTLESS = "no-text"
    INCOMPLETE = "incomplete"  # parts of the article, or the end of its page, did not come
    # the status of the answer says that there is no such page, or that the server failed
    ERROR_STATUS = "error-status"
    # the article must be paid for, as the page says, and the body is only its beginning
    PAYWALLED = "paywalled"


class RenderedBody(Protocol):
    """The body of an article in its three forms, which may be rendered when they are read."""

    @property
    def text(self) -> str: ...
    @property
    def html(self) -> str: ...
    @property
    def markdown(self) -> str: ...
    @property
    def is_cut(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class PlainBody:
    """A body that was already rendered, as in a pickled article and in one of several parts."""

    text: str
    html: str
    markdown: str
    is_cut: bool = False


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

    ``method`` is ``template``, ``fallback`` or an extractor's name; ``confidence`` is the
    probability of a right body, 0..1; ``fields`` maps a field name to its origin (an XPath,
    ``json-ld``, ``meta``, an extractor); ``flags`` are warnings (``sitecrawl.items.kinds.Flag``);
    ``parts`` are the URLs of an article over several pages."""

    method: str = "fallback"
    templateId: str | None = None
    templateVersion: int | None = None
    confidence: float = 0.0
    fields: dict[str, str] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        known = {
            "method": self.method,
            "confidence": round(self.confidence, 3),
            "fields": dict(self.fields),
        }
        if self.templateId is not None:
            known |= {"templateId": self.templateId, "templateVersion": self.templateVersion}
        known |= {"parts": list(self.parts)} if self.parts else {}
        return known | ({"flags": list(self.flags)} if self.flags else {})


class _Comments:
    """The comments of an article: a list, or a function that finds them when they are first
    read."""

    def __get__(self, article: Article | None, owner: type[Article]) -> Any:
        if article is None:
            return self
        given = article.__dict__["comments"]
        if callable(given):
            given = given()
            article.__dict__["comments"] = given
        return given

    def __set__(self, article: Article, given: Any) -> None:
        # a dataclass gives the descriptor itself where its caller gives nothing
        article.__dict__["comments"] = [] if given is self else given


@dataclass(repr=False)
class Article:
    """One structured article or thread. A field is added here, in one line, and its reader in
    ``sitecrawl.extract.fields``.

    ``body`` renders text, HTML and Markdown when asked, and comments are found when they are first
    read, so that a caller pays only for what it reads. Dates are ISO 8601 strings, as exact as the
    page gives them."""

    url: str | None = item_field(FieldKind.URL, feed="url")
    id: str | None = item_field()
    canonicalUrl: str | None = item_field(FieldKind.URL)
    headline: str | None = item_field(feed="title")
    datePublished: str | None = item_field(FieldKind.DATE, feed="date_published", rare=True)
    datePublishedRaw: str | None = item_field()
    dateModified: str | None = item_field(FieldKind.DATE, feed="date_modified")
    dateModifiedRaw: str | None = item_field()
    authors: list[dict[str, str]] = item_field(
        FieldKind.PEOPLE, empty=list, feed="authors", rare=True
    )
    inLanguage: str | None = item_field(feed="language")
    description: str | None = item_field(feed="summary")
    body: RenderedBody | None = item_fields(
        ItemField("articleBody", feed="content_text"),
        ItemField("articleBodyHtml", feed="content_html"),
        ItemField("wordCount", FieldKind.NUMBER),
        ItemField("fingerprint", FieldKind.NOT_FROM_TEMPLATE),
    )
    mainImage: dict[str, str] | None = item_field(FieldKind.IMAGE, feed="image")
    images: list[dict[str, str]] = item_field(FieldKind.NOT_FROM_TEMPLATE, empty=list, summed=True)
    videos: list[dict[str, str]] = item_field(FieldKind.NOT_FROM_TEMPLATE, empty=list, summed=True)
    audios: list[dict[str, str]] = item_field(FieldKind.NOT_FROM_TEMPLATE, empty=list, summed=True)
    breadcrumbs: list[dict[str, str]] = item_field(FieldKind.LINKS, empty=list, rare=True)
    tags: list[str] = item_field(FieldKind.NAMES, empty=list, feed="tags")
    articleSection: str | None = item_field()
    source: str | None = item_field(rare=True)
    siteName: str | None = item_field()
    hostname: str | None = item_field(FieldKind.NOT_FROM_TEMPLATE)
    license: str | None = item_field(FieldKind.URL)
    isAccessibleForFree: bool | None = item_field(FieldKind.SWITCH)
    comments: list[Comment] = field(
        default=cast(Any, _Comments()),
        metadata=_row(FieldKind.NOT_FROM_TEMPLATE, empty=list),
    )
    sectionUrl: str | None = item_field(FieldKind.URL)
    provenance: Provenance = item_field(FieldKind.NOT_FROM_TEMPLATE, empty=Provenance)
    metadata: dict[str, str] = item_field(FieldKind.NOT_FROM_TEMPLATE, empty=dict, optional=True)
    extra: dict[str, str] = item_field(FieldKind.NOT_FROM_TEMPLATE, empty=dict, optional=True)

    def find_comments_by(self, find: Callable[[], list[Comment]]) -> None:
        """Let a function find the comments when they are first read."""
        self.__dict__["comments"] = find

    def __repr__(self) -> str:
        """Headline, URL and method; nothing is computed."""
        url = self.url or "without URL"
        return f"<Article {self.headline!r} {url} by {self.provenance.method}>"

    def __getstate__(self) -> dict[str, Any]:
        """All fields, with comments found and the body rendered, because elements of a page cannot
        be pickled."""
        body = self.body
        plain = PlainBody(body.text, body.html, self.articleBodyMarkdown) if body else None
        return {**self.__dict__, "comments": self.comments, "body": plain}

    @property
    def articleBody(self) -> str:
        """Plain text, a paragraph a line."""
        return self.body.text if self.body else ""

    @property
    def articleBodyHtml(self) -> str:
        """Clean HTML: structure and links, no classes, scripts or styles."""
        return self.body.html if self.body else ""

    @property
    def wordCount(self) -> int:
        """Words of the body; each Chinese, Japanese or Korean character is one."""
        return word_count(self.articleBody)

    @property
    def fingerprint(self) -> str | None:
        """Simhash of the body, 16 hex digits: near duplicates differ in at most three bits."""
        return fingerprint(self.articleBody) or None

    @property
    def articleBodyMarkdown(self) -> str:
        """The same as Markdown."""
        written = self.body.markdown if self.body else ""
        self._own_up()
        return written

    def _own_up(self) -> None:
        """Flag an article whose page could not pay for all that was rendered."""
        flags = self.provenance.flags
        if self.body and self.body.is_cut and Flag.TRUNCATED not in flags:
            flags.append(Flag.TRUNCATED)

    def to_dict(self, fields: Collection[str] = ()) -> dict[str, Any]:
        """The item as it stands in a feed: every field of the table, or only ``fields``, in the
        order of the table. All values are copies. Provenance is read last. Fields that are left out
        are not computed."""
        item = dict[str, Any]()
        for name, row in ITEM_FIELDS.items():
            if fields and name not in fields:
                continue
            if name == "provenance":
                self._own_up()
            value = getattr(self, name, None)
            if value is None:
                value = row.empty()
            if value or not row.optional:
                item[name] = _json_value(value)
        return item


_MARKED = [column for column in fields(Article) if _ROWS in column.metadata]
ITEM_FIELDS: dict[str, ItemField] = {
    row.name: row for column in _MARKED for row in column.metadata[_ROWS](column.name)
}
"""The rows of the table by name, in the order of an item."""


def _json_value(value: Any) -> Any:
    """A value as JSON can hold it, including the entries of a list. Characters that steer a
    terminal are removed from texts."""
    match value:
        case str():
            return value if value.isprintable() else without_controls(value)
        case list():
            return [_json_value(entry) for entry in value]
        case dict():
            return {name: _json_value(entry) for name, entry in value.items()}
        case Comment() | Provenance():
            return _json_value(value.to_dict())
    return value
