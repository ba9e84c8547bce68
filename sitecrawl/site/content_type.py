"""What the content management system calls a page: post, page, product, attachment ...

WordPress, Drupal, Joomla, Ghost, Shopify, Discuz! and MediaWiki write the type of a page into
classes. Of 8,200 pages of 54 sites that looked like articles, 2,711 of 2,762 of type post or news
were articles, 2 of 195 of type ``page``, and none of 14 attachments and 47 products. Words in URLs
were right on 9 of 27 sites only, so they are not used."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, cast

from lxml import etree

from sitecrawl.dom.page import Page
from sitecrawl.items.kinds import PageKind
from sitecrawl.resources import table_beside

_BODY_TYPE = re.compile(
    r"(?:^|\s)(?:single-(?!format-)|(?:page-)?node-type-|view-|pg_|template-)([a-z][a-z0-9_-]{1,40})(?=\s|$)"
)
"""Classes of ``body``: WordPress ``single-post``, Drupal ``node-type-news``, Joomla
``view-article``, Discuz! ``pg_viewthread``, Shopify ``template-product``."""
_ELEMENT_TYPE = re.compile(
    r"(?:^|\s)(?:type-|post-type-|node-type-|node--type-)([a-z][a-z0-9_-]{1,40})(?=\s|$)"
)
"""Classes of the element around the content: WordPress ``type-post``, Drupal 8
``node--type-article``."""
_FIXED_PAGE = re.compile(r"(?:^|\s)(?:page-id-\d+|page-template(?:-default)?)(?=\s|$)")
"""Classes that WordPress and Ghost give to the body of a fixed page."""
_ARCHIVE = re.compile(
    r"(?:^|\s)(?:archive|paged|search-(?:no-)?results|ns-(?:special|talk|8|14))(?=\s|$)"
)
"""Classes of ``body``: of WordPress on listings (1,087 pages of 28 sites, none of them an article),
of MediaWiki on special pages, talk pages, messages and categories."""
_NAMING_TYPE = cast(
    Callable[..., list[str]], etree.XPath("//@class[contains(., 'type-')]", smart_strings=False)
)
"""Classes that may name a type; ``menu-item-type-post_type`` does not count."""
_MISSING = re.compile(r"(?:^|\s)error404(?=\s|$)")  # WordPress, on its page for 404

_WORDS = {
    PageKind(kind): frozenset(words.split()) for kind, words in table_beside(__file__).items()
}
"""Words of type names, by the kind of page. ``webtree-news`` is an article by its second word."""


class ContentType(NamedTuple):
    """The type of a page in its content management system, lower case; empty if unknown.
    ``of_page``: the type comes from the body and describes the
    whole page. Else it is the type of the first typed element, which on a listing is one of its
    articles. An error page of WordPress has the type
    ``error404``."""

    name: str = ""
    of_page: bool = False

    @property
    def is_article(self) -> bool:
        """Whether the system calls the whole page an article or a thread: right for 2,378 of 2,427
        pages of 19 sites."""
        return self.of_page and kind_of_type(self.name) in (PageKind.ARTICLE, PageKind.THREAD)


def content_type(page: Page) -> ContentType:
    """The type of a page by its classes, else by ``og:type``.

    The body describes the whole page, so its classes are read first; those of an error page before
    its others. Listings are recognised before types of elements, because the first typed element of
    a listing is one of its articles. The type of an element is more exact than the classes of fixed
    pages."""
    body = next(page.root.iterchildren("body"), None)
    classes_of = [node.get("class") or "" for node in (page.root, body) if node is not None]
    outer = " ".join(classes_of).casefold()
    if _MISSING.search(outer):
        return ContentType("error404", True)
    if found := _BODY_TYPE.search(outer):
        return ContentType(found[1], True)
    if _ARCHIVE.search(outer):
        return ContentType("archive", True)
    for classes in _NAMING_TYPE(page.root):
        if found := _ELEMENT_TYPE.search(classes.casefold()):
            return ContentType(found[1])
    if _FIXED_PAGE.search(outer):
        return ContentType("page", True)
    is_product = (page.metadata.first("og:type") or "").startswith("product")
    return ContentType("product", True) if is_product else ContentType()


def kind_of_type(name: str) -> PageKind | None:
    """The kind of page for a type name; None if the name is unknown.

    >>> [str(kind_of_type(name)) for name in ("post", "webtree-news", "tribe_events", "attachment", "person", "notes")]
    ['article', 'article', 'event', 'media', 'page', 'None']
    """
    words = re.split(r"[-_]", name)
    return next((kind for kind, known in _WORDS.items() if not known.isdisjoint(words)), None)
