"""The Python interface for single pages, without Scrapy. Its parts are imported on first use:
`import sitecrawl` loads nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sitecrawl.items.article import Article
    from sitecrawl.links.classify import Link


def extract(html: str | bytes, url: str | None = None) -> Article:
    """The article of one page, from that page alone. Comments are searched when ``comments`` is
    first read, which costs as much as the rest.

    ``html`` as bytes is decoded as Scrapy would decode it. An empty page gives an article without a
    body, with confidence 0. Raises TypeError when ``html`` is neither str nor bytes, or is the
    URL."""
    from sitecrawl.site.answer import LazyExtraction
    from sitecrawl.site.inputs import page_of_html

    return LazyExtraction(page_of_html(html, url)).article()


def classify_links(html: str | bytes, url: str) -> list[Link]:
    """Every link of a page in document order, labelled article, section or other.

    Raises ModelError when the shipped link model is missing or damaged, TypeError when ``html`` is
    neither str nor bytes, or is the URL."""
    from sitecrawl.links.classify import classify
    from sitecrawl.site.inputs import page_of_html

    return classify(page_of_html(html, url))
