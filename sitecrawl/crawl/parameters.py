"""What the parameters of a site's URLs mean, learned from its own pages. Lists of names are the prior
for the first pages only: ``sid`` is a session on one site and the number of a story on another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS
from sitecrawl.urls.canonical import clean_url, doubtful_names, url_key, without_parameter
from sitecrawl.urls.pattern import PAGE_KEYS

_HEADLINE = 16  # characters; shorter texts of links, such as years, name many pages
_ENOUGH = 3  # links, or pages, that agree; two may do so by chance


class Meaning(NamedTuple):
    """Names of parameters, in small letters: those that tell pages apart (``identity``) although
    lists call them sessions or tracking, and those that tell nothing (``noise``) though no list
    names them. Of ``idle`` ones among these it is not known whether the server needs them."""

    identity: frozenset[str] = frozenset()
    noise: frozenset[str] = frozenset()
    idle: frozenset[str] = frozenset()

    def clean(self, url: str) -> str:
        """The URL that names a page, without parameters that tell nothing."""
        return clean_url(url, identity=self.identity, noise=self.noise)

    def written(self, url: str) -> str:
        """The URL to request where it is another one than the clean URL; else empty."""
        if self.idle.isdisjoint(_names(url)):
            return ""
        return clean_url(url, identity=self.identity, noise=self.noise - self.idle)


@dataclass(slots=True)
class Parameters:
    """What a site taught of its parameters."""

    meaning: Meaning = field(default_factory=Meaning)
    _apart: set[str] = field(default_factory=set)
    """Names, listed or not, that told pages apart on a page of this run."""
    _unnamed: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """URLs without a parameter of articles that it made no difference for, by its name."""

    def clean(self, url: str) -> str:
        return self.meaning.clean(url)

    def written(self, url: str) -> str:
        return self.meaning.written(url)

    def learn_links(self, links: Iterable[tuple[str, str]]) -> bool:
        """Learn from the links of one page, URL and text of each: a parameter is identity where
        different values stand beside different texts, and the rest of the URL is the same for most
        of them; it is noise where each text stands beside several values. Returns whether
        something new was learned."""
        found = defaultdict[str, list[tuple[str, str]]](list)
        doubtful = set[str]()
        for url, text in links:
            if "?" in url:
                doubtful |= doubtful_names(url)
                for name in _names(url):
                    found[name].append((url, text))
        told = {name for name, pairs in found.items() if _tells_pages_apart(name, pairs)}
        self._apart |= told
        others = found.keys() - self._apart - PAGE_KEYS
        idle = {name for name in others if _tells_nothing(name, found[name])}
        return self._learn(identity=told & doubtful, noise=idle, idle=idle)

    def learn_canonical(self, url: str, canonical: str, *, kind: PageKind) -> bool:
        """Learn from an article that names its own URL without a parameter; enough different
        articles must agree. Returns whether something new was learned."""
        if not kind.is_article or "?" not in url or canonical == url:
            return False
        names = _left_out(url, canonical)
        agreed = self._agreed(names, canonical)
        return self._learn(noise=agreed)

    def learn_copy(self, url: str, other: str) -> bool:
        """Learn from two URLs of one article, that differ in parameters only; enough different
        articles must agree. Returns whether something new was learned."""
        names = _differing(url, other)
        if not names or names & self._apart:
            return False
        for name in names:
            url = without_parameter(url, name)
        agreed = self._agreed(names, url)
        return self._learn(noise=agreed, idle=agreed - self.meaning.noise)

    def _agreed(self, names: Collection[str], page: str) -> set[str]:
        """Count a ``page`` for which parameters make no difference; those of them for which there
        are enough."""
        if not PAGE_KEYS.isdisjoint(names) or len(self._unnamed) >= LIMITS.listings:
            return set()
        for name in names:
            self._unnamed[name].add(page)
        return {name for name in names if len(self._unnamed[name]) >= _ENOUGH}

    def _learn(
        self, *, noise: Set[str], identity: Set[str] = frozenset(), idle: Set[str] = frozenset()
    ) -> bool:
        """Add names to the meaning; what tells pages apart is no noise."""
        before = self.meaning
        told = before.identity | identity
        self.meaning = Meaning(told, (before.noise | noise) - told, (before.idle | idle) - told)
        return self.meaning != before

    def to_dict(self) -> dict[str, list[str]]:
        return {name: sorted(names) for name, names in self.meaning._asdict().items()}

    def restore(self, stored: Mapping[str, Iterable[str]]) -> None:
        names = (frozenset(stored.get(name, ())) for name in Meaning._fields)
        self.meaning = Meaning(*names)


def _tells_pages_apart(name: str, links: list[tuple[str, str]]) -> bool:
    """Whether most links that differ in a parameter only have texts of their own.

    >>> _tells_pages_apart("sid", [(f"http://a.example/read?sid={n:016x}", f"Story {n}") for n in range(3)])
    True
    >>> _tells_pages_apart("sid", [(f"http://a.example/{n}?sid={n:016x}", f"Story {n}") for n in range(3)])
    False
    """
    texts = defaultdict[str, dict[str, str]](dict)
    for url, text in links:
        texts[without_parameter(url, name)][url] = " ".join(text.split())
    known = max(texts.values(), key=len)
    others = set(known.values()) - {""}
    is_most = 2 * len(known) >= sum(map(len, texts.values()))
    return is_most and len(others) >= _ENOUGH


def _tells_nothing(name: str, links: list[tuple[str, str]]) -> bool:
    """Whether each of enough headlines stands beside several values of a parameter.

    >>> links = [(f"http://a.example/{n}?place={place}", f"The bridge number {n} opens") for n in range(3) for place in "ab"]
    >>> _tells_nothing("place", links), _tells_nothing("id", [(f"http://a.example/?id={n}", "Read the whole story") for n in range(9)])
    (True, False)
    """
    urls = defaultdict[str, set[str]](set)
    texts = defaultdict[str, set[str]](set)
    for url, text in links:
        if len(text) >= _HEADLINE:
            page = without_parameter(url, name)
            urls[page].add(url)
            texts[page].add(" ".join(text.split()))
    repeated = {texts[page].pop() for page in urls if len(urls[page]) > 1 == len(texts[page])}
    return len(repeated) >= _ENOUGH


def _left_out(url: str, canonical: str) -> frozenset[str]:
    """The names of the parameters that a URL has and its canonical URL lacks; none if they differ
    otherwise.

    >>> sorted(_left_out("http://a.example/story?id=7&ctx=1&at=top", "http://a.example/story?id=7"))
    ['at', 'ctx']
    >>> sorted(_left_out("http://a.example/story?id=7", "http://a.example/"))
    []
    """
    names = _names(url) - _names(canonical)
    plain = url
    for name in names:
        plain = without_parameter(plain, name)
    return names if url_key(plain) == url_key(canonical) else frozenset()


def _differing(url: str, other: str) -> frozenset[str]:
    """The names of the parameters in which two URLs differ; none if they differ otherwise.

    >>> sorted(_differing("http://a.example/?id=7&item=3", "http://a.example/?id=7&item=9"))
    ['item']
    """
    path, _, query = url.partition("?")
    of, _, known = other.partition("?")
    pairs = set(query.split("&")) ^ set(known.split("&"))
    names = {pair.partition("=")[0].casefold() for pair in pairs if pair}
    return frozenset(names) if path == of else frozenset()


def _names(url: str) -> frozenset[str]:
    """The names of the parameters of a URL, in small letters."""
    query = url.partition("#")[0].partition("?")[2]
    return frozenset(pair.partition("=")[0].casefold() for pair in query.split("&") if pair)
