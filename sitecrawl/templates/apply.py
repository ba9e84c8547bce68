"""Applying a template: it evaluates a few compiled addresses. Body, comments and minor fields are
rendered when they are first read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf

from lxml import etree

from sitecrawl.dom.page import Page
from sitecrawl.dom.render import Content
from sitecrawl.dom.tree import INLINE, Flat, flatten
from sitecrawl.items.article import Article, Provenance
from sitecrawl.items.kinds import PageKind
from sitecrawl.templates.address import find, specificity
from sitecrawl.templates.field_values import cut, is_printed, printed_day, read, value_of
from sitecrawl.templates.template import Body, Field, Template, line_digest
from sitecrawl.templates.unknown_elements import text_length
from sitecrawl.text.dates import find_publication, parse_date
from sitecrawl.text.names import squeeze

_AT_ONCE = (
    "headline",
    "datePublished",
    "dateModified",
)  # fields that show whether the page fits; others are lazy
_PAGE = etree.XPath("string-length(normalize-space(/html/body))")
_LINKS = etree.XPath("count(.//a)")
_HEADINGS = ("h1", "h2", "h3", "header")  # elements that may repeat the headline


ProseFilter = Callable[[Collection[etree._Element], float], Collection[etree._Element]]
"""Returns those of some elements, or of their parts, that hold no prose of the article of which the
extractor is so sure (0..1)."""


@dataclass
class Applied:
    """The result of applying a template. ``missing`` names the fields that were not found. ``body``
    is the article's body as the template cuts it out.
    ``fit``: the container of the body was found and has text. ``chars`` is the length of this text,
    ``links`` the number of the container's links,
    ``rank`` the index of the body address that matched (0 is the best one)."""

    template: Template
    article: Article
    missing: list[str]
    body: TemplateBody | None = None
    fit: bool = False
    chars: float = 0.0
    rank: int = 0
    links: float = 0.0

    @cached_property
    def rest(self) -> float:
        """Characters of the page outside the body's container."""
        return float(_PAGE(self.body.node)) - self.chars if self.body else 0.0


@dataclass
class TemplateBody:
    """The body: the text below ``node``. Its exclusions are evaluated when it is rendered."""

    node: etree._Element
    rules: Body
    headline: str | None
    page: Page
    comments: str = ""  # address of the reader comments, which are not part of the body
    foreign: Collection[etree._Element] = frozenset()
    """Elements that no page had when the template was learned, and that the single-page extractor
    does not count as body."""
    field_addresses: Sequence[str] = ()
    """Addresses of printed fields: their elements are in other fields of the item, so they are not
    part of the body."""
    without_prose: ProseFilter | None = None
    """Asked where rules without a name cut more than ``usual_cut`` characters, or half of the
    container: what of these elements is no prose of the article. Without it, the first are cut and
    the second are not."""
    usual_cut: float = inf

    @cached_property
    def content(self) -> Content:
        """The content to render. Fixed texts are also removed line by line, because some of them
        have no element of their own."""
        return Content(
            (self.node,),
            self.removed,
            self.page.base_url,
            lines=self.fixed_lines,
            flats=[self._flat],
            meter=self.page.meter,
        )

    @property
    def text(self) -> str:
        return self.content.text

    @property
    def html(self) -> str:
        return self.content.html

    @property
    def markdown(self) -> str:
        return self.content.markdown

    @property
    def is_cut(self) -> bool:
        return self.content.is_cut

    @cached_property
    def removed(self) -> set[etree._Element]:
        """Elements in the container that are not part of the body."""
        return self.left_out | _fixed_elements(
            self._flat, self.fixed_lines, headline=squeeze(self.headline or "")
        )

    @cached_property
    def fixed_lines(self) -> frozenset[str]:
        return frozenset(self.rules.fixed_texts)

    @cached_property
    def _flat(self) -> Flat:
        return flatten(self.node)

    @property
    def units(self) -> list[etree._Element]:
        """Elements of the reader comments, anywhere on the page."""
        return [unit for unit in self._found_units if unit in self.left_out]

    @property
    def body_units(self) -> set[etree._Element]:
        """Elements that match the address of the comments but hold prose: in or around the
        container, and not in what is left out."""
        outer, ways = (
            {*self.node.iterancestors()},
            {unit: {unit, *unit.iterancestors()} for unit in self._found_units},
        )
        return {
            unit
            for unit, way in ways.items()
            if unit in outer or (self.node in way and not way & self.left_out)
        }

    @cached_property
    def _found_units(self) -> list[etree._Element]:
        return find(self.comments, self.page.root) if self.comments else []

    @cached_property
    def unnamed_cuts(self) -> list[etree._Element]:
        """Elements that are excluded by position only. Such a rule may cut the last paragraph of an
        article that is followed by nothing else."""
        found = [] if "@" in self.comments.rpartition("/")[2] else list(self._found_units)
        addresses = [address for address in self.rules.without if specificity(address) > 0]
        return found + [node for address in addresses for node in find(address, self.node)]

    @cached_property
    def unnamed_length(self) -> float:
        return float(sum(map(text_length, self.unnamed_cuts)))

    @cached_property
    def left_out(self) -> set[etree._Element]:
        """Elements below the container that the rules exclude."""
        found = {*self.foreign}
        for (
            address
        ) in self.field_addresses:  # only short elements hold nothing but a field of the item
            for node in find(address, self.page.root)[:1]:
                inside = isinstance(node, etree._Element) and self.node in node.iterancestors()
                found.update([node] if inside and float(text_length(node)) <= 300 else [])
        for address in self.rules.without:
            found.update(find(address, self.node) if specificity(address) == 0 else ())
        found.update(set(self._found_units).difference(self.unnamed_cuts))
        # more than half of the container is the body itself, or a long by-line above one sentence
        half = 0.5 * float(text_length(self.node)) if self.unnamed_cuts else 0.0
        large = {node for node in self.unnamed_cuts if float(text_length(node)) > half}.difference(
            self._found_units
        )
        cuts = [node for node in self.unnamed_cuts if node not in large]
        if self.without_prose is None:
            return found.union(cuts)
        found.update(self.without_prose(large, 0.0) if large else ())
        return found.union(
            cuts if self.unnamed_length <= self.usual_cut else self.without_prose(cuts, 0.9)
        )


def _fixed_elements(
    flat: Flat,
    texts: frozenset[str],
    *,
    headline: str,
    longest: int = 3_000,
    heading: int = 300,
    children: int = 6,
) -> set[etree._Element]:
    """Elements below the root whose whole text is boilerplate, and headings that repeat the
    headline or are replies to it. All lengths are in characters, white space included. Elements
    with more than ``children`` child elements are not examined."""
    found, beginnings = set[etree._Element](), {text[0] for text in texts if text}
    least = min(map(len, texts), default=longest)
    for at, tag in enumerate(flat.tags):
        if len(flat.nodes[at]) > children or tag in INLINE or at == 0:
            continue
        is_heading, own = tag in _HEADINGS, (flat.texts[at] or "").lstrip()
        if not is_heading and (not texts or (own and own[0] not in beginnings)):
            continue
        text = flat.whole_text(at, 1 if is_heading else least, longest)
        repeats = (
            is_heading and len(text) < heading and squeeze(text) in (headline, f"re{headline}")
        )
        if text and (text in texts or repeats):
            found.add(flat.nodes[at])
    return found


def apply(template: Template, page: Page, *, without_prose: ProseFilter | None = None) -> Applied:
    """Apply ``template`` to ``page``. ``without_prose`` is asked if exclusions by position remove
    unusually much."""
    rank, node = first_element(template.body.addresses, page.root)
    article = Article(url=page.url or None)
    if node is None:
        return Applied(template, article, ["articleBody"])
    # a headline that stands on most pages names the site or the section, unless a person chose its
    # source: then the next source is read
    names = {line_digest(""), *(() if template.edited else template.boilerplate)}
    good = dict.fromkeys(_AT_ONCE, parse_date) | {
        "headline": lambda text: line_digest(text or "") not in names
    }
    values = {
        name: value_of(rule, page, good=good[name])
        for name, rule in template.fields.items()
        if name in good
    }
    missing = [name for name, (value, _) in values.items() if value is None]
    article.headline, origin = values.get("headline", (None, ""))
    if article.headline and is_printed(origin):
        titled = _titled_part(template.fields["headline"], page, origin=origin)
        article.headline = titled if good["headline"](titled) else article.headline
    body = TemplateBody(
        node,
        template.body,
        article.headline,
        page,
        comments=template.records.unit
        if template.records and template.kind is PageKind.ARTICLE
        else "",
        field_addresses=[origin] if is_printed(origin) else [],
        without_prose=without_prose,
        usual_cut=template.statistics.get("cut_high", inf),
    )
    article.body = body
    raw, source = values.get("datePublished", (None, ""))
    month_first = raw is not None and template.fields["datePublished"].month_first
    hit = find_publication(raw, month_first) if raw else None
    article.datePublished, article.datePublishedRaw = hit[0] if hit else None, raw
    if article.datePublished:
        printed = printed_day(
            template.fields["datePublished"], page, value=article.datePublished, source=source
        )
        article.datePublished = printed or article.datePublished
    article.dateModified = parse_date(values.get("dateModified", (None, ""))[0], month_first)
    where = {"articleBody": template.body.addresses[rank]}
    where |= {name: source for name, (value, source) in values.items() if value is not None}
    article.provenance = Provenance("template", template.id, template.version, fields=where)
    chars = float(text_length(node))
    return Applied(template, article, missing, body, chars > 0, chars, rank, float(_LINKS(node)))


def _titled_part(rule: Field, page: Page, *, origin: str, most: int = 12) -> str | None:
    """The title in the head, if it equals whole runs of text at one end of the printed heading: the
    other runs are a kicker, a badge, a subtitle, or a link that edits the page. None otherwise, and
    if the heading has more than ``most`` runs."""
    node = find(origin, page.root)[0]
    runs = (
        [short for text in node.itertext() if (short := squeeze(text))]
        if isinstance(node, etree._Element)
        else []
    )
    edges = range(1, len(runs) if len(runs) <= most else 0)
    parts = {"".join(part) for at in edges for part in (runs[:at], runs[at:])}
    choices = rule.sources.items() if parts and not rule.label else ()
    titles = (cut(read(source, page), ends) for source, ends in choices if not is_printed(source))
    return next((title for title in titles if squeeze(title or "") in parts), None)


def first_element(addresses: list[str], root: etree._Element) -> tuple[int, etree._Element | None]:
    """The index of the first address that matches exactly one element, and that element; -1 and
    None if no address does."""
    for rank, address in enumerate(addresses):
        if len(found := find(address, root)) == 1:
            return rank, found[0]
    return -1, None
