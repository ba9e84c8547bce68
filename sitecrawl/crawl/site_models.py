"""The site models that a process uses, and a person's decisions about page families, read from the template store and written back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sitecrawl.crawl.decisions import PageFamilyGate
from sitecrawl.crawl.store import CrawlStore, SiteStore, Stores
from sitecrawl.errors import OTHER_SITE, UnknownSiteError
from sitecrawl.site.model import SiteModel
from sitecrawl.site.page_families import DEFAULT_KINDS, Choice


@dataclass
class Sites:
    """Site models by name. ``method`` is the single-page extractor, ``today`` (ISO date) dates new template versions."""

    store: SiteStore
    method: str = "ensemble"
    today: str = field(default_factory=lambda: datetime.now(UTC).date().isoformat())
    models: dict[str, SiteModel] = field(default_factory=dict)

    def model(self, name: str) -> SiteModel:
        """The model of a site, or a new one. Raises TemplateError if the stored one is damaged."""
        if name not in self.models:
            self.models[name] = model_of(self.store, name, today=self.today, method=self.method)
        return self.models[name]

    def save(self, name: str) -> None:
        """Write down what is known of a site; what a person changed in the store meanwhile is taken over."""
        with self.store.alone(name) as was_changed:
            if was_changed:
                self.models[name].obey(site_of(self.store, name))
            self.store.save(name, self.models[name].to_dict())

    def close(self) -> None:
        """Store all models and close the store."""
        for name in self.models:
            self.save(name)
        self.store.close()


def model_of(store: SiteStore, site: str, *, today: str = "", method: str = "ensemble") -> SiteModel:
    """The stored model of a site, or an empty one. Raises TemplateError if the stored one is damaged."""
    kept = store.load(site)
    return SiteModel.from_dict(kept, today, method=method) if kept else SiteModel(site, today, method=method)


def site_of(store: SiteStore, site: str) -> SiteModel:
    """The stored model of a site. Raises UnknownSiteError if there is none."""
    document = store.load(site)
    if document is None:
        raise UnknownSiteError(site, f"no such site in {store.place}", OTHER_SITE)
    return SiteModel.from_dict(document)


@dataclass(frozen=True, slots=True)
class JudgedFamilies:
    """The page families of one site, and the user's choices for them."""

    state: CrawlStore
    learned: SiteStore
    model: SiteModel

    @classmethod
    @contextmanager
    def of(cls, stores: Stores, site: str) -> Iterator[JudgedFamilies]:
        """The families of a site while its stores are open. Raises TemplateError if the site is unknown."""
        with closing(stores.learned()) as learned:
            model = site_of(learned, site)
            with closing(stores.crawl(site)) as state:
                yield cls(state, learned, model)

    def table(self) -> list[dict[str, Any]]:
        """The families as JSON, ordered by the number of pages that an answer is likely to change."""
        return PageFamilyGate(self.state.families, DEFAULT_KINDS, self.model.choices).table()

    def store_choices(self, choices: dict[str, Choice | None]) -> None:
        """Store the user's choices for families, by name; None removes one."""
        self.model.choices = {name: choice for name, choice in (self.model.choices | choices).items() if choice}
        if choices:
            self.learned.save(self.model.site, self.model.to_dict())

    def release(self) -> None:
        """Write the withheld items of the families that the user keeps. They belong to no run."""
        with self.state.at_once():
            for name, choice in self.model.choices.items():
                for key, item, digest in list(self.state.families.withheld(name)) if choice is Choice.KEEP else ():
                    self.state.write_article(key, item, digest=digest)
                    self.state.families.release(key)
