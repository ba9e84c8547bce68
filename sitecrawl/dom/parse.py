"""The one parser: bytes or text in, a :class:`Page` out. Crawl, training, tests and benchmarks all parse here."""

from __future__ import annotations

import re

from lxml import etree

from sitecrawl.dom.encoding import decode, plain_text
from sitecrawl.dom.page import Page
from sitecrawl.limits import LIMITS

_DECLARATION = re.compile(r"^\s*<\?xml[^>]{0,200}\?>")
_FRAGMENT = b"<html><body></body></html>"
_ATTRIBUTE = r"""\s++[^\s"'>=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'>]++))?+"""
_CROWDED = re.compile(rf"<([a-zA-Z][^\s>/]*+)(?:{_ATTRIBUTE}){{{LIMITS.attributes},}}+[^>]*+>?")
_LARGE = 200_000
"""Characters below which a page is too short to hold enough attributes in one tag to cost much."""
_UNSEEN = 300
"""Characters of the shortest ``noscript`` that may be the page itself."""
_FAR_MORE = 2
_SAID = etree.XPath(".//text()[not(parent::script or parent::style)]")
_SEEN = etree.XPath("/html/body//text()[not(ancestor::script or ancestor::style or ancestor::noscript)]")


def parse(html: str | bytes, url: str | None = None, content_type: str | None = None) -> Page:
    """The page of ``html``; never raises on bad markup, an empty page has an empty body.

    ``html`` as bytes is decoded as Scrapy decodes a response, with ``content_type`` the HTTP header.
    """
    if isinstance(html, bytes) and _is_plain(html):
        raw, encoding, cut = html, "utf-8", False
    else:
        source, encoding = (html, "utf-8") if isinstance(html, str) else decode(html, content_type)
        raw, cut = _cleaned(source)
    root, dropped = _tree(raw)
    if next(root.iter("noscript"), None) is not None:
        _reveal(root)
    return Page(url or "", root, encoding, cut or dropped)


def _is_plain(body: bytes) -> bool:
    """Whether a body can go to the parser as it came: short, UTF-8 beyond doubt, and nothing in it to take out."""
    text = plain_text(body) if len(body) <= _LARGE else None
    return text is not None and "\ufffd" not in text and not _DECLARATION.match(text)


def _cleaned(source: str) -> tuple[bytes, bool]:
    """A page for the parser, in UTF-8, and whether content was cut."""
    cut = len(source) > LIMITS.body_bytes
    source = source[: LIMITS.body_bytes] if cut else source
    if len(source) > _LARGE:  # libxml2 takes time in the square of a tag's attributes
        source, crowded = _CROWDED.subn(r"<\1>", source)
        cut = cut or crowded > 0
    return _DECLARATION.sub("", source, count=1).replace("\x00", "").encode("utf-8", "replace"), cut


def _tree(raw: bytes) -> tuple[etree._Element, bool]:
    """Root element and whether libxml2 dropped content at its own bounds (it says so only in the log)."""
    parser = etree.HTMLParser(encoding="utf-8", recover=True, huge_tree=True, remove_comments=True, remove_pis=True)
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
    """Put what stands behind ``</html>`` into the body, as browsers do; libxml2 makes further roots of it.

    >>> parse("<html><body><p>one</p></body></html>two<p>three</p>").tree.chunks
    ['one', 'two', 'three']
    """
    body = root.find("body")
    body = etree.SubElement(root, "body") if body is None else body
    for later in list(root.itersiblings("html")):
        for own, other in ((root, later), (body, later.find("body"))):
            for name, value in other.items() if other is not None else ():
                own.set(name, own.get(name, value))
        for head in later.findall("head"):
            body.addprevious(head)
        body.append(later)
    etree.strip_tags(body, "html", "body")


def _reveal(root: etree._Element) -> None:
    """Make a division of a ``noscript`` that says far more than all the rest: the page as it is without scripts.

    >>> page = parse("<body><p>Loading</p><noscript><p>" + "Prose. " * 60 + "</p></noscript>")
    >>> page.root.findtext(".//div/p")[:6]
    'Prose.'
    """
    said = {node: _length(_SAID(node)) for node in root.xpath("/html/body//noscript")}
    if max(said.values(), default=0) < _UNSEEN:
        return
    least = max(_UNSEEN, _FAR_MORE * _length(_SEEN(root)) + 1)
    for node in (node for node, length in said.items() if length >= least):
        node.tag = "div"


def _length(texts: list[str]) -> int:
    return sum(len(text.strip()) for text in texts)
