"""Applying a template: it evaluates a few compiled addresses. Body, comments and minor fields are
rendered when they are first read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import inf

from lxml import etree

from sitecrawl.dom.outside import label_of, may_name_people, outside_elements
from sitecrawl.dom.page import Page
from sitecrawl.dom.render import Content
from sitecrawl.dom.tree import Flat, flatten, string_of
from sitecrawl.items.article import Article, Provenance
from sitecrawl.items.kinds import PageKind
from sitecrawl.templates.address import find, find_on, specificity
from sitecrawl.templates.field_values import cut, is_printed, printed_day, read, value_of
from sitecrawl.templates.template import Body, Field, Records, Template, line_digest
from sitecrawl.templates.unknown_elements import text_length
from sitecrawl.text.dates import find_publication, parse_date
from sitecrawl.text.names import squeeze

# fields that show whether the page fits; others are lazy
_AT_ONCE = ("headline", "datePublished", "dateModified")
_PAGE = etree.XPath("string-length(normalize-space(/html/body))")
_LINKS = etree.XPath("count(.//a)")
_HEADINGS = ("h1", "h2", "h3", "header")  # elements that may repeat the headline
_LONGEST_HEADING = 300  # characters, white space included, as below
_LONGEST_FIXED = 3_000  # characters of a text that may be boilerplate
_LONGEST_FIELD = 300  # characters of an element that holds nothing but a field of the item
_LONGEST_BYLINE = 80  # characters of an element that holds nothing but the author or time of a post
_MOST_POSTS = 300  # of a page
_MOST_CHILDREN = 6  # elements with more are not examined
_MOST_RUNS = 12  # runs of text in a heading that is compared with the title

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
    posts: Records | None = None
    """The posts of a thread, whose texts are the body: who wrote each, and when, is no part of it."""
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
        headline = squeeze(self.headline or "")
        labels = tuple(self.rules.labels)
        return self.left_out | _fixed_elements(
            self._flat,
            self.fixed_lines,
            labels=labels,
            headline=headline,
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
        outer = {*self.node.iterancestors()}
        found = set[etree._Element]()
        for unit in self._found_units:
            way = {unit, *unit.iterancestors()}
            if unit in outer or (self.node in way and not way & self.left_out):
                found.add(unit)
        return found

    @cached_property
    def _found_units(self) -> list[etree._Element]:
        return find_on(self.comments, self.page) if self.comments else []

    @cached_property
    def unnamed_cuts(self) -> list[etree._Element]:
        """Elements that are excluded by position only. Such a rule may cut the last paragraph of an
        article that is followed by nothing else."""
        found = list[etree._Element]()
        if "@" not in self.comments.rpartition("/")[2]:
            found += self._found_units
        for address in self.rules.without:
            if specificity(address) > 0:
                found += find(address, self.node)
        return found

    @cached_property
    def unnamed_length(self) -> float:
        return float(sum(map(text_length, self.unnamed_cuts)))

    @cached_property
    def left_out(self) -> set[etree._Element]:
        """Elements below the container that the rules exclude."""
        found = {*self.foreign, *self._printed_fields()}
        title = self.headline or ""
        found.update(outside_elements(self.node, url=self.page.url, title=title))
        found.update(self._frames_of_posts())
        for address in self.rules.without:
            if specificity(address) == 0:
                found.update(find(address, self.node))
        if not self.unnamed_cuts:
            return found.union(self._found_units)

        found.update(set(self._found_units).difference(self.unnamed_cuts))
        # more than half of the container is the body itself, or a long by-line above one sentence
        half = 0.5 * float(text_length(self.node))
        large = {node for node in self.unnamed_cuts if float(text_length(node)) > half}
        large.difference_update(self._found_units)
        cuts = [node for node in self.unnamed_cuts if node not in large]
        if self.without_prose is None:
            return found.union(cuts)
        if large:
            found.update(self.without_prose(large, 0.0))
        if self.unnamed_length <= self.usual_cut:
            return found.union(cuts)
        return found.union(self.without_prose(cuts, 0.9))

    def _frames_of_posts(self) -> Iterator[etree._Element]:
        """What stands in the posts of a thread beside their texts, and the short elements inside or
        around them that hold their authors and times."""
        posts = self.posts
        if posts is None:
            return
        for unit in find_on(posts.unit, self.page)[:_MOST_POSTS]:
            texts = [node for address in posts.text[:1] for node in find(address, unit)]
            if len(texts) == 1 and isinstance(texts[0], etree._Element):
                yield from _beside(texts[0], unit)
            for addresses in (posts.author, posts.date):
                nodes = next(filter(None, (find(address, unit) for address in addresses)), [])
                for node in nodes[:1]:
                    is_element = isinstance(node, etree._Element) and node is not unit
                    if is_element and float(text_length(node)) <= _LONGEST_BYLINE:
                        yield node

    def _printed_fields(self) -> list[etree._Element]:
        """Short elements of the container that hold a field of the item."""
        found = list[etree._Element]()
        for address in self.field_addresses:
            for node in find_on(address, self.page)[:1]:
                inside = isinstance(node, etree._Element) and self.node in node.iterancestors()
                if inside and float(text_length(node)) <= _LONGEST_FIELD:
                    found.append(node)
        return found


def _fixed_elements(
    flat: Flat,
    texts: frozenset[str],
    *,
    labels: tuple[str, ...] = (),
    headline: str,
) -> set[etree._Element]:
    """Elements below the root whose whole text is boilerplate or a line with one of the ``labels``,
    and headings that repeat the headline or are replies to it. Elements with many child elements are
    not examined."""
    found = set[etree._Element]()
    beginnings = {text[:1] for text in (*texts, *labels)}
    if beginnings:
        beginnings.add("")
    titles = (headline, f"re{headline}")
    # texts of blocks lack the blanks between some elements
    tight = set(map(_tight, texts))
    least = min(map(len, (*tight, *labels)), default=_LONGEST_FIXED)
    inline = flat.inline
    for at, tag in enumerate(flat.tags[1:], 1):
        if inline[at] or len(flat.nodes[at]) > _MOST_CHILDREN:
            continue
        if tag in _HEADINGS:
            text = flat.whole_text(at, 1, _LONGEST_FIXED)
            is_out = text in texts or (len(text) < _LONGEST_HEADING and squeeze(text) in titles)
        elif (flat.texts[at] or "").lstrip()[:1] in beginnings:
            text = flat.whole_text(at, least, _LONGEST_FIXED)
            is_out = text in texts or (text != "" and _tight(text) in tight)
            if labels and not is_out and text.startswith(labels):
                is_out = _is_labelled(flat.nodes[at], text)
        else:
            continue
        if text and is_out:
            found.add(flat.nodes[at])
    return found


def _beside(node: etree._Element, unit: etree._Element) -> Iterator[etree._Element]:
    """The elements in ``unit`` beside the way down to ``node``; none if it is not inside."""
    way = [node, *node.iterancestors()]
    if unit not in way:
        return
    for below in way[: way.index(unit)]:
        yield from below.itersiblings(preceding=True)
        yield from below.itersiblings()


def _tight(text: str) -> str:
    """A text without blanks."""
    return "".join(text.split())


def _is_labelled(node: etree._Element, text: str) -> bool:
    """Whether a text behind a label is a line of names, or a link to another article."""
    label, rest = label_of(text)
    if label and may_name_people(rest):
        return True
    linked = sum([len(string_of(link)) for link in node.iter("a")])
    return len(text) <= _LONGEST_FIELD and linked >= len(text) / 2


def apply(
    template: Template,
    page: Page,
    *,
    without_prose: ProseFilter | None = None,
) -> Applied:
    """Apply ``template`` to ``page``. ``without_prose`` is asked if exclusions by position remove
    unusually much."""
    rank, node = first_element(template.body.addresses, page)
    article = Article(url=page.url or None)
    if node is None:
        return Applied(template, article, ["articleBody"])
    values = _values_at_once(template, page)
    article.headline, origin = values.get("headline", (None, ""))
    printed = [origin] if is_printed(origin) else []
    _set_dates(
        article,
        template,
        page=page,
        values=values,
    )
    article.body = body = TemplateBody(
        node,
        template.body,
        article.headline,
        page,
        comments=_address_of_comments(template),
        field_addresses=printed,
        posts=template.records if template.kind is PageKind.THREAD else None,
        without_prose=without_prose,
        usual_cut=template.statistics.get("cut_high", inf),
    )
    where = {"articleBody": template.body.addresses[rank]}
    where |= {name: source for name, (value, source) in values.items() if value is not None}
    article.provenance = Provenance(
        "template",
        template.id,
        template.version,
        fields=where,
    )
    chars = float(text_length(node))
    return Applied(
        template,
        article,
        missing=[name for name, (value, _) in values.items() if value is None],
        body=body,
        fit=chars > 0,
        chars=chars,
        rank=rank,
        links=float(_LINKS(node)),
    )


def _address_of_comments(template: Template) -> str:
    if template.records is None or template.kind is not PageKind.ARTICLE:
        return ""
    return template.records.unit


def _values_at_once(template: Template, page: Page) -> dict[str, tuple[str | None, str]]:
    """Value and source of each field that shows whether the page fits."""
    # a headline that stands on most pages names the site or the section, unless a person chose its
    # source: then the next source is read
    names = {line_digest(""), *(() if template.edited else template.boilerplate)}

    def is_headline(text: str | None) -> bool:
        return line_digest(text or "") not in names

    values = dict[str, tuple[str | None, str]]()
    for name, rule in template.fields.items():
        if name in _AT_ONCE:
            good = is_headline if name == "headline" else _date_reader(rule)
            values[name] = value_of(rule, page, good=good)
    headline, origin = values.get("headline", (None, ""))
    if headline and is_printed(origin):
        titled = _titled_part(template.fields["headline"], page, origin=origin)
        if is_headline(titled):
            values["headline"] = (titled, origin)
    return values


def _date_reader(rule: Field) -> Callable[[str | None], str | None]:
    """Reads a date as the pages of the template write it."""
    return partial(parse_date, month_first=rule.month_first, calendar=rule.calendar)


def _set_dates(
    article: Article,
    template: Template,
    *,
    page: Page,
    values: dict[str, tuple[str | None, str]],
) -> None:
    """Set the dates of an article, which may be printed in another way."""
    raw, source = values.get("datePublished", (None, ""))
    article.datePublishedRaw = raw
    month_first = False
    if raw is not None:
        rule = template.fields["datePublished"]
        month_first = rule.month_first
        hit = find_publication(raw, month_first, calendar=rule.calendar)
        if hit is not None:
            printed = printed_day(
                rule,
                page,
                value=hit.value,
                source=source,
            )
            article.datePublished = printed or hit.value
    changed, _ = values.get("dateModified", (None, ""))
    article.dateModified = parse_date(changed, month_first)


def _titled_part(
    rule: Field,
    page: Page,
    *,
    origin: str,
) -> str | None:
    """The title in the head, if it equals whole runs of text at one end of the printed heading: the
    other runs are a kicker, a badge, a subtitle, or a link that edits the page. None otherwise, and
    if the heading has many runs."""
    node = find_on(origin, page)[0]
    if rule.label or not isinstance(node, etree._Element):
        return None
    runs = list(filter(None, map(squeeze, node.itertext())))
    if len(runs) > _MOST_RUNS:
        return None
    parts = set[str]()
    for at in range(1, len(runs)):
        parts |= {"".join(runs[:at]), "".join(runs[at:])}
    for source, ends in rule.sources.items() if parts else ():
        if not is_printed(source):
            title = cut(read(source, page), ends)
            if title and squeeze(title) in parts:
                return title
    return None


def first_element(addresses: list[str], page: Page) -> tuple[int, etree._Element | None]:
    """The index of the first address that matches exactly one element, and that element; -1 and
    None if no address does."""
    for rank, address in enumerate(addresses):
        found = find_on(address, page)
        if len(found) == 1:
            return rank, found[0]
    return -1, None
