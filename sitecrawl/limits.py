"""Every bound that keeps a hostile page from costing too much, with its reason."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import Any, ParamSpec, Protocol, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one page; sizes in characters or elements unless said otherwise."""

    # bytes of a response that are parsed; the largest real article page seen has 4 MB
    body_bytes: int = 16_000_000
    # elements of a page that are looked at; the largest real page seen has 60,000
    nodes: int = 64_000
    # tags of a page that are parsed: four per element (real pages have two), 200 bytes each
    tags: int = 256_000
    # characters of one text node that are kept; a longer one is data, not prose
    chunk_chars: int = 1_000_000
    # characters of a text that a cache may hold; hostile pages have names of a megabyte
    cached_chars: int = 2_000
    # characters of text of a page, as in the longest books; templates compare them
    text_chars: int = 2_000_000
    # attributes of one tag; with more, on a large page, it loses all. Real tags have dozens
    attributes: int = 256
    # characters of an attribute that are kept on a large page: no URL is longer
    attribute_chars: int = 10_000
    # attributes of a page that are parsed; one takes 250 bytes of memory
    page_attributes: int = 600_000
    # work on a page besides reading it once, in characters copied (see `Meter`): half a second, and
    # 100 MB. Of 1,048 real pages the costliest takes 2 million; one with 180,000 class tokens, 12
    work: int = 16_000_000
    # characters of a title that are read; a longer one is a page with broken tags
    title_chars: int = 10_000
    # links of a page that are classified; the largest real listing has 9,512. Each takes .15 ms
    links: int = 10_000
    # characters of a URL that is asked for, or that links may be relative to
    url_chars: int = 2_000
    # length of a page's base URL times its links, each of which is taken apart
    based_chars: int = 4_000_000
    # children of an element that get a position; counting takes quadratic time
    children: int = 2_000
    # elements marked as dates, and blocks with a year, that are weighed; forums have hundreds
    dates: int = 2_000
    jsonld_chars: int = 1_000_000  # characters of one JSON-LD block that are decoded
    # pages of one article or thread that are joined; few readers read longer threads
    parts: int = 50
    # bytes that a file of weights may unpack to; ours have a hundredth
    model_bytes: int = 100_000_000
    head_bytes: int = 256_000
    """Bytes of the status line and the headers of an answer, as in Chromium; the largest that
    servers send by themselves have some 16,000."""
    # compressions of one answer, one within another, as in curl; real servers use one
    codings: int = 5
    cookie_bytes: int = 4_096
    """Bytes of the cookies that the redirects of one request may have: what a browser keeps of one
    cookie at least (RFC 6265, section 6.1). Cookie walls set some dozens."""
    # origins of which it is known whether they check cookies; a crawl meets a few
    wall_origins: int = 1_000
    robots_bytes: int = (
        500 * 1024
    )  # bytes of a robots.txt that count: the least that RFC 9309, section 2.5, asks for
    # textless pages in a row that redirect their readers; as many as HTTP redirects
    refreshes: int = 8
    sends: int = 40
    """Requests for one URL in a run, for whatever reason. Six have a reason of their own: without a
    slash, with a browser, without it, as an article after all. The rest is for kills: 16 requests
    are in progress at a time, and each start of a process may answer only one of them."""
    returns: int = 1  # times that links bring back a page which was read as no article
    # listing pages whose yield a crawl remembers; the largest crawl read a few hundred
    listings: int = 20_000
    linked_pages: int = 20_000
    """URLs of links that a crawl has taken apart and remembers; the links that recur on a portal's
    pages are a few thousand. One takes some 500 bytes."""
    # times that a listing page is scrolled, or its button clicked: 500 to 1,000 articles
    scrolls: int = 50
    # seconds that this may take for one page; a round of a quick site takes one
    scroll_seconds: int = 60
    # characters of HTML to which a page may grow; each round reads them again
    scroll_chars: int = 4_000_000
    # bytes of waiting pages kept parsed, which takes twenty times the memory
    parsed_bytes: int = 1_000_000
    # URL patterns of `include` and `exclude`; each is compared with every link
    url_filters: int = 100
    # digests of texts that a crawl remembers, to recognise a text that appears under many URLs
    texts: int = 50_000
    # bytes of a listing page above which it is not kept for a later conditional request
    kept_bytes: int = 2_000_000
    # latest listing pages kept for conditional requests; a portal has a few hundred
    kept_pages: int = 2_000
    # pages that a frontier holds in memory; others are counted, and fetched by later runs
    candidates: int = 50_000
    unread: int = 200_000
    """Article pages found and not asked for yet, in memory and on disk; a kilobyte each. Links
    beyond are counted, and taken up when they are met again: at a quarter of a second a page the
    rest takes 14 hours."""
    # URL patterns of a site whose pages are counted; a large portal has a few thousand
    url_patterns: int = 20_000
    # groups and URL patterns in a site's link profile; a large portal has hundreds
    profile_keys: int = 4_000
    families: int = 40  # template families of one site that are kept; a site has about eleven
    # pages of a family that wait for a template; more cost time and add no knowledge
    samples: int = 12
    # characters of a site's waiting pages; a real page takes some 20,000 packed
    sample_chars: int = 4_000_000
    shown_pages: int = 20  # pages of a template that are kept to show, as many as a person looks at
    # characters of a site's shown pages; a real page takes some 20,000 packed
    shown_chars: int = 600_000
    # visits of a site on record, two months of one a day; a record has 4,000 characters
    visits: int = 60
    host_candidates: int = 36
    """Pages of an archived host among which those that its templates are learned from are looked
    for: three for each sample, since many stored pages are listings. A candidate takes some 200
    bytes of memory."""
    host_models: int = 8  # hosts whose templates a worker of a batch holds, some megabytes each


LIMITS = Limits()
_ELEMENT = 64  # characters that are copied in the time in which one element is looked at


@dataclass(slots=True)
class Meter:
    """What one page may still cost. Reading a page once is linear, and bounded by its size. A step
    whose work can be a product of two lengths asks the meter first: for texts that nested elements
    share, for cells that a table spans, for the elements below each of many. If the meter is spent,
    the step leaves out what it cannot pay, and items of the page have the flag ``truncated``.

    >>> meter = Meter(left=1_000)
    >>> meter.pays(chars=900), meter.pays(elements=2), meter.pays(elements=1), meter.is_spent
    (True, False, True, True)
    """

    left: int = LIMITS.work
    is_spent: bool = False

    def pays(self, *, chars: int = 0, elements: int = 0) -> bool:
        """Whether so many characters may be copied, and so many elements looked at. If so, they are
        taken off."""
        cost = chars + _ELEMENT * elements
        if cost > self.left:
            self.is_spent = True
            return False
        self.left -= cost
        return True


def forget_oldest(known: dict[Any, Any], most: int) -> None:
    """Remove the entry that was added first where there are more than ``most``.

    >>> known = {"a": 1, "b": 2}
    >>> forget_oldest(known, 1), known
    (None, {'b': 2})
    """
    if len(known) > most:
        del known[next(iter(known))]


class Cached(Protocol[P, T]):
    """A function that remembers results. ``each`` asks for those of many texts at once, which takes
    a fraction of the time of as many calls."""

    __name__: str

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T: ...
    def each(self, texts: Collection[str]) -> list[T]: ...


def cached(most: int) -> Callable[[Callable[P, T]], Cached[P, T]]:
    """A cache of the ``most`` results that were asked for last, of a function with positional
    arguments; calls with long texts are not cached.

    >>> double = cached(10)(lambda text: 2 * text)
    >>> double("ab"), len(double("x" * 5_000))
    ('abab', 10000)
    >>> double.each(["ab", "c"])
    ['abab', 'cc']
    """

    def wrap(function: Callable[..., T]) -> Cached[P, T]:
        kept, longest = lru_cache(most)(function), LIMITS.cached_chars

        @wraps(function)
        def call(*args: Any) -> T:
            for arg in args:
                if arg.__class__ is str and len(arg) > longest:
                    return function(*args)
            return kept(*args)

        def each(texts: Collection[str]) -> list[T]:
            is_long = max(map(len, texts), default=0) > longest
            return list(map(call if is_long else kept, texts))

        call.each = each  # type: ignore[attr-defined]
        return cast("Cached[P, T]", call)

    return wrap


def spare_garbage_collection(*, allocations: int = 20_000) -> None:
    """Collect cycles every ``allocations`` net allocations; Python's default of 700 is reached
    several times a page. Loaded modules stay until the end, and pages are freed by reference
    counting."""
    gc.freeze()
    gc.set_threshold(allocations, 20, 50)
