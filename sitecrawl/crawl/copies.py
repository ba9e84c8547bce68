"""Copies of articles: one article at several addresses of a site is written once. The site tells by
canonical URLs; where it does not, headline, day, authors, text and address must agree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sitecrawl.crawl.database import short
from sitecrawl.crawl.ledger import Ledger
from sitecrawl.crawl.linked_pages import SitePages
from sitecrawl.crawl.records import Drop
from sitecrawl.crawl.site_state import Original, is_of_run
from sitecrawl.crawl.slugs import Slugs
from sitecrawl.crawl.soft_errors import is_asked
from sitecrawl.crawl.store import CrawlStore
from sitecrawl.crawl.url_stats import UrlStats
from sitecrawl.items.article import Flag
from sitecrawl.items.sameness import ArticleFacts, share_of
from sitecrawl.urls.canonical import url_key
from sitecrawl.urls.pattern import url_pattern

_MOST = 0.9  # of a text that another page has: print versions and AMP pages add a line of their own
_ENOUGH = 0.7  # of a text that its print version holds, where the lines of that are many
_MOST_MOVED = 5  # pages with the headline of a new one with which it is compared
_NEVER = 2.0  # a share of a text that no text has
_NOTICE = 300
"""Characters below which a text without a day, or with another one, is a notice that is published
again, and no moved article."""
_EXTENSION = re.compile(r"\.[a-z]{2,5}$")
_NUMBER = re.compile(r"[^\W\d_]*(\d\w*)")  # a number, perhaps with letters before it

Item = Mapping[str, Any]


@dataclass(slots=True)
class Copies:
    """Finds the page of which another one is a copy, among the items that were written."""

    store: CrawlStore
    pages: SitePages
    ledger: Ledger
    slugs: Slugs
    stats: UrlStats
    _gone: dict[str, list[str]] = field(default_factory=dict)  # by listing, see `_gone_from`
    named: dict[str, str] = field(default_factory=dict)
    """Pages of this run, by the URL that they call their own."""
    copied: set[str] = field(default_factory=set)
    """Families whose articles another family of the site shows as well, once families are judged."""

    def restore(self) -> None:
        """Read what this run wrote."""
        for item in self.store.items.of_run():
            self.record(url_key(item["url"]), item)

    def record(self, key: str, item: Item) -> None:
        """Record that the page ``key`` was written."""
        self.named.setdefault(own_key(item), key)

    def original(self, key: str, digest: str) -> Original | None:
        """The page other than ``key`` that was written first with a text."""
        found = self.store.items.original(digest)
        return found if found and found.key != short(key) else None

    def why_dropped(self, key: str, item: Item, *, digest: str) -> Drop | None:
        """The reason why the item of the page ``key`` is left out as a copy of another page, or
        None."""
        if whole := self._page_around(key, item) or self._thread_around(key, item):
            return Drop.COPY if self.store.items.was_written(whole) else Drop.KNOWN
        original = self.original(key, digest)
        if original is not None and self._is_variant(key, original.key, own=own_key(item)):
            return Drop.COPY if original.is_of_run else Drop.KNOWN
        for other in self._titled(key, item):
            if self._is_there(other) and self._is_twin(key, item, other=other):
                return Drop.TWIN
        if original is not None and self._is_published_again(item, original):
            return Drop.KNOWN
        return None

    def may_be_copy(self, key: str, item: Item, *, digest: str, text: str) -> bool:
        """Whether a page may turn out to be a copy: the page that it calls its own, or one that says
        the same at a like address, is still to be decided; or another one has its text, or a page of
        another family its headline. Or it has not the headline that its link names, where names in
        URLs mean nothing."""
        own = own_key(item)
        if not is_asked(text) and self.slugs.deciding(f"http://{key}"):
            return True
        original = self.original(key, digest)
        if original is not None and original.is_of_run:
            return True
        family = item["provenance"].get("family", "")
        if self.store.families.titled_elsewhere(item["headline"], family)[0]:
            return True
        if own != key and (self.ledger.is_under_way(own) or self.store.families.holds(own)):
            return True
        if own != key and self.store.waiting.get(own) is not None:
            return True
        return any(True for _ in self._undecided(key, item))

    def moved_from(self, key: str, item: Item, *, asked: str) -> str | None:
        """Key of the page of an earlier run whose article the page ``key`` shows today: the one that
        was ``asked`` for and led to it, or one with the same headline and day. Most of the text must
        be the same. Or one with the same day and nearly the same text that its listing shows no
        more: headline and address were changed."""
        if self.store.items.digest(key):
            return None
        led = [asked] if asked != key else []
        titled = self.store.families.titled(item["headline"])[:_MOST_MOVED]
        for other in dict.fromkeys([*led, *titled, *self._gone_from(item["sectionUrl"])]):
            before = self.store.items.latest(other) if other != short(key) else None
            if before is None:
                continue
            share = _least_share(item, before, is_led=other in led, is_titled=other in titled)
            is_open = other in led or not self._is_there(other)
            if is_open and max(_shares(item, before)) >= share:
                return other
        return None

    def _gone_from(self, listing: str | None) -> list[str]:
        """Articles that a listing showed first and that this run may not have met; asked once, since
        the store looks for them among all that the last run met."""
        if listing is not None and listing not in self._gone:
            found = self.store.shown.gone_from(url_key(listing), most=_MOST_MOVED)
            self._gone[listing] = found
        return self._gone.get(listing or "", [])

    def _undecided(self, key: str, item: Item) -> Iterator[str]:
        """Pages at a like address whose articles wait and say the same."""
        facts = ArticleFacts.of(item)
        for other in self.store.waiting.titled(facts.headline):
            waiting = self.store.waiting.get(other) if self._are_alike(key, other) else None
            if waiting is not None and other != key and facts.is_same(waiting.record.facts):
                yield other
        for other in self._titled(key, item):
            held = self.store.families.item(other)
            if held is not None and facts.is_same(ArticleFacts.of(held)):
                yield other

    # ---- by canonical URL
    def _page_around(self, key: str, item: Item) -> str:
        """The written page that the item calls its own, or that calls the same page its own, if the
        item stands there; else empty. Forums show a thread also under the URL of each of its posts,
        with some of them. The page that its copy names is written as well where it stands in another
        folder, as that of a language does."""
        own = own_key(item)
        is_other = own != key and self.store.items.digest(own)
        whole = own if is_other else self.named.get(own, key)
        if whole == key:
            return ""
        is_named = own == key and url_pattern(f"http://{whole}") != url_pattern(f"http://{own}")
        stands_there = not is_named and _holds(self.store.items.latest(whole), item)
        return whole if stands_there else ""

    def _thread_around(self, key: str, item: Item) -> str:
        """The written thread in which an incomplete item stands as what readers said: a part of the
        thread alone, under the URL of one of its posts; else empty."""
        if Flag.INCOMPLETE not in item["provenance"].get("flags", ()):
            return ""
        for other in self.store.families.titled(item["headline"])[:_MOST_MOVED]:
            thread = self.store.items.latest(other) if other != short(key) else None
            said = [comment["text"] or "" for comment in thread["comments"] or ()] if thread else []
            if share_of(item["articleBody"], "\n".join(said)) >= _MOST:
                return other
        return ""

    def _is_variant(self, key: str, original: str, *, own: str) -> bool:
        """Whether two pages with one text have two forms of one URL: ``original`` is the URL that
        the page calls its own, has the path of ``key`` on another host of the site, or has more or
        fewer parameters, as print versions do."""
        path = key.partition("/")[2]
        twins = {own, *(f"{host}/{path}" for host in self.pages.sections)}
        clean = self.pages.parameters.clean
        is_one = clean(f"http://{key}") == clean(f"http://{original}")
        return is_one or original in map(short, twins) or _extends(original, key)

    # ---- by what the pages say
    def _titled(self, key: str, item: Item) -> list[str]:
        """Keys of other pages with the headline of an item, at addresses that are like its own."""
        found = self.store.families.titled(item["headline"])
        return [other for other in found if other != short(key) and self._are_alike(key, other)]

    def _are_alike(self, key: str, other: str) -> bool:
        return names_same(key, other) or self.slugs.are_one(f"http://{key}", f"http://{other}")

    def _is_there(self, key: str) -> bool:
        """Whether this run wrote or read a page, or met a link to it on a listing. Else its article
        may have moved."""
        return self.store.items.was_written(key) or is_of_run(self.store, key)

    def _is_twin(self, key: str, item: Item, *, other: str) -> bool:
        """Whether an item is that of another page with the same headline, day and authors, and most
        of its text. A page that calls itself the canonical one is no copy, unless it shows on one
        page what the other shows in parts."""
        known = self.store.items.latest(other)
        if known is None or not item["articleBody"].strip():
            return False
        is_own = bool(item["canonicalUrl"]) and own_key(item) == key
        is_view = bool(known["provenance"].get("parts") or item["provenance"].get("parts"))
        if is_own and not is_view:
            return False
        if not ArticleFacts.of(item).is_same(ArticleFacts.of(known)):
            return False
        shares = _shares(item, known)
        return max(shares) >= _MOST and min(shares) >= _ENOUGH

    def _is_published_again(self, item: Item, original: Original) -> bool:
        """Whether a text stands under two URLs. The URLs of sites change: then an item of an
        earlier run has the same day. A notice that is published again has another day, or none.
        Within a run, few sites publish texts twice under addresses that are not alike (one of
        92, a quarter of its articles). There most texts were known, or two families show the same,
        which the end of the crawl shows."""
        if not item["articleBody"].strip():
            return False  # they share the headline only
        if original.is_of_run:
            # whether most texts of the crawl were known
            has_no_end = self.ledger.is_over and self.stats.known > self.stats.fresh
            return has_no_end or item["provenance"].get("family") in self.copied
        before = self.store.items.latest(original.key) or item
        one, other = ArticleFacts.of(item), ArticleFacts.of(before)
        if one.day and other.day:
            return one.day == other.day
        return len(item["articleBody"]) >= _NOTICE


def _least_share(item: Item, before: Item, *, is_led: bool, is_titled: bool) -> float:
    """The share of a text that an item of an earlier run must have to be the same article; more
    than all of it if the facts tell them apart."""
    facts, known = ArticleFacts.of(item), ArticleFacts.of(before)
    if is_led or (is_titled and facts.is_same(known)):
        return _ENOUGH
    if facts.differs_in_authors(known) or len(item["articleBody"]) < _NOTICE:
        return _NEVER
    if is_titled:
        return _NEVER if facts.day or known.day else _ENOUGH
    return _MOST if facts.day and facts.day == known.day else _NEVER


def _shares(item: Item, known: Item) -> tuple[float, float]:
    """The shares of the texts of two items that stand in the other one."""
    one, other = item["articleBody"], known["articleBody"]
    return share_of(one, other), share_of(other, one)


def names_same(key: str, other: str) -> bool:
    """Whether two addresses name the same thing: the last step or a parameter of one is a step or a
    parameter of the other, or the numbers of one are among those of the other.

    >>> names_same("a.org/news/local/4100.aspx", "a.org/news/top/4100.aspx"), names_same("a.org/article41.html", "a.org/print.php?sid=41")
    (True, True)
    >>> names_same("a.org/town/a-bridge.html", "a.org/town/a-bridge/amp"), names_same("a.org/x-bridge", "a.org/x-bridge-2")
    (True, False)
    >>> names_same("a.org/t20190930_116780.html", "a.org/t20190930_116781.html")
    False
    """
    one, two = _steps(key), _steps(other)
    if not one or not two:
        return False
    if one[-1] in two or two[-1] in one:
        return True
    numbers, others = _numbers(one[-1]), _numbers(two[-1])
    return bool(numbers and others) and (numbers <= others or others <= numbers)


def _steps(key: str) -> list[str]:
    """The steps of a path and the values of its parameters, in small letters, without extensions."""
    path, _, query = key.casefold().partition("?")
    steps = [_EXTENSION.sub("", step) for step in path.split("/")[1:] if step]
    values = [pair.partition("=")[2] for pair in query.split("&")]
    return steps + [value for value in values if value]


def _numbers(step: str) -> set[str]:
    return {found[1] for word in re.findall(r"[^\W_]+", step) if (found := _NUMBER.fullmatch(word))}


def own_key(item: Item) -> str:
    return url_key(item["canonicalUrl"] or item["url"])


def _extends(one: str, other: str) -> bool:
    """Whether one of two URLs has all parameters of the other."""
    (path, _, query), (of, _, known) = one.partition("?"), other.partition("?")
    mine, theirs = set(query.split("&")), set(known.split("&"))
    return path == of and (mine - {""} <= theirs or theirs - {""} <= mine)


def _holds(whole: Item | None, item: Item) -> bool:
    """Whether an item has the headline of another one and nine tenths of its text: bulletins share
    more than half, and may name one URL as theirs."""
    if whole is None or whole["headline"] != item["headline"]:
        return False
    if ArticleFacts.of(item).is_same(ArticleFacts.of(whole)):
        return share_of(item["articleBody"], whole["articleBody"]) >= _MOST
    known = set(whole["articleBody"].split("\n"))
    others = [line for line in item["articleBody"].split("\n") if line not in known]
    return sum(map(len, others)) < (1 - _MOST) * len(item["articleBody"])
