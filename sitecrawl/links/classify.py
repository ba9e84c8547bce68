"""Links of a page, classified: the one verb of this room."""

from __future__ import annotations

import numpy as np

from sitecrawl.dom.page import Page
from sitecrawl.links.facts import PageFacts, page_facts
from sitecrawl.links.features import Targets, target_features
from sitecrawl.links.groups import Matrix
from sitecrawl.links.link import LABELS, Link
from sitecrawl.links.model import LinkModel
from sitecrawl.links.pagination import links_that_turn
from sitecrawl.links.profile import Profile
from sitecrawl.links.store import shipped_model

NO_PAGE = np.array([[0.0, 0.0, 1.0]], np.float32)
"""Probabilities of a link that leads to no page of the web (``#top``, ``javascript:``, ``mailto:``)."""


def classify(page: Page, model: LinkModel | None = None, profile: Profile | None = None) -> list[Link]:
    """Every ``<a href>`` of a page in document order with its label; links to one URL share it.

    ``model`` is the shipped one unless given; ``profile`` adds what fetched links of this site turned out to be.
    Raises ModelError when the shipped model is missing or damaged.
    """
    facts = page_facts(page)
    targets = target_features(facts)
    guess = (model or shipped_model()).probabilities(targets)
    found = profile.adapt(guess, groups_of(facts, targets), targets.facts) if profile else guess
    return links_of(facts, targets, guess, found)


def groups_of(facts: PageFacts, targets: Targets) -> list[str]:
    """Tag path of the link that stands for each target."""
    path = facts.column("path")
    return [facts.paths[path[link]] for link in targets.first.tolist()]


def links_of(facts: PageFacts, targets: Targets, guess: Matrix, found: Matrix) -> list[Link]:
    """Link records from the probabilities of the targets, targets x 3: the model's, and with what the site taught."""
    rows, guesses = np.vstack([found, NO_PAGE]), list(map(tuple, np.vstack([guess, NO_PAGE]).tolist()))
    scores = [{"article": article, "section": section, "other": other} for article, section, other in rows.tolist()]
    labels = [LABELS[place] for place in rows.argmax(axis=1).tolist()]
    of, turning = targets.of.tolist(), links_that_turn(facts, targets).tolist()
    columns = zip(facts.urls, facts.texts, of, facts.column("path").tolist(), facts.hrefs, turning, strict=True)
    return [
        Link(
            url,
            text,
            labels[at],
            scores[at][labels[at]],
            scores[at],
            facts.paths[path],
            href,
            turns and labels[at] == "section",
            guesses[at],
        )
        for url, text, at, path, href, turns in columns
    ]
