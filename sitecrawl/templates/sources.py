"""Sources of a field's value: an address, a key of the page's JSON-LD, or the page's own URL; read the same way everywhere."""

from __future__ import annotations

import re
from typing import Any

from sitecrawl.dom.metadata import linked_text
from sitecrawl.dom.page import Page
from sitecrawl.templates.address import find, is_address, text_of
from sitecrawl.text.dates import parse_date

_LINKED = re.compile(r"json-ld:(headline|name|datePublished|dateCreated|dateModified|author|description)")
_URL_DATE = re.compile(r"/t?((?:19[89]|20[0-4])\d)[/-]?([01]\d)[/-]?([0-3]\d)(?=[/_.t-]|$)")
URL = "url"
_LONGEST_VALUE = 400


def is_source(source: object) -> bool:
    """Whether ``source`` is one a template may use.

    >>> is_source("json-ld:headline"), is_source("url"), is_source("//h1"), is_source("os:system")
    (True, True, True, False)
    """
    return isinstance(source, str) and (source == URL or bool(_LINKED.fullmatch(source)) or is_address(source))


def read(source: str, page: Page) -> str | None:
    """The value of ``source`` on ``page``, None where it is absent, empty or (an element) not the only one."""
    if source == URL:
        match = _URL_DATE.search(page.url)
        return "-".join(match.groups()) if match else None
    if source.startswith("json-ld:"):
        return linked_text(page.metadata.linked.get(source[8:])) if page.metadata.linked else None
    return _single(find(source, page.root))


def _single(found: list[Any]) -> str | None:
    if not found or (len(found) > 1 and not isinstance(found[0], str)):
        return None
    return text_of(found[0], _LONGEST_VALUE) or None


def read_day(source: str, page: Page) -> str | None:
    """The date that ``source`` gives, ISO 8601."""
    return parse_date(read(source, page))
