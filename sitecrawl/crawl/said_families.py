"""A person's decisions about a site's page families. They are stored with the site and obeyed by crawls and by the common feed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from sitecrawl.crawl.decisions import FamilyGate
from sitecrawl.crawl.site_models import site_of
from sitecrawl.crawl.store import CrawlStore, SiteStore, Stores
from sitecrawl.site.model import SiteModel
from sitecrawl.site.page_families import DEFAULT_KINDS, Say


@dataclass(frozen=True, slots=True)
class SaidFamilies:
    """The page families of one site and what was said of them."""

    state: CrawlStore
    learned: SiteStore
    model: SiteModel

    @classmethod
    @contextmanager
    def of(cls, stores: Stores, site: str) -> Iterator[SaidFamilies]:
        """The families of a site while its stores are open. Raises TemplateError if the site is unknown."""
        with closing(stores.learned()) as learned:
            model = site_of(learned, site)
            with closing(stores.crawl(site)) as state:
                yield cls(state, learned, model)

    def table(self) -> list[dict[str, Any]]:
        """The families as JSON, ordered by the number of pages that an answer is likely to change."""
        return FamilyGate(self.state.families, DEFAULT_KINDS, self.model.said).table()

    def say(self, words: dict[str, Say | None]) -> None:
        """Store decisions about families, by name; None removes one."""
        self.model.said |= {name: word for name, word in words.items() if word}
        for name in [name for name, word in words.items() if word is None]:
            self.model.said.pop(name, None)
        if words:
            self.learned.save(self.model.site, self.model.to_dict())

    def release(self) -> None:
        """Release the withheld items of the families that a person keeps. They belong to no run."""
        families = self.state.families
        with self.state.at_once():
            for name in (name for name, word in self.model.said.items() if word is Say.KEEP):
                for key, item, digest in list(families.withheld(name)):
                    self.state.leave(key, item, digest=digest)
                    families.release(key)
