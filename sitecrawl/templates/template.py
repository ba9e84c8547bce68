"""A template: a small JSON document that says where the pages of a site keep their fields. Only its
addresses are ever evaluated."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from math import isfinite
from typing import Any
from zlib import crc32

from sitecrawl.errors import TemplateError
from sitecrawl.items.kinds import PageKind, TemplateState
from sitecrawl.limits import cached
from sitecrawl.templates.address import is_address, is_source
from sitecrawl.text.names import squeeze
from sitecrawl.urls.pattern import url_pattern

NO_CUT = ("", "")  # the prefix and the suffix of a value from which nothing is removed
# increased when an older reader would misread a document. Readers refuse a protocol that they do
# not know
PROTOCOL = 1


@dataclass(slots=True)
class Field:
    """Where one field is: ``sources`` in the order in which they are tried, each with the (prefix,
    suffix) that is removed from its value. With a
    ``label`` the value is the text after that word and a colon, up to the next of the words in
    ``stops``."""

    sources: dict[str, tuple[str, str]]
    label: str = ""
    stops: list[str] = field(default_factory=list)
    month_first: bool = False  # 3/4/2020 is the fourth of March
    calendar: str = ""  # beside the Gregorian one: th, fa or ar

    def to_dict(self) -> dict[str, Any]:
        known: dict[str, Any] = {"sources": list(self.sources)}
        known |= (
            {"cuts": list(map(list, self.sources.values()))}
            if any(map(any, self.sources.values()))
            else {}
        )
        known |= {"month_first": True} if self.month_first else {}
        known |= {"calendar": self.calendar} if self.calendar else {}
        return known | ({"label": self.label, "stops": list(self.stops)} if self.label else {})

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Field:
        sources = _strings(data["sources"], is_source)
        cuts = [(str(prefix), str(suffix)) for prefix, suffix in data.get("cuts", [])] or [
            NO_CUT
        ] * len(sources)
        if not sources or len(cuts) != len(sources):
            raise ValueError(f"a field with {len(sources)} sources and {len(cuts)} cuts")
        label, stops = str(data.get("label", ""))[:60], _strings(data.get("stops", []))
        return cls(
            dict(zip(sources, cuts, strict=True)),
            label,
            stops,
            bool(data.get("month_first", False)),
            str(data.get("calendar", "")),
        )


@dataclass(slots=True)
class Body:
    """The addresses of the body's container, those of the exclusions below it (``without``), and
    the texts that are cut out of it (``fixed_texts``), and the beginnings of lines that are
    (``labels``: ``Editor:``).
    ``known`` are the names (``div.note``) of the elements that its pages had there; None if they
    were not collected."""

    addresses: list[str]
    without: list[str] = field(default_factory=list)
    fixed_texts: list[str] = field(default_factory=list)
    known: list[str] | None = None
    labels: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        known = {} if self.known is None else {"known": list(self.known)}
        if self.labels:
            known["labels"] = list(self.labels)
        return {
            "addresses": [*self.addresses],
            "without": [*self.without],
            "texts": [*self.fixed_texts],
        } | known

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Body:
        known = _strings(data["known"]) if "known" in data else None
        addresses, without = (_strings(data[name], is_address) for name in ("addresses", "without"))
        if not addresses:
            raise ValueError("no address says where the body is")
        labels = _strings(data.get("labels", []))
        return cls(addresses, without, _strings(data["texts"]), known, labels)


@dataclass(slots=True)
class Records:
    """Comments or posts: the address of one record, and below it those of its text, author and
    date. ``words`` are in every by-line beside name and
    date; ``lines`` are in most texts and were not written by the authors, such as buttons.
    ``skip_first``: the first record is the opening post.
    ``month_first``: 3/4/2020 is the fourth of March."""

    unit: str
    text: list[str] = field(default_factory=list)
    author: list[str] = field(default_factory=list)
    date: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    skip_first: bool = False
    lines: list[str] = field(default_factory=list)
    month_first: bool = False

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Records:
        return cls(
            _strings([data["unit"]], is_address)[0],
            **{name: _strings(data[name], is_address) for name in ("text", "author", "date")},
            words=_strings(data["words"]),
            skip_first=bool(data["skip_first"]),
            lines=_strings(data.get("lines", [])),
            month_first=bool(data.get("month_first", False)),
        )


@dataclass(slots=True)
class Template:
    """One version of a template of a site.

    ``kind`` is article or thread; only its ``TemplateFamily`` changes ``state``. ``statistics`` are
    means and bounds over the pages that it was induced from, whose URLs are ``pages``. ``optional``
    names fields (``comments`` for records) that only some of those pages have: a page without them
    still fits. ``boilerplate`` holds the digests (:func:`line_digest`) of lines on most pages:
    menus, footers, buttons. ``locked`` templates are never replaced by induction, ``edited`` ones
    were changed by a person."""

    site: str
    name: str
    body: Body
    fields: dict[str, Field] = field(default_factory=dict)
    extra: dict[str, Field] = field(default_factory=dict)
    records: Records | None = None
    optional: list[str] = field(default_factory=list)
    kind: PageKind = PageKind.ARTICLE
    version: int = 1
    state: TemplateState = TemplateState.CANDIDATE
    signature: frozenset[int] = frozenset()
    boilerplate: frozenset[int] = frozenset()
    statistics: dict[str, float] = field(default_factory=dict)
    pages: list[str] = field(default_factory=list)
    created: str = ""
    locked: bool = False
    edited: bool = False

    @property
    def is_uncertain(self) -> bool:
        """Whether the body may be wrong: it is found by position only, or it agrees badly with the
        extractor (F1 below .85) on the template's own pages. A template is certain if templates of
        all parts of its pages gave the same bodies: then the extractor is wrong."""
        if self.statistics.get("steady") and not self.is_whole_page:
            return False
        named = any(
            test in self.body.addresses[0] for test in ("id(", "@class", "/article", "/main")
        )
        return not named or self.statistics.get("agreement", 1.0) < 0.85

    @property
    def is_whole_page(self) -> bool:
        """Whether the container is the whole page: the template knows what to exclude, but not
        where the body ends."""
        return not self.edited and self.body.addresses[0] in ("/html", "/html/body")

    @property
    def is_trusted(self) -> bool:
        """Whether the template answers without being compared with the extractor on every page."""
        return self.state is TemplateState.TRUSTED

    def knows(self, url: str) -> bool:
        """Whether a URL has the pattern of a page that the template was induced from. True of every
        URL once a person has edited the template."""
        return self.edited or url_pattern(url) in _patterns(tuple(self.pages))

    @property
    def id(self) -> str:
        """Site and name: the same for all versions."""
        return f"{self.site}/{self.name}"

    def to_dict(self) -> dict[str, Any]:
        """The template as a JSON document, fields in a fixed order."""
        plain = ("site", "name", "version", "state", "kind", "created", "locked", "edited")
        return {
            "protocol": PROTOCOL,
            **{name: getattr(self, name) for name in plain},
            "body": self.body.to_dict(),
            "fields": {name: value.to_dict() for name, value in self.fields.items()},
            "extra": {name: value.to_dict() for name, value in self.extra.items()},
            "records": asdict(self.records) if self.records else None,
            "optional": list(self.optional),
            "statistics": {name: round(value, 4) for name, value in self.statistics.items()},
            "pages": list(self.pages),
            "signature": pack_digests(self.signature),
            "furniture": pack_digests(self.boilerplate),
        }

    @classmethod
    def from_dict(cls, data: Any) -> Template:
        """The template of a document. Raises TemplateError if it is damaged, not a template, or
        holds an invalid address."""
        name = (
            f"{data.get('site')}/{data.get('name')}"[:200] if isinstance(data, dict) else "document"
        )
        try:
            if any(isinstance(value, float) and not isfinite(value) for value in _values(data)):
                raise ValueError("a number that is not finite")
            return _from_document(data)
        except (
            LookupError,
            TypeError,
            ValueError,
            AttributeError,
            ArithmeticError,
            RecursionError,
        ) as error:
            remedy = "correct it, export it again with this version, or forget it with sitecrawl templates forget"
            raise TemplateError(name, f"damaged ({str(error)[:200]})", remedy) from None


@lru_cache(maxsize=256)
def _patterns(urls: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(url_pattern, urls))


@cached(4_096)
def line_digest(line: str) -> int:
    """Digest that identifies a line of text: the CRC-32 of its letters and digits."""
    return crc32(squeeze(line).encode())


def pack_digests(digests: Iterable[int]) -> str:
    """A set of numbers of 32 bits as one short text: base64 of the sorted numbers, big-endian.

    >>> pack_digests({258, 3}), sorted(unpack_digests(pack_digests({258, 3})))
    ('AAAAAwAAAQI=', [3, 258])
    """
    return b64encode(b"".join(number.to_bytes(4, "big") for number in sorted(digests))).decode(
        "ascii"
    )


def unpack_digests(text: Any) -> frozenset[int]:
    """The numbers of :func:`pack_digests`, or of a list as in older documents. Raises ValueError or
    TypeError for anything else."""
    if isinstance(text, list):
        return frozenset(int(number) for number in text)
    raw = b64decode(text, validate=True)
    return frozenset(int.from_bytes(raw[at : at + 4], "big") for at in range(0, len(raw), 4))


def _values(data: Any, *, deepest: int = 12) -> Iterator[Any]:
    """All values of a document of at most ``deepest`` levels; templates have six. Raises ValueError
    if it is nested deeper."""
    level = [data]
    for _ in range(deepest):
        yield from level
        nested = (
            item.values() if isinstance(item, dict) else item
            for item in level
            if isinstance(item, dict | list)
        )
        level = [inner for values in nested for inner in values]
    if level:
        raise ValueError("nested deeper than any template")


def _from_document(data: dict[str, Any], *, name_chars: int = 300) -> Template:
    if data["protocol"] != PROTOCOL:
        raise ValueError(f"protocol {data['protocol']}, this version reads {PROTOCOL}")
    names = [
        *(str(data[name]) for name in ("site", "name", "created")),
        *data["fields"],
        *data.get("extra", {}),
    ]
    if not all(len(name) <= name_chars and name.isprintable() for name in names):
        raise ValueError("a name is too long, or would steer a terminal")
    if not (isinstance(data["version"], int) and 0 <= data["version"] < 2**31):
        raise ValueError("the version is no number that versions have")
    return Template(
        site=str(data["site"]),
        name=str(data["name"]),
        body=Body.from_dict(data["body"]),
        fields={str(name): Field.from_dict(value) for name, value in data["fields"].items()},
        extra={str(name): Field.from_dict(value) for name, value in data.get("extra", {}).items()},
        records=Records.from_dict(data["records"]) if data.get("records") else None,
        optional=_strings(data.get("optional", [])),
        kind=PageKind(data["kind"]),
        version=data["version"],
        state=TemplateState(data["state"]),
        signature=unpack_digests(data["signature"]),
        boilerplate=unpack_digests(data["furniture"]),
        statistics={str(key): float(value) for key, value in data["statistics"].items()},
        pages=_strings(data["pages"]),
        created=str(data["created"]),
        locked=bool(data["locked"]),
        edited=bool(data["edited"]),
    )


def _strings(
    value: Any, allowed: Callable[[str], bool] | None = None, *, most: int = 200
) -> list[str]:
    """A list of at most ``most`` strings that all satisfy ``allowed``. Raises ValueError for
    anything else."""
    if (
        not isinstance(value, list)
        or len(value) > most
        or not all(isinstance(item, str) for item in value)
    ):
        raise ValueError("expected a list of strings")
    for item in value:
        if allowed and not allowed(item):
            raise ValueError(f"{item!r} is not an address that templates may use")
    return list(value)
