"""The one parser: bytes or text in, a :class:`Page` out. Crawl, training, tests and benchmarks all
parse here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import compress, islice, takewhile
from typing import Any, NamedTuple
from urllib.parse import quote

from lxml import etree

from sitecrawl.dom.boxes import may_hold_boxes, write_boxes
from sitecrawl.dom.encoding import decode, plain_text, redecoded
from sitecrawl.dom.formulas import write_formulas
from sitecrawl.dom.lines import break_lines
from sitecrawl.dom.marks import (
    decode_addresses,
    may_draw_signs,
    may_hide_addresses,
    write_drawn_signs,
)
from sitecrawl.dom.page import DESCRIBING, Page, read_metadata
from sitecrawl.dom.restore import RESTORED, restore
from sitecrawl.dom.roles import give_tags
from sitecrawl.dom.tree import by_tag
from sitecrawl.limits import LIMITS, Meter

_DECLARATION = re.compile(
    r"^\s*<\?xml[^>]{0,200}\?>"
)  # lxml refuses str with an encoding declaration
_CONTROLS = bytes({*range(32)} - {*b"\t\n\r"})
_REFUSED = "\ufffd\xad\ufffe\uffff"
_UNWANTED = re.compile(
    rb"&(?:(?:shy|#173|#x[aA][dD]);|#(?:0*+(?:[0-8]|1[1-24-9]|2\d|3[01]|6553[45])(?!\d)|[xX]0*+(?:[0-8bcefBCEF]|1[\da-fA-F]|[fF]{3}[eEfF])(?![\da-fA-F]));?)"
)
"""What is removed before a page is parsed: soft hyphens, which are no part of any word, and
characters that lxml reads but refuses to write or to look for."""
_UTF = re.compile(r"utf|ascii", re.I)
_BEGIN, _END = re.compile(rb"<(?:html|body)\b", re.I), re.compile(rb"</(?:html|body)\b", re.I)
_CLOSED = re.compile(rb"<(/?)(?:article|div|main|script|section|style|table|ul)\b", re.I)
"""Tags of elements that must be closed."""
_QUERY = "!$%&'()*+,/:;=?@[]~"  # characters of a query that are sent as they are
_FRAGMENT = b"<html><body></body></html>"
_ATTRIBUTE = r"""[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+)?+"""
"""An attribute as the tokenizer of the HTML standard (13.2.5.32 and after) takes it: neither blanks
nor values are needed."""
_BRACKET = re.compile("<")  # every tag begins with one: a cheap bound on their number
_ONE_ATTRIBUTE, _TAG = (
    re.compile(_ATTRIBUTE),
    re.compile(rf"<[a-zA-Z][^\s>/]*+((?:{_ATTRIBUTE})*+)"),
)
_LARGE = 200_000  # characters from which a tag may hold so many attributes that libxml2 takes long
_IN_HEAD = frozenset(
    "base basefont bgsound link meta noframes noscript script style template title".split()
)
"""Elements that a head may hold; any other element opens the body (HTML standard, 13.2.6.4.4)."""
_ENDS_P = frozenset(
    "address article aside details dialog figcaption figure footer header hgroup main menu nav search section summary".split()
)
"""Elements whose start ends an open paragraph (HTML standard, 13.2.6.4.7), of those for which
libxml2 leaves it open."""
_ENDS_SVG = tuple(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr "
    "ol p pre ruby s small span strong strike sub sup table tt u ul var".split()
)
"""Elements whose start ends an open ``svg`` or ``math`` (HTML standard, 13.2.6.5)."""
_FOREIGN, _HTML_WITHIN = ("svg", "math"), ("foreignobject", "desc", "title", "annotation-xml")
"""Elements of another language than HTML, and those in them that hold HTML."""
_RARE = frozenset((*_FOREIGN, "noscript"))
_READ = ("template", "code", *_ENDS_P, *_FOREIGN, *RESTORED, *DESCRIBING)
_OPENED = "x-opened"  # name of an element that is about to be unwrapped


def parse(html: str | bytes, url: str | None = None, content_type: str | None = None) -> Page:
    """The page of ``html``. Never raises on bad markup; an empty page has an empty body. ``html``
    as bytes is decoded as Scrapy decodes a response, with ``content_type`` the HTTP header."""
    source = _source_of(html, content_type)
    raw = source.raw
    root, dropped = _tree(raw)
    elements = _mended_elements(root, raw)
    meter = Meter()
    restore(root, elements, source=raw, meter=meter)
    _write_signs(root, elements, raw=raw)
    break_lines(root, raw, meter=meter)
    if not _UTF.match(source.encoding):
        _encode_queries(root, source.encoding)
    cut = source.is_cut or dropped
    ends_early = not cut and _ends_early(raw)
    page = Page(
        url=url or "",
        root=root,
        encoding=source.encoding,
        truncated=cut,
        tags=2 * raw.count(b"<") + 4,
        ends_early=ends_early,
        meter=meter,
    )
    page.__dict__["metadata"] = read_metadata(root, elements)
    return page


class _Written(NamedTuple):
    """A page in UTF-8 as the parser reads it, the encoding that it was written in, and whether
    content was cut."""

    raw: bytes
    encoding: str
    is_cut: bool


def _source_of(html: str | bytes, content_type: str | None) -> _Written:
    if isinstance(html, str):
        return _cleaned(redecoded(html), "utf-8")
    if _is_plain(html):
        return _Written(html, "utf-8", is_cut=False)
    return _cleaned(*decode(html, content_type))


def _mended_elements(root: etree._Element, raw: bytes) -> Mapping[str, list[etree._Element]]:
    """The elements of the kinds in ``_READ`` by tag, once what is misplaced is mended and each has
    the tag that it means. One walk finds them, unless something was changed."""
    nodes = list(root.iter(*_READ))
    codes = [node for node in nodes if node.tag == "code"]
    is_changed = give_tags(root, codes, raw=raw)
    if is_changed:
        nodes = list(root.iter(*_READ))
    if _mend(root, nodes):
        nodes = list(root.iter(*_READ))
    return by_tag(nodes)


def _write_signs(
    root: etree._Element, elements: Mapping[str, list[etree._Element]], *, raw: bytes
) -> None:
    """Write as text what a page shows by other means. What its source does not hold is not looked
    for."""
    if may_hold_boxes(raw):
        write_boxes(elements["input"], root)
    if may_hide_addresses(raw):
        decode_addresses(root)
    if may_draw_signs(raw):
        write_drawn_signs(root)
    write_formulas(root, [*elements["img"], *elements["amp-img"]], raw=raw)


def _ends_early(raw: bytes) -> bool:
    """Whether the end of a document is missing: it opens ``html`` or ``body`` and closes neither,
    and ends within a tag or leaves elements open that must be closed. So end none of 14,737 whole
    pages of open sites, and 94 % of those that are cut at random.

    >>> [_ends_early(b"<html><body><div>" + end) for end in (b"one</div>", b"one", b"one</div><a hr", b"one</body>")]
    [False, True, True, False]
    """
    if b"</html" in raw[-1_000:].lower() or not _BEGIN.search(raw):
        return False
    lower = raw.lower()  # which takes a tenth of a search that ignores case
    if (b"</html" in lower or b"</body" in lower) and _END.search(raw):
        return False
    tags = _CLOSED.findall(raw)
    return raw.rfind(b">") < raw.rfind(b"<") or 2 * tags.count(b"/") < len(tags)


def _encode_queries(root: etree._Element, encoding: str) -> None:
    """Write the queries of links as browsers send them: in the encoding of the page (URL Standard,
    query state); paths are UTF-8."""
    for node in root.iter("a", "area", "iframe", "frame"):
        name = "href" if node.tag in ("a", "area") else "src"
        place, mark, query = (node.get(name) or "").partition("?")
        if not query.isascii():
            query, anchor, rest = query.partition("#")
            sent = quote(query, _QUERY, encoding, "xmlcharrefreplace")
            node.set(name, f"{place}{mark}{sent}{anchor}{rest}")


def _is_plain(body: bytes) -> bool:
    """Whether a body can be parsed unchanged: short, certainly UTF-8, with nothing to remove."""
    text = plain_text(body) if len(body) <= _LARGE else None
    if text is None or any(map(text.__contains__, _REFUSED)) or _UNWANTED.search(body):
        return False
    has_controls = len(body.translate(None, _CONTROLS)) < len(body)
    return not has_controls and not _DECLARATION.match(text)


def _cleaned(source: str, encoding: str) -> _Written:
    """A page for the parser, without what it refuses and within the bounds."""
    kept = source[: LIMITS.body_bytes]
    if kept.count("<") > LIMITS.tags:
        kept = kept[: next(islice(_BRACKET.finditer(kept), LIMITS.tags, None)).start()]
    cut = len(kept) < len(source)
    if len(kept) > _LARGE:
        kept, thinned = _thinned(kept)
        cut = cut or thinned
    text = _DECLARATION.sub("", kept, count=1)
    for char in _REFUSED[1:]:
        text = text.replace(char, "")
    raw = text.encode("utf-8", "replace").replace(b"\f", b" ").translate(None, _CONTROLS)
    return _Written(_UNWANTED.sub(b"", raw), encoding, is_cut=cut)


def _thinned(source: str, *, vast_chars: int = 4_000_000) -> tuple[str, bool]:
    """A large page without the attributes of tags that have too many, and whether anything was cut:
    libxml2 takes time in the square of a tag's attributes. Where those of all tags become too many,
    the page ends. Long attributes are shortened. Attributes of all tags are counted only on pages
    of more than ``vast_chars``: shorter ones cannot hold enough to fill memory."""
    parts = list[str]()
    begin = 0
    left = LIMITS.page_attributes
    is_vast = len(source) > vast_chars
    dropped = False
    for tag in _TAG.finditer(source):
        start, end = tag.span()
        if not is_vast and end - start < 2 * LIMITS.attributes:
            continue
        attributes = _ONE_ATTRIBUTE.finditer(source, *tag.span(1))
        found = [one[0] for one in islice(attributes, LIMITS.attributes)]
        count = len(found)
        has_too_many = count == LIMITS.attributes
        if has_too_many or end - start > LIMITS.attribute_chars:
            parts.append(source[begin : tag.start(1)])
            begin = end
        if has_too_many:
            dropped = True
            count = 0
        elif begin == end:
            parts += map(_shortened, found)
        left -= count
        if left < 0:
            return "".join([*parts, source[begin:start]]), True
    return "".join([*parts, source[begin:]]), dropped


def _shortened(attribute: str) -> str:
    """An attribute, as the page writes it, without the end of a long value."""
    if len(attribute) <= LIMITS.attribute_chars:
        return attribute
    return attribute[: LIMITS.attribute_chars] + (attribute[-1] if attribute[-1] in "\"'" else "")


def _tree(raw: bytes) -> tuple[etree._Element, bool]:
    """Root element, and whether libxml2 dropped content at its own bounds (it reports that in its
    log only)."""
    parser = etree.HTMLParser(
        encoding="utf-8", recover=True, huge_tree=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(_FRAGMENT if not raw or raw.isspace() else raw, parser=parser)
    except etree.ParserError:
        root = None
    if root is None:
        return etree.fromstring(_FRAGMENT, parser=etree.HTMLParser()), False
    if root.getnext() is not None:
        _join_roots(root)
    return root, bool(parser.error_log.filter_types([etree.ErrorTypes.ERR_RESOURCE_LIMIT]))


def _join_roots(root: etree._Element) -> None:
    """Move content after ``</html>`` into the body, as browsers do; libxml2 makes further roots of
    it.

    >>> parse("<html><body><p>one</p></body></html>two<p>three</p>").document.chunks
    ['one', 'two', 'three']
    """
    body = root.find("body")
    body = etree.SubElement(root, "body") if body is None else body
    for later in list(root.itersiblings("html")):
        for own, other in ((root, later), (body, later.find("body"))):
            if other is not None:
                _take_attributes(own, other)
        for head in later.findall("head"):
            body.addprevious(head)
        body.append(later)
    etree.strip_tags(body, "html", "body")


def _take_attributes(own: etree._Element, other: etree._Element) -> None:
    """Give an element the attributes of another that it lacks. Pages hold names that lxml reads and
    does not write.

    >>> parse("<p xml:lang=de <a>one<section>two").root.find(".//p").items()
    [('xml:lang', 'de'), ('<a', '')]
    """
    for name, value in other.items():
        with suppress(ValueError):
            own.set(name, own.get(name, value))


def _mend(root: etree._Element, nodes: list[etree._Element]) -> bool:
    """Change libxml2's tree into the one that browsers build, where the difference hides or
    misplaces text. Returns whether elements moved. ``nodes`` are the elements of the kinds in
    ``_READ``.

    >>> parse("<x-list><template shadowrootmode=open><p>shown</template></x-list><template>not shown</template>").document.chunks
    ['shown']
    """
    tags: list[Any] = [node.tag for node in nodes]
    for node in compress(nodes, [tag == "template" for tag in tags]):
        if node.get("shadowrootmode"):
            node.tag = "div"  # browsers show its content in place of the element around it
    for head in root.findall("head"):
        first = next((child for child in head if child.tag not in _IN_HEAD), None)
        if first is not None:
            _open_body(root, first)
    rare = list(compress(nodes, [tag in _RARE for tag in tags]))
    blocks = compress(nodes, [tag in _ENDS_P for tag in tags])
    opened = list(map(_close_paragraph, blocks))
    opened += map(_close_foreign, _outermost(rare, *_FOREIGN))
    if any(opened):
        etree.strip_tags(root, _OPENED)
    hidden = list(filter(_is_in_body, _outermost(rare, "noscript")))
    if hidden:
        _reveal(root, hidden)
    return any(opened)


def _is_in_body(node: etree._Element) -> bool:
    """Whether an element is no child of the head."""
    parent = node.getparent()
    return parent is not None and parent.tag != "head"


def _open_body(root: etree._Element, first: etree._Element) -> None:
    """Begin the body with ``first`` and what follows it, which libxml2 left in the head.

    >>> parse("<title>t</title><main>one</main><p>two").document.tags
    ['html', 'head', 'title', 'body', 'main', 'p']
    """
    body = root.find("body")
    body = etree.SubElement(root, "body") if body is None else body
    moved, anchor, text = [first, *first.itersiblings()], next(iter(body), None), body.text
    body.text = None
    for node in moved:
        if anchor is None:
            body.append(node)
        else:
            anchor.addprevious(node)
    moved[-1].tail = (moved[-1].tail or "") + (text or "") or None


def _close_paragraph(node: etree._Element) -> bool:
    """End the paragraph whose child ``node`` is before it. Returns whether there is one. No subtree
    is moved: work is linear.

    >>> parse("<p class=a>one<section>two</section>three").document.tags
    ['html', 'body', 'p', 'section']
    """
    parent = node.getparent()
    if parent is None or parent.tag != "p":
        return False
    parent.tag = _OPENED
    ahead = list(takewhile(lambda child: child is not node, parent))
    if ahead or (parent.text and not parent.text.isspace()):
        closed = parent.makeelement("p")
        _take_attributes(closed, parent)
        closed.text, parent.text = parent.text, None
        closed.extend(ahead)
        parent.addprevious(closed)
    return True


def _outermost(nodes: list[etree._Element], *tags: str) -> Iterator[etree._Element]:
    """The ``nodes`` with one of these tags that are not inside another such node, so that their
    contents together are no larger than the page."""
    inner: set[etree._Element] = set()
    for node in nodes:
        if node.tag in tags and node not in inner:
            inner.update(node.iter(*tags))
            yield node


def _close_foreign(outermost: etree._Element) -> bool:
    """End a drawing or formula before its first HTML element; returns whether there is one.

    >>> parse("<svg><path><p>one</p></svg>two").document.chunks
    ['one', 'two']
    """
    ending = list(
        outermost.iter(*_ENDS_SVG)
    )  # few drawings hold HTML, and pages may hold many drawings
    holders = _outermost(list(outermost.iter(*_HTML_WITHIN)), *_HTML_WITHIN) if ending else ()
    held = {inner for holder in holders for inner in holder.iter(*_ENDS_SVG)}
    first = next((node for node in ending if node not in held), None)
    if first is None:
        return False
    node = first
    for above in first.iterancestors():
        while above[0] is not node:
            del above[0]
        above.text, above.tag, node = None, _OPENED, above
        if above is outermost:
            break
    return True


def _reveal(root: etree._Element, hidden: list[etree._Element], *, least: int = 300) -> None:
    """Turn a ``noscript`` of the body into a division if it holds ``least`` characters, and more
    than twice the text of all the rest.

    Such a ``noscript`` is the page as readers without scripts see it.

    >>> page = parse("<body><p>Loading</p><noscript><p>" + "Prose. " * 60 + "</p></noscript>")
    >>> page.root.findtext(".//div/p")[:6]
    'Prose.'
    """
    body = root.find("body")
    lengths = {node: _text_length(node) for node in hidden}
    if body is None or max(lengths.values(), default=0) < least:
        return
    visible = _text_length(body) - sum(lengths.values())
    for node, length in lengths.items():
        if length >= max(least, 2 * visible + 1):
            for inner in list(node.iter("noscript")):
                inner.tag = "div"


def _text_length(node: etree._Element) -> int:
    """Number of characters of text in an element, without its scripts and styles."""
    silent = sum(len((script.text or "").strip()) for script in node.iter("script", "style"))
    return sum(len(text.strip()) for text in node.itertext()) - silent
