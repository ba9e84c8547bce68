"""A parsed page, with what is computed from it at most once."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from urllib.parse import urljoin

from lxml import etree

from sitecrawl.dom.metadata import Metadata, read_metadata
from sitecrawl.dom.tree import Tree, build_tree
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


@dataclass
class Page:
    """A page as ``(url, root)``: what is left of a response below the Scrapy glue.

    ``truncated`` tells that content was cut at a bound; ``encoding`` is the one the page was decoded with.
    """

    url: str
    root: etree._Element
    encoding: str = "utf-8"
    truncated: bool = False

    @cached_property
    def tree(self) -> Tree:
        """The flat view of the page, built on first use."""
        return build_tree(self.root)

    @property
    def is_cut(self) -> bool:
        """Whether content was cut, while parsing or from the flat view."""
        return self.truncated or self.tree.truncated

    @cached_property
    def metadata(self) -> Metadata:
        """What the page says about itself for machines, read on first use."""
        return read_metadata(self.root)

    @cached_property
    def base_url(self) -> str:
        """URL that relative links refer to (``<base href>`` honoured)."""
        tree: Tree | None = self.__dict__.get("tree")
        bases = self.root.iter("base") if tree is None or "base" in tree.tags else ()
        href = next((given for node in bases if (given := node.get("href")) is not None), None)
        try:
            return urljoin(self.url, href.strip()) if href else self.url
        except ValueError:
            return self.url

    def lean(self) -> Page:
        """The same page without its flat view, which holds on to every element: for those who keep it for later."""
        page = replace(self)
        page.__dict__.update(metadata=self.metadata, base_url=self.base_url)
        return page


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
