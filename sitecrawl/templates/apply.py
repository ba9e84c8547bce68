"""Applying a template: a handful of compiled addresses; body, comments and lesser fields are rendered when first read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from lxml import etree

from sitecrawl.dom.flat import Flat, flatten
from sitecrawl.dom.page import Page
from sitecrawl.dom.render import Content
from sitecrawl.dom.tree import INLINE
from sitecrawl.items.article import Article, Provenance
from sitecrawl.items.kinds import PageKind
from sitecrawl.templates.address import compiled, find
from sitecrawl.templates.field_values import is_printed, printed_day, value_of
from sitecrawl.templates.template import Body, Template
from sitecrawl.text.dates import parse_date
from sitecrawl.text.names import squeeze

_AT_ONCE = frozenset(("headline", "datePublished", "dateModified"))
"""Fields that tell whether the page fits; the others are read when a caller asks for them."""
_DATED = frozenset(("datePublished", "dateModified"))
"""Fields whose sources may hold no date on some pages; the next one is asked then."""
_LENGTH = etree.XPath("string-length(normalize-space(.))")
_PAGE = etree.XPath("string-length(normalize-space(/html/body))")
_LINKS = etree.XPath("count(.//a)")
_MOST_OF = 0.5
"""Share of the container that a rule without a name may take out; more would be the body itself."""
_HEADINGS = ("h1", "h2", "h3", "header")
_LONGEST, _HEADING = 3_000, 300
"""Characters, white space and all, of an element that may be a fixed text, and those of a heading."""
_FIELD = 300
"""Characters of the longest element that is left out of the body since a field was read from it."""
_LEAF = 6
"""Child elements up to which a node is compared with the fixed texts."""


@dataclass(slots=True)
class Applied:
    """What a template found: the article, the fields it expected and missed, and how well the page fits, 0..1.

    ``chars`` is the length of the container's text, ``links`` the number of its links; ``rank`` tells which of the body's addresses found it, 0 the first.
    """

    article: Article
    missing: list[str] = field(default_factory=list)
    fit: float = 0.0
    chars: float = 0.0
    rank: int = 0
    links: float = 0.0


@dataclass
class TemplateBody:
    """The body below ``node``, its exclusions looked up when it is rendered."""

    node: etree._Element
    rules: Body
    headline: str | None
    base: Callable[[], str]
    comments: str = ""
    """Address of what readers wrote, which is no part of the body."""
    foreign: Collection[etree._Element] = frozenset()
    """Elements that no page of the template had, and that the extractor of single pages leaves out."""
    said: Sequence[str] = ()
    """Addresses that gave the headline and a printed date: what they find is said elsewhere in the item."""

    @cached_property
    def content(self) -> Content:
        """What is rendered; fixed texts are taken out of the text as lines, too: some are lines without an element of their own."""
        return Content((self.node,), self.removed, self.base(), lines=frozenset(self.rules.texts), flats=[self._flat])

    @cached_property
    def removed(self) -> set[etree._Element]:
        """Elements in the container that are no part of the body."""
        return self.left_out | _fixed(self._flat, frozenset(self.rules.texts), squeeze(self.headline or ""))

    @cached_property
    def _flat(self) -> Flat:
        return flatten(self.node)

    @property
    def text(self) -> str:
        return self.content.text

    @property
    def html(self) -> str:
        return self.content.html

    @property
    def markdown(self) -> str:
        return self.content.markdown

    @cached_property
    def units(self) -> list[etree._Element]:
        """The comments of the page, wherever they stand."""
        return find(self.comments, self.node.getroottree().getroot()) if self.comments else []

    @cached_property
    def left_out(self) -> set[etree._Element]:
        """Elements below the container that are no body."""
        found = {*self.units, *self.foreign, *self._fields()}
        most = -1.0
        for address in self.rules.without:
            nodes = find(address, self.node)
            if nodes and "[@" not in address and "@class" not in address.rpartition("/")[2]:
                most = most if most >= 0 else _MOST_OF * float(_LENGTH(self.node))
                nodes = [node for node in nodes if float(_LENGTH(node)) <= most]
            found.update(nodes)
        return found

    def _fields(self) -> Iterator[etree._Element]:
        """Short elements below the body that hold nothing but a field of the item."""
        for address in self.said:
            for node in find(address, self.node.getroottree().getroot())[:1]:
                inside = isinstance(node, etree._Element) and self.node in node.iterancestors()
                if inside and float(_LENGTH(node)) <= _FIELD:
                    yield node


def _fixed(flat: Flat, texts: frozenset[str], headline: str) -> set[etree._Element]:
    """Elements below the first whose whole text is the template's, and headings that repeat the headline."""
    found, children, beginnings = set[etree._Element](), flat.children, {text[0] for text in texts if text}
    least = min(map(len, texts), default=_LONGEST)
    for at, tag in enumerate(flat.tags):
        if children[at] > _LEAF or tag in INLINE or at == 0:
            continue
        is_heading, own = tag in _HEADINGS, (flat.texts[at] or "").lstrip()
        if not is_heading and (not texts or (own and own[0] not in beginnings)):
            continue
        text = flat.text(at, 1 if is_heading else least, _LONGEST)
        if text and (text in texts or (is_heading and len(text) < _HEADING and squeeze(text) == headline)):
            found.add(flat.nodes[at])
    return found


def apply(template: Template, page: Page) -> Applied:
    """What ``template`` finds on ``page``."""
    rank, node = first_element(template.body.addresses, page.root)
    if node is None:
        return Applied(Article(url=page.url or None), ["articleBody"])
    values = {
        name: value_of(source, page, parse_date if name in _DATED else bool)
        for name, source in template.fields.items()
        if name in _AT_ONCE
    }
    headline = values["headline"][0] if "headline" in values else None
    missing = [name for name, (value, _) in values.items() if value is None]
    article = Article(url=page.url or None, headline=headline)
    comments = template.records.unit if template.records and template.kind is PageKind.ARTICLE else ""
    said = [values[name][1] for name in ("headline",) if name in values and is_printed(values[name][1])]
    article.body = TemplateBody(node, template.body, headline, lambda: page.base_url, comments, said=said)
    _dates(article, values, template, page)
    article.provenance = _provenance(template, values)
    chars = float(_LENGTH(node))
    missed = sum(name not in template.optional for name in missing)
    fit = (1 - 0.5 * missed / max(1, len(values))) * (chars > 0)
    return Applied(article, missing, fit, chars, rank, float(_LINKS(node)))


def first_element(addresses: list[str], root: etree._Element) -> tuple[int, etree._Element | None]:
    """Number of the first address that finds just one element, and that element."""
    for rank, address in enumerate(addresses):
        found = compiled(address)(root)
        if isinstance(found, list) and len(found) == 1:
            return rank, found[0]
    return -1, None


def _dates(article: Article, values: dict[str, tuple[str | None, str]], template: Template, page: Page) -> None:
    raw = values.get("datePublished", (None, ""))[0]
    article.datePublished, article.datePublishedRaw = parse_date(raw), raw
    if article.datePublished:
        found = article.datePublished, values["datePublished"][1]
        article.datePublished = printed_day(template.fields["datePublished"], page, found) or article.datePublished
    article.dateModified = parse_date(values.get("dateModified", (None, ""))[0])


def _provenance(template: Template, values: dict[str, tuple[str | None, str]]) -> Provenance:
    fields = {name: source for name, (value, source) in values.items() if value is not None}
    return Provenance(
        "template", template.id, template.version, fields={"articleBody": template.body.addresses[0], **fields}
    )


def is_titled(headline: str | None, page: Page) -> bool:
    """Whether the page's title, the browser's or one for machines, holds the headline."""
    known = squeeze(headline or "")
    titles = (page.metadata.title, page.metadata.first("og:title"))
    return bool(known) and any(known in squeeze(title or "") for title in titles)


def rest_of(applied: Applied) -> float:
    """Characters of the page outside the body's container."""
    body = applied.article.body
    return float(_PAGE(body.node)) - applied.chars if isinstance(body, TemplateBody) else 0.0
