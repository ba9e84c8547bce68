"""Links met before on a site. What a link leads to does not depend on the page that it stands on: on a page whose links were all
classified before, each is looked up, and neither its place nor its features are read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from lxml import etree

from sitecrawl.dom.page import Page
from sitecrawl.dom.tree import SILENT, build_tree
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


_LARGE = 64
"""Elements of a link from which it is read with the rest of its page: links that hold one another would be read again and again."""
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
        anchors = [(anchor, href) for anchor in page.root.iter("a") if (href := anchor.get("href")) is not None]
        by_href: dict[str, tuple[str, Known]] = {}
        for href in dict.fromkeys(href for _, href in anchors):
            url = join(page.base_url, href)
            known = self.by_url.get(url) if names_page(href) else NOWHERE
            if known is None and is_of_site(url, domain):
                return None
            by_href[href] = url, known or NOWHERE
        texts = [_text(anchor) for anchor, _ in anchors[: LIMITS.links]]
        found = [
            (Written(href, by_href[href][0], text), by_href[href][1])
            for (_, href), text in zip(anchors, texts, strict=False)
            if text is not None
        ]
        return found if len(found) == len(anchors) else None


def _text(anchor: etree._Element) -> str | None:
    """Text of a link as the tree of its page has it; None of one that holds so much that the tree is the place to read it."""
    if not len(anchor):
        return " ".join((anchor.text or "").split())
    inner = list(islice(anchor.iter("*"), _LARGE))
    if len(inner) == _LARGE:
        return None
    if any(node.tag in SILENT for node in inner):
        return build_tree(anchor).text(0)
    return " ".join(" ".join(anchor.itertext()).split())
