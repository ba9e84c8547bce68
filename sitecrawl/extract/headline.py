"""The headline: the heading that the page's own titles confirm; else the candidate that a network chooses."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from sitecrawl.dom.blocks import BITS, HIDDEN
from sitecrawl.dom.tree import HEADINGS
from sitecrawl.extract.candidates import (
    NAMES,
    HeadlineCandidate,
    Titles,
    candidates_of,
    headline_features,
    leads_home,
    titles_of,
)
from sitecrawl.extract.features import View
from sitecrawl.extract.weights import BlockModel, load_model
from sitecrawl.items.kinds import Headline
from sitecrawl.resources import model_path
from sitecrawl.text.chars import word_count
from sitecrawl.text.names import squeeze

PROTOCOL = 3  # 3: without looks, links home and colons as features
_CONFIRMING = frozenset(("json-ld", "og", "title", "first part", "all but last"))
"""Sources that confirm a heading. Later parts of a title are excluded: they usually name the section or the site."""


def find_headline(view: View, anchor: str = "") -> Headline:
    """The headline of a page; ``anchor`` is the text of the link to it, if known. Its text is None if the page has neither title nor heading nor
    text. Raises ModelError if the shipped model cannot be read."""
    titles = titles_of(view)
    number = confirmed_heading(view, titles)
    if number >= 0:
        return Headline(view.tree.text(number), view.tree.tags[number], number, view.tree.nodes[number], 1.0)
    found, scores = _scored(view, titles, anchor=anchor)
    return _as_headline(view, found[int(np.argmax(scores))], score=max(scores)) if found else Headline(None, "")


def likely_headlines(view: View, anchor: str = "", *, most: int = 8, confirmed: float = 0.9) -> list[Headline]:
    """The ``most`` most likely headlines of a page, best first, with scores that sum to at most 1, for a vote of several pages. A confirmed heading
    has at least the score ``confirmed``. Raises ModelError as ``find_headline``."""
    titles = titles_of(view)
    found, scores = _scored(view, titles, anchor=anchor)
    number = confirmed_heading(view, titles)
    if any(one.element == number for one in found if number >= 0):
        scores = [
            confirmed * (one.element == number) + (1 - confirmed) * score
            for one, score in zip(found, scores, strict=True)
        ]
    best = sorted(range(len(found)), key=lambda at: -scores[at])[:most]
    return [_as_headline(view, found[at], score=scores[at]) for at in best]


def _scored(view: View, titles: Titles, *, anchor: str) -> tuple[list[HeadlineCandidate], list[float]]:
    """The candidates of a page and the probability of each, summing to 1, computed once."""
    if anchor not in view.scored:
        found, scores = candidates_of(view, titles), list[float]()
        if found:
            logits = headline_model().logits(headline_features(view, found, titles=titles, anchor=anchor))
            belief = np.exp(logits - logits.max())
            scores = (belief / belief.sum()).tolist()
        view.scored[anchor] = found, scores
    scored: tuple[list[HeadlineCandidate], list[float]] = view.scored[anchor]
    return scored


def _as_headline(view: View, one: HeadlineCandidate, *, score: float) -> Headline:
    if one.element < 0:
        return Headline(one.text, "json-ld" if one.source == "json-ld" else "meta", score=score)
    return Headline(one.text, one.source, one.element, view.tree.nodes[one.element], score)


def confirmed_heading(
    view: View, titles: Titles, *, least_chars: int = 4, least_words: int = 3, most_runs: int = 12
) -> int:
    """Number of the first heading of the first four levels whose text is a title of the page; -1 if there is none, or if there are several with other
    texts. Headings with fewer letters or words than the bounds may name the site or a section; one with more than ``most_runs`` runs of text is no
    headline. The network agrees on nearly all pages; this saves the time of two parses."""
    tree, name = view.tree, squeeze(view.page.metadata.first("og:site_name") or "")
    found: dict[str, int] = {}
    for number in sorted(number for tag in HEADINGS[:4] for number in tree.tagged.get(tag, ())):
        if 0 < tree.last[number] - tree.first[number] <= most_runs:
            short = squeeze(tree.text(number))
            titled = not _CONFIRMING.isdisjoint(titles.sources.get(short, ()))
            if titled and len(short) >= least_chars and short != name and not _is_logo(view, number):
                found.setdefault(short, number)
    first = next(iter(found.values()), -1)
    return first if len(found) == 1 and word_count(tree.text(first)) >= least_words else -1


def _is_logo(view: View, number: int) -> bool:
    """Whether a heading is hidden, in a menu, or a link to the front page."""
    if int(view.layout.above[number]) & (HIDDEN | BITS["nav"]):
        return True
    node = view.tree.nodes[number]
    link = next((link for links in (node.iter("a"), node.iterancestors("a")) for link in links), None)
    return link is not None and leads_home(view, link)


@lru_cache(maxsize=1)
def headline_model() -> BlockModel:
    """The shipped model, read once."""
    return load_model(model_path("headline.npz"), PROTOCOL, trainer="train_headline", features=len(NAMES))
