"""Is a page one of a forum? Its address says so, its breadcrumbs, or what it tells machines; the words of its themes do not."""

from __future__ import annotations

import re
from itertools import islice

from lxml import etree

from sitecrawl.dom.page import Page
from sitecrawl.limits import LIMITS

_ADDRESS = re.compile(
    r"(?:^|[/.?&=])(?:forums?|foren|foros?|fora|bbs|boards?|viewtopic|showthread|showtopic|viewthread|threads?|topics?|questions?|discussions?)"
    r"(?=[/.?&=]|-?\d|$)",
    re.I,
)
"""A host, a folder, a file or a parameter of forums: as a whole, since the words stand in the titles of articles too."""
_KINDS = ("DiscussionForumPosting", "QAPage")
_MARKED = etree.XPath(
    "boolean(//*[" + " or ".join(f'contains(@itemtype, "schema.org/{kind}")' for kind in _KINDS) + "])"
)
_CRUMBS = 12
"""Links of the breadcrumbs that are read."""


def is_forum(page: Page) -> bool:
    """Whether ``page`` is a forum's or of questions and answers, so that what stands below its text answers it.

    >>> is_forum(Page("http://example.com/forum/viewtopic.php?t=5", etree.HTML("<p>Hello</p>")))
    True
    >>> is_forum(Page("http://example.com/news/ten-questions-for-ann", etree.HTML("<p>Hello</p>")))
    False
    """
    if _ADDRESS.search(page.url) or page.metadata.linked.get("@type") in _KINDS or bool(_MARKED(page.root)):
        return True
    return any(_ADDRESS.search(href) for href in islice(_crumbs(page), _CRUMBS))


def _crumbs(page: Page) -> list[str]:
    """Addresses in the first breadcrumbs."""
    for node in islice(page.root.iter("div", "nav", "ul", "ol", "p", "table", "span"), LIMITS.nodes):
        if "crumb" in f"{node.get('class') or ''} {node.get('id') or ''}".casefold():
            found = [href for link in node.iter("a") if (href := link.get("href"))]
            if found:
                return found
    return []
