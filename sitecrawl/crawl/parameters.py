"""What the parameters of a site's URLs mean, learned from its own pages. Lists of names are the prior
for the first pages only: ``sid`` is a session on one site and the number of a story on another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS
from sitecrawl.urls.canonical import clean_url, doubtful_names, url_key, without_parameter
from sitecrawl.urls.pattern import PAGE_KEYS

_ENOUGH = 3  # links, or pages, that agree; two may do so by chance


class Meaning(NamedTuple):
    """Names of parameters, in small letters: those that tell pages apart (``identity``) although
    lists call them sessions or tracking, and those that tell nothing (``noise``) though no list
    names them."""

    identity: frozenset[str] = frozenset()
    noise: frozenset[str] = frozenset()


@dataclass(slots=True)
class Parameters:
    """What a site taught of its parameters."""

    meaning: Meaning = field(default_factory=Meaning)
    _unnamed: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Canonical URLs of articles, by the parameter that their own URLs had besides."""

    def clean(self, url: str) -> str:
        """The URL to request, without parameters that tell nothing."""
        identity, noise = self.meaning
        return clean_url(url, identity=identity, noise=noise)

    def learn_links(self, links: Iterable[tuple[str, str]]) -> bool:
        """Learn from the links of one page, URL and text of each: a parameter is identity where
        different values stand beside different texts, and the rest of the URL is the same for most
        of them. Returns whether something new was learned."""
        found = defaultdict[str, list[tuple[str, str]]](list)
        for url, text in links:
            if "?" in url:
                for name in doubtful_names(url) - self.meaning.identity:
                    found[name].append((url, text))
        told = {name for name, pairs in found.items() if _tells_pages_apart(name, pairs)}
        if told:
            identity, noise = self.meaning
            self.meaning = Meaning(identity | told, noise - told)
        return bool(told)

    def learn_canonical(self, url: str, canonical: str, *, kind: PageKind) -> set[str]:
        """Learn from an article that names its own URL without a parameter; enough different
        articles must agree. Returns the URLs without it of the articles that were read."""
        if not kind.is_article or "?" not in url or canonical == url:
            return set()
        names = _left_out(url, canonical)
        if not names or names & PAGE_KEYS or len(self._unnamed) >= LIMITS.listings:
            return set()
        if names <= self.meaning.noise:
            return {canonical}
        found = set[str]()
        for name in names - self.meaning.noise:
            self._unnamed[name].add(canonical)
            if len(self._unnamed[name]) >= _ENOUGH:
                self.meaning = self.meaning._replace(noise=self.meaning.noise | {name})
                found |= self._unnamed.pop(name)
        return found

    def to_dict(self) -> dict[str, list[str]]:
        return {name: sorted(names) for name, names in self.meaning._asdict().items()}

    def restore(self, stored: Mapping[str, Iterable[str]]) -> None:
        identity, noise = stored.get("identity", ()), stored.get("noise", ())
        self.meaning = Meaning(frozenset(identity), frozenset(noise))


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


def _names(url: str) -> frozenset[str]:
    """The names of the parameters of a URL, in small letters."""
    query = url.partition("#")[0].partition("?")[2]
    return frozenset(pair.partition("=")[0].casefold() for pair in query.split("&") if pair)
