"""Links met before on a site. What a link leads to does not depend on the page that it stands on: on a page whose links were all
classified before, each is looked up, and neither its place nor its features are read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from lxml import etree

from sitecrawl.dom.page import Page
from sitecrawl.dom.tree import build_tree
from sitecrawl.limits import LIMITS
from sitecrawl.links.link_features import is_of_site, names_page
from sitecrawl.links.url_facts import url_facts
from sitecrawl.urls.canonical import join


class Known(NamedTuple):
    """A link as it was classified last: the probabilities by the model alone (empty where it leads to no page of the site), its tag
    path, whether it turns pages, and whether it is in a menu."""

    guess: tuple[float, ...]
    group: str
    turns: bool
    menu: bool


NOWHERE = Known((), "", False, False)
"""A link that leads to no page of the site."""


class Written(NamedTuple):
    """A link of a page as it is written."""

    href: str
    url: str
    text: str


@dataclass(slots=True)
class KnownLinks:
    """Links of one site by URL, as one model guesses them. They live as long as the process; a new run reads its pages anew."""

    model: object = None
    by_url: dict[str, Known] = field(default_factory=dict)

    def learn(self, model: object, links: Sequence[tuple[str, Known]]) -> None:
        """The links of a page were classified by ``model``."""
        if model is not self.model or len(self.by_url) > LIMITS.linked_pages:
            self.model = model
            self.by_url.clear()
        self.by_url.update(links)

    def recall(self, page: Page, model: object) -> list[tuple[Written, Known]] | None:
        """The links of a page in document order, None where one of them is new."""
        if model is not self.model:
            return None
        domain = url_facts(page.url).domain
        by_href: dict[str, tuple[str, Known]] = {}
        found: list[tuple[etree._Element, str]] = []
        for anchor in page.root.iter("a"):
            href = anchor.get("href")
            if href is None:
                continue
            if href not in by_href:
                url = join(page.base_url, href)
                known = self.by_url.get(url) if names_page(href) else NOWHERE
                if known is None:
                    if is_of_site(url, domain):
                        return None
                    known = NOWHERE
                by_href[href] = url, known
            found.append((anchor, href))
        if len(found) > LIMITS.links:
            return None
        return [(Written(href, by_href[href][0], _text(anchor)), by_href[href][1]) for anchor, href in found]


def _text(anchor: etree._Element) -> str:
    return build_tree(anchor).text(0) if len(anchor) else " ".join((anchor.text or "").split())
