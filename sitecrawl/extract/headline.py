"""The headline: the heading that the page's own titles confirm; else the candidate that a network
chooses."""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np

from sitecrawl.dom.blocks import BITS, HIDDEN
from sitecrawl.dom.page import Page
from sitecrawl.dom.tree import SILENT, line_below
from sitecrawl.extract import candidates
from sitecrawl.extract.candidates import HeadlineCandidate, Titles
from sitecrawl.extract.weights import BlockModel, load_model
from sitecrawl.items.kinds import Headline
from sitecrawl.resources import model_path
from sitecrawl.text.chars import word_count
from sitecrawl.text.names import squeeze

PROTOCOL = 3  # 3: without looks, links home and colons as features
_CONFIRMING = frozenset(("json-ld", "og", "title", "first part", "all but last"))
"""Sources that confirm a heading. Later parts of a title are excluded: they usually name the
section or the site."""


class HeadlineSearch:
    """The headlines of a page, each step computed once; ``anchor`` is the text of the link to the
    page, if known. Raises ModelError if the shipped model cannot be read."""

    def __init__(self, page: Page, anchor: str = "") -> None:
        self.page, self.anchor = page, anchor

    @cached_property
    def best(self) -> Headline:
        """The headline; its text is None if the page has neither title nor heading nor text."""
        document, number = self.page.document, self._confirmed
        if number >= 0:
            node = document.nodes[number]
            return Headline(
                line_below(node, silent=SILENT), document.tags[number], number, node, 1.0
            )
        found, scores = self._scored
        return (
            self._as_headline(found[int(np.argmax(scores))], max(scores))
            if found
            else Headline(None, "")
        )

    def likely(self, *, most: int = 8, confirmed: float = 0.9) -> list[Headline]:
        """The ``most`` most likely headlines, best first, with scores that sum to at most 1, for a
        vote of several pages. A confirmed heading has at least the score ``confirmed``."""
        found, scores = self._scored
        is_confirmed = [candidate.element == self._confirmed >= 0 for candidate in found]
        if any(is_confirmed):
            pairs = zip(is_confirmed, scores, strict=True)
            scores = [confirmed * is_this + (1 - confirmed) * score for is_this, score in pairs]
        best = sorted(range(len(found)), key=lambda at: -scores[at])[:most]
        return [self._as_headline(found[at], scores[at]) for at in best]

    @cached_property
    def _titles(self) -> Titles:
        return candidates.titles_of(self.page)

    @cached_property
    def _confirmed(self) -> int:
        return confirmed_heading(self.page, self._titles)

    @cached_property
    def _scored(self) -> tuple[list[HeadlineCandidate], list[float]]:
        """The candidates of the page and the probability of each, summing to 1."""
        found = candidates.candidates_of(self.page, self._titles)
        if not found:
            return [], []
        features = candidates.headline_features(
            self.page, found, titles=self._titles, anchor=self.anchor
        )
        logits = headline_model().logits(features)
        belief = np.exp(logits - logits.max())
        return found, (belief / belief.sum()).tolist()

    def _as_headline(self, found: HeadlineCandidate, score: float) -> Headline:
        if found.element < 0:
            return Headline(
                found.text, "json-ld" if found.source == "json-ld" else "meta", score=score
            )
        node = self.page.document.nodes[found.element]
        line = line_below(node, silent=SILENT)  # has blanks where boxes meet
        text = line if squeeze(line) == squeeze(found.text) else found.text
        return Headline(text, found.source, found.element, node, score)


def confirmed_heading(
    page: Page, titles: Titles, *, least_chars: int = 4, least_words: int = 3, most_runs: int = 12
) -> int:
    """Number of the first heading of the first four levels whose text is a title of the page; -1 if
    there is none, or if such headings differ in text. A heading with fewer letters or words than
    the bounds may name the site or a section. One with more than ``most_runs`` runs of text is no
    headline. The network agrees on nearly all pages; this saves the time of two parses."""
    document, name = page.document, squeeze(page.metadata.first("og:site_name") or "")
    found: dict[str, int] = {}
    for number in document.headings:
        if 0 < document.last[number] - document.first[number] <= most_runs:
            short = squeeze(document.text(number))
            titled = not _CONFIRMING.isdisjoint(titles.sources.get(short, ()))
            if (
                titled
                and len(short) >= least_chars
                and short != name
                and not _is_logo(page, number)
            ):
                found.setdefault(short, number)
    first = next(iter(found.values()), -1)
    return first if len(found) == 1 and word_count(document.text(first)) >= least_words else -1


def _is_logo(page: Page, number: int) -> bool:
    """Whether a heading is hidden, in a menu, or a link to the front page."""
    if int(page.document.above[number]) & (HIDDEN | BITS["nav"]):
        return True
    node = page.document.nodes[number]
    link = next(
        (link for links in (node.iter("a"), node.iterancestors("a")) for link in links), None
    )
    return link is not None and candidates.leads_home(page, link)


@lru_cache(maxsize=1)
def headline_model() -> BlockModel:
    return load_model(
        model_path("headline.npz"),
        PROTOCOL,
        trainer="train_headline",
        features=len(candidates.NAMES),
    )
