"""The one parser: bytes or text in, a :class:`Page` out. Crawl, training, tests and benchmarks all parse here."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE

from lxml import etree
from w3lib.encoding import html_to_unicode

from sitecrawl.dom.encodings import LEGIBLE, guess, legibility, most_legible
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
_MARKS = (BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE)
_SEVERAL = 8
"""Bytes that multi-byte sequences take beyond a byte a character, from which they are no chance."""
_ZERO, _ESCAPE = b"\x00", b"\x1b"
"""What tells UTF-16, UTF-32 and the encodings of ISO 2022 although all bytes are ASCII."""
_WIDE = ("utf-16", "utf-32")
"""Encodings in which every markup character holds a zero byte: without one, the header lies."""
_DAMAGE = 0.6
"""Share of U+FFFD among what is no ASCII up to which a page is UTF-8 with foreign parts: sequences are not valid by chance."""
_LIES = 0.002
"""Share of U+FFFD above which a declared encoding counts as a lie."""


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
    text = _plain_text(body) if len(body) <= _LARGE else None
    return text is not None and "\ufffd" not in text and not _DECLARATION.match(text)


def _cleaned(source: str) -> tuple[bytes, bool]:
    """A page for the parser, in UTF-8, and whether content was cut."""
    cut = len(source) > LIMITS.body_bytes
    source = source[: LIMITS.body_bytes] if cut else source
    if len(source) > _LARGE:  # libxml2 takes time in the square of a tag's attributes
        source, crowded = _CROWDED.subn(r"<\1>", source)
        cut = cut or crowded > 0
    return _DECLARATION.sub("", source, count=1).replace("\x00", "").encode("utf-8", "replace"), cut


def decode(body: bytes, content_type: str | None = None) -> tuple[str, str]:
    """Text and encoding of ``body``: BOM, header, declaration, guess; a declaration that lies is overruled.

    >>> decode("<meta charset=utf-8>中文网页".encode("gbk"))[0][-4:]
    '中文网页'
    """
    body = body[: LIMITS.body_bytes]
    plain = _plain_text(body)
    if plain is not None:
        return plain, "utf-8"
    encoding, text = html_to_unicode(content_type, body, auto_detect_fun=_guess)
    if encoding.startswith(_WIDE) and b"\x00" not in body[:4096]:
        encoding, text = html_to_unicode(None, body, auto_detect_fun=_guess)
    if not encoding.startswith("utf") and _is_utf8(body):
        return body.decode("utf-8", "replace"), "utf-8"
    return _redetect(body, text, encoding) if _lies(text) or legibility(text) < LEGIBLE else (text, encoding)


def _plain_text(body: bytes) -> str | None:
    """Text of a body that is UTF-8 beyond doubt, whatever is declared: several multi-byte sequences, or none at all."""
    if body.startswith(_MARKS) or _ZERO in body or _ESCAPE in body:
        return None
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if len(body) - len(text) >= _SEVERAL or text.isascii() else None


def _redetect(body: bytes, text: str, encoding: str) -> tuple[str, str]:
    """What the page itself declares, or the guess, where that reads better than ``text``."""
    beyond = len(text) - len(text.encode("ascii", "ignore"))
    if encoding == "utf-8" and text.count("\ufffd") <= _DAMAGE * beyond:
        return text, encoding
    other = _guess(body)
    named, found = html_to_unicode(None, body, auto_detect_fun=lambda _: other)
    return most_legible([(text, encoding), (found, named), (body.decode(other, "replace"), other)])


def _is_utf8(body: bytes) -> bool:
    """Whether ``body`` holds several multi-byte sequences, all valid: no other encoding meets that by chance."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(body) - 3:
            return False
        text = body[: error.start].decode("utf-8")
        body = body[: error.start]
    return len(body) - len(text) >= _SEVERAL


def _lies(text: str) -> bool:
    return "\ufffd" in text and text.count("\ufffd") > max(3, _LIES * len(text))


def _guess(body: bytes) -> str:
    """Encoding by trial: UTF-8 cannot be met by chance, the rest is statistics.

    >>> _guess("新闻中心首页今日要闻".encode("utf-8"))
    'utf-8'
    """
    return "utf-8" if body.isascii() or _is_utf8(body) else guess(body)


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
