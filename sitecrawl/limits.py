"""Every bound that keeps a hostile page from costing too much, with its reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one page; sizes in characters or elements unless said otherwise."""

    body_bytes: int = 16_000_000  # bytes of a response that are parsed; the largest real article page seen has 4 MB
    nodes: int = 64_000  # elements of a page that are looked at; the largest real page seen has 60,000
    tags: int = 256_000
    """Tags of a page that are parsed, four for each element that is looked at (a real one has two): an element takes 200 bytes of memory."""
    chunk_chars: int = 1_000_000  # characters of one text node that are kept; a longer one is data, not prose
    cached_chars: int = 2_000
    """Characters of a text up to which a cache may hold it; a page can make every name and link of its own a megabyte long."""
    text_chars: int = 2_000_000
    """Characters of text of a page; the longest books have as many. Templates compare the texts of pages several times over."""
    attributes: int = 256
    """Attributes of one tag; with more, on a large page, the tag loses all. Real tags have a few dozen."""
    attribute_chars: int = 10_000
    """Characters of one attribute that are kept on a large page; beyond are pictures and data, and no URL that long is asked for."""
    page_attributes: int = 600_000  # attributes of a page that are parsed; one takes 250 bytes of memory
    class_tokens: int = 200_000
    """Class tokens of one page by which elements can be found; the largest real page seen has three on each of 60,000 elements."""
    title_chars: int = 10_000
    """Characters of a title element that are read; a longer one is a page whose tags are broken."""
    links: int = 10_000
    """Links of one page that are classified; the largest real listing seen has 9,512. One takes .15 ms."""
    url_chars: int = 2_000  # characters of a URL that is asked for, or that links may be relative to
    based_chars: int = 4_000_000
    """Length of a page's base URL times its links: each is taken apart. 9,512 links on a page whose URL has 400 characters."""
    children: int = 2_000
    """Children of one element that are told apart by position; counting them for each child takes quadratic time."""
    dates: int = 2_000
    """Elements marked as dates, and blocks of text with a year, that are weighed; a forum page has a few hundred."""
    jsonld_chars: int = 1_000_000  # characters of one JSON-LD block that are decoded
    parts: int = 50
    """Pages of one article or thread that are joined; the longest threads of real boards have hundreds, few readers that many."""
    model_bytes: int = 100_000_000
    """Bytes that a file of trained weights may unpack to; the shipped ones have less than a hundredth of it."""
    head_bytes: int = 256_000
    """Bytes of the status line and the headers of an answer, as in Chromium; the largest that servers send by themselves have some 16,000."""
    codings: int = 5  # compressions of one answer, one within another, as in curl; real servers use one
    robots_bytes: int = 500 * 1024  # bytes of a robots.txt that count: the least that RFC 9309, section 2.5, asks for
    refreshes: int = 8
    """Pages that send their readers on to the next without a text of their own; as many as redirects of one request."""
    listings: int = 20_000
    """Listing pages of a crawl whose yield is remembered; the largest crawl seen read a few hundred."""
    linked_pages: int = 20_000
    """URLs of links that a crawl has taken apart and remembers; the links that recur on a portal's pages are a few thousand. One takes some 500 bytes."""
    scrolls: int = 50
    """Times that a listing page is scrolled, or its "load more" button clicked: 500 to 1,000 articles where each brings 10 or 20."""
    scroll_seconds: int = 60  # seconds that this may take for one page; a round of a quick site takes one
    scroll_chars: int = 4_000_000
    """Characters of HTML to which a page may grow meanwhile; each round reads all of them again."""
    parsed_bytes: int = 1_000_000
    """Bytes of HTML of the waiting pages that a crawl keeps parsed; a parsed page takes twenty times as much memory."""
    url_filters: int = 100  # URL patterns of `include` and `exclude`; each is compared with every link
    texts: int = 50_000  # digests of texts that a crawl remembers, to recognise a text that appears under many URLs
    kept_bytes: int = 2_000_000  # bytes of a listing page above which it is not kept for a later conditional request
    kept_pages: int = 2_000
    """Listing pages kept for later conditional requests, the latest; a crawl of a portal reads a few hundred."""
    candidates: int = 50_000
    """Pages that a crawl's frontier holds in memory; those beyond are counted, and asked for in a later run."""
    unread: int = 200_000
    """Article pages found and not asked for yet, in memory and on disk; a kilobyte each. Links beyond are counted, and taken up when
    they are met again: at a quarter of a second a page the rest takes 14 hours."""
    url_patterns: int = 20_000  # URL patterns of a site whose pages are counted; a large portal has a few thousand
    profile_keys: int = 4_000
    """Groups and URL patterns that a site's link profile remembers; a large portal has a few hundred."""
    families: int = 40  # page families of one site that are kept; a site has about eleven
    samples: int = 12
    """Pages of a family that wait for a template; more of them cost induction time and add no knowledge."""
    sample_chars: int = 4_000_000
    """Characters that the waiting pages of a site may take in its document; a real page takes some 20,000 when packed."""
    answered: int = 20
    """Pages of a family that are kept although their articles left: a trusted template is compared with the extractor on every twentieth
    page at least, and if it fails there, those before it are looked at again."""
    shown_pages: int = 20
    """Pages of a template that are kept to show what it takes and what an edit does; as many as a person looks at."""
    shown_chars: int = 600_000
    """Characters that these pages may take in the document of a site; a real page takes some 20,000 when packed, a blog's 5,000."""
    visits: int = 60
    """Visits of a site whose records are kept: two months of one a day; a record takes some 4,000 characters."""
    host_candidates: int = 36
    """Pages of an archived host among which those that its templates are learned from are looked for: three for each sample, since
    many stored pages are listings. A candidate takes some 200 bytes of memory."""
    host_models: int = 8
    """Hosts of an archive whose templates a worker holds in memory; the templates of one take some megabytes."""


LIMITS = Limits()


def cached(most: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A cache of at most ``most`` results of a function with positional arguments; calls with long texts are not cached.

    It has two halves. When the young one is full, the old one is dropped: results that are used again stay, without sorting by last use.

    >>> double = cached(10)(lambda text: 2 * text)
    >>> double("ab"), len(double("x" * 5_000))
    ('abab', 10000)
    """

    def wrap(function: Callable[..., T]) -> Callable[..., T]:
        young, old = dict[tuple[Any, ...], T](), dict[tuple[Any, ...], T]()

        @wraps(function)
        def call(*args: Any) -> T:
            nonlocal young, old
            if args in young:
                return young[args]
            found = old[args] if args in old else function(*args)
            if max([len(arg) for arg in args if arg.__class__ is str], default=0) <= LIMITS.cached_chars:
                if 2 * len(young) >= most:
                    young, old = {}, young
                young[args] = found
            return found

        return call

    return wrap
