"""From an answer to a page, or to one line that says why there is none."""

from __future__ import annotations

import re

from sitecrawl.crawl.records import FetchedPage
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import absolute

_SNIFF = (b"%PDF", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\x03\x04", b"\x1f\x8b", b"Rar!")
_REFRESH = re.compile(r"url\s*=\s*['\"]?([^'\";\s]+)", re.I)
_STUB = 200
"""Characters of text above which a page is read although it sends its readers on."""
_TEXT = ("html", "xml", "text/plain", "octet-stream")


def page_of(fetched: FetchedPage) -> tuple[Page | None, str]:
    """The page of an answer; None and the reason when it is empty or no HTML."""
    kind = fetched.content_type.casefold()
    if (kind and not any(word in kind for word in _TEXT)) or fetched.body[:8].lstrip().startswith(_SNIFF):
        return None, f"not HTML ({kind.partition(';')[0] or 'a binary file'}): start from a page that lists articles"
    if not fetched.body.strip():
        return None, "the page is empty"
    return parse(fetched.body, fetched.url, kind or None), ""


def refresh_target(page: Page) -> str | None:
    """Where a page with next to no text of its own sends its readers (``meta http-equiv=refresh``)."""
    found = _REFRESH.search(page.metadata.first("refresh") or "")
    if not found or len(page.tree.text(0)) > _STUB:
        return None
    return absolute(found[1], page.base_url)
