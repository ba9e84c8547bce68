"""Where a page leads otherwise than by links: frames, image maps, lists of choices, forms, attributes and scripts that hold addresses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice, product
from urllib.parse import urlencode

from lxml import etree

from sitecrawl.dom.page import Page
from sitecrawl.dom.render import absolute
from sitecrawl.limits import LIMITS
from sitecrawl.urls.canonical import is_page
from sitecrawl.urls.pattern import url_pattern
from sitecrawl.urls.scope import host_of

_SCRIPTED = etree.XPath(
    "//@onclick|//@onchange|//@data-href|//@data-url|//@data-link|//a/@href[starts-with(normalize-space(.), 'javascript:')]",
    smart_strings=False,
)
"""Attributes that lead to a page by script."""
_OTHER = etree.XPath(
    "//@*[starts-with(name(), 'data-') or name() = 'to' or name() = 'routerlink' or name() = 'ng-href' or name() = 'xlink:href']"
    "[starts-with(., '/') or starts-with(., 'http')]",
    smart_strings=False,
)
"""Attributes that hold an address, whatever for."""
_QUOTED = re.compile(r"['\"]((?:https?:/)?/[^'\"\s]+|[\w./-]+\.(?:s?html?|php|aspx?|jsp)\b[^'\"\s]*)['\"]", re.I)
_MADE = re.compile(r"[{}<>$*|^`\\]")
"""Characters of a pattern or a template, not of an address."""
_TYPED = frozenset("text search email password number tel url date month week time datetime-local file".split())
"""Kinds of fields that somebody must fill in."""
_PUSHED = frozenset(("submit", "image", "button", "reset"))
_SET = frozenset(("checkbox", "radio"))


def other_references(page: Page) -> list[str]:
    """URLs that a page leads its readers to otherwise than by ``<a href>``: inner frames, image maps, lists of choices, forms with
    nothing to type, scripted elements, the ``rel=next`` of its head."""
    hrefs = [page.metadata.links.get("next"), *(node.get("src") for node in page.root.iter("iframe"))]
    hrefs += [node.get("href") for node in page.root.iter("area")] + [
        node.get("data") for node in page.root.iter("object")
    ]
    hrefs += [value for node in page.root.iter("option") if "/" in (value := node.get("value") or "")]
    for text in _SCRIPTED(page.root):
        hrefs += _QUOTED.findall(text) if "'" in text or '"' in text else [text]
    return page_urls(chain(filter(None, hrefs), _submissions(page)), page)


def named_elsewhere(page: Page, *, listed_from: int = 3) -> list[str]:
    """URLs that stand in a page for its scripts: in attributes, and in scripts that list pages, ``listed_from`` or more of one pattern."""
    text = "\n".join(node.text or "" for node in page.root.iter("script"))[: LIMITS.jsonld_chars].replace("\\/", "/")
    groups: dict[tuple[str, str], list[str]] = {}
    for url in page_urls((href for href in _QUOTED.findall(text) if not _MADE.search(href)), page):
        groups.setdefault((host_of(url), url_pattern(url)), []).append(url)
    listed = chain.from_iterable(urls for urls in groups.values() if len(urls) >= listed_from)
    return list(dict.fromkeys([*page_urls(_OTHER(page.root), page), *listed]))


def page_urls(hrefs: Iterable[str], page: Page) -> list[str]:
    """The URLs of references that may be pages, each once."""
    urls = (absolute(href, page.base_url) for href in islice(hrefs, LIMITS.links))
    return [url for url in dict.fromkeys(urls) if url and is_page(url)]


def _submissions(page: Page) -> Iterator[str]:
    """URLs that the forms of a page lead to which nobody has to fill in: each choice of the list, each button."""
    for form in page.root.iter("form"):
        fields = _fields(form)
        if (form.get("method") or "get").strip().casefold() == "get" and fields is not None:
            action = (form.get("action") or page.url).partition("#")[0].partition("?")[0]
            for pairs in product(*fields):
                query = urlencode([pair for pair in pairs if pair], encoding=page.encoding, errors="replace")
                yield f"{action}?{query}" if query else action


def _fields(form: etree._Element) -> list[list[tuple[str, str] | None]] | None:
    """The values that each field of a form can be sent with, several of one list and one button only; None where somebody must type."""
    fixed, pushed, chosen = list[list[tuple[str, str] | None]](), list[tuple[str, str] | None](), 0
    for node in form.iter("input", "button", "select", "textarea"):
        name, kind = node.get("name") or "", (node.get("type") or "").strip().casefold()
        if node.tag == "textarea" or (node.tag == "input" and (kind or "text") in _TYPED):
            return None
        if node.tag == "select":
            values = [option.get("value", option.text or "").strip() for option in node.iter("option")]
            fixed.append([(name, value) for value in values[: None if not chosen else 1] if name] or [None])
            chosen += len(values) > 1
        elif node.tag == "button" or kind in _PUSHED:
            pushed.append((name, node.get("value") or "") if name and kind != "reset" else None)
        elif name and (kind not in _SET or node.get("checked") is not None):
            fixed.append([(name, node.get("value") or "")])
    return [*fixed, pushed or [None]]
