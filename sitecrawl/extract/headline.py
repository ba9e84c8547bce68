"""The headline: a lone first-level heading that the page's own titles confirm; else what a network chooses among all candidates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from lxml import etree

from sitecrawl.dom.blocks import BITS, HIDDEN
from sitecrawl.extract.candidates import (
    NAMES,
    Candidate,
    Titles,
    candidates_of,
    ground_of,
    headline_features,
    leads_home,
    titles_of,
)
from sitecrawl.extract.features import View
from sitecrawl.extract.weights import BlockModel, load_model
from sitecrawl.resources import model_path
from sitecrawl.text.chars import word_count
from sitecrawl.text.names import squeeze

PROTOCOL = 2
"""2: furniture of the site as features."""
_CONFIRMING = frozenset(("json-ld", "og", "title", "first part"))
"""Sources that confirm a lone heading. On 1,700 pages of sites and corpora with such a heading it was the headline, except where the truth is another title."""
_HEADINGS = ("h1", "h2", "h3", "h4")
_LEAST = 4
"""Fewest letters and digits of a heading that can be confirmed: shorter ones may be menus or logos."""
_WORDS = 4
"""Fewest words of a heading that is confirmed where it is no lone one of the first level."""
_SURE = 0.9
"""Score of a confirmed heading among several."""
_LIKELY = 8
"""Headlines of a page among which several pages decide."""
_MOST = 12
"""Runs of text of the heading that can be the headline."""


@dataclass(frozen=True, slots=True)
class Headline:
    """Text, where it came from, its element's number and node (-1 and None when metadata gave it), and a score, 0..1."""

    text: str | None
    origin: str
    element: int = -1
    node: etree._Element | None = None
    score: float = 0.0


def find_headline(view: View, anchor: str = "") -> Headline:
    """The headline of a page; ``anchor`` is the text of the link that led to it, where known.

    Its text is None when the page has neither title nor heading nor text. Raises ModelError when the shipped model cannot be read.
    """
    titles = titles_of(view)
    number = _confirmed(view, titles)
    number = number if number >= 0 else _titled(view, titles)
    if number >= 0:
        return Headline(view.tree.text(number), view.tree.tags[number], number, view.tree.nodes[number], 1.0)
    found, scores = _scored(view, titles, anchor)
    if not found:
        return Headline(None, "")
    return _as_headline(view, found[int(np.argmax(scores))], max(scores))


def likely_headlines(view: View, anchor: str = "") -> list[Headline]:
    """The likeliest headlines of a page, best first, with scores that sum to at most 1. Raises ModelError as ``find_headline``."""
    titles = titles_of(view)
    found, scores = _scored(view, titles, anchor)
    if not found:
        return []
    number = _confirmed(view, titles)
    if any(one.element == number for one in found if number >= 0):
        scores = [
            _SURE * (one.element == number) + (1 - _SURE) * score for one, score in zip(found, scores, strict=True)
        ]
    best = sorted(range(len(found)), key=lambda at: -scores[at])[:_LIKELY]
    return [_as_headline(view, found[at], scores[at]) for at in best]


def _scored(view: View, titles: Titles, anchor: str) -> tuple[list[Candidate], list[float]]:
    """The candidates of a page and their scores, computed once."""
    if anchor not in view.scored:
        found = candidates_of(view, titles)
        view.scored[anchor] = found, headline_scores(view, found, (titles, anchor)) if found else []
    scored: tuple[list[Candidate], list[float]] = view.scored[anchor]
    return scored


def headline_scores(view: View, found: list[Candidate], given: tuple[Titles, str]) -> list[float]:
    """Probability of each candidate, summing to 1; ``given`` are the titles and the text of the link."""
    logits = headline_model().logits(headline_features(view, found, ground_of(view, *given)))
    belief = np.exp(logits - logits.max())
    shares: list[float] = (belief / belief.sum()).tolist()
    return shares


def _as_headline(view: View, one: Candidate, score: float) -> Headline:
    if one.element < 0:
        return Headline(one.text, "json-ld" if one.source == "json-ld" else "meta", score=score)
    return Headline(one.text, one.source, one.element, view.tree.nodes[one.element], score)


def _confirmed(view: View, titles: Titles) -> int:
    """Number of the one ``h1`` that does not lead home, where a title is its text and not the site's name; -1 without one."""
    tree = view.tree
    found = [
        number
        for number, tag in enumerate(tree.tags)
        if tag == "h1" and tree.first[number] < tree.last[number] and not _is_logo(view, number)
    ]
    return found[0] if len(found) == 1 and _is_title(view, titles, found[0]) else -1


def _titled(view: View, titles: Titles) -> int:
    """Number of the one heading of any level that is confirmed as :func:`_confirmed` says, -1 where there are none or several.

    The network nearly always chooses the same text, and costs as much as two parses. Shorter headings may name the site or a section.
    """
    tree = view.tree
    found = [
        number for number, tag in enumerate(tree.tags) if tag in _HEADINGS and tree.first[number] < tree.last[number]
    ]
    told = [number for number in found if _is_title(view, titles, number) and not _is_logo(view, number)]
    return told[0] if len(told) == 1 and word_count(tree.text(told[0])) >= _WORDS else -1


def _is_title(view: View, titles: Titles, number: int) -> bool:
    """Whether a title of the page is the text of an element and not the site's name."""
    if view.tree.last[number] - view.tree.first[number] > _MOST:
        return False
    short = squeeze(view.tree.text(number))
    name = squeeze(view.page.metadata.first("og:site_name") or "")
    return len(short) >= _LEAST and short != name and not _CONFIRMING.isdisjoint(titles.sources.get(short, ()))


def _is_logo(view: View, number: int) -> bool:
    """Whether a heading is hidden, a part of the menu, or leads home."""
    if int(view.layout.above[number]) & (HIDDEN | BITS["nav"]):
        return True
    node = view.tree.nodes[number]
    link = next(node.iter("a"), None)
    link = link if link is not None else next(node.iterancestors("a"), None)
    return link is not None and leads_home(view, link)


@lru_cache(maxsize=1)
def headline_model() -> BlockModel:
    """The shipped model, read once."""
    return load_model(model_path("headline.npz"), PROTOCOL, "train_headline", len(NAMES))
