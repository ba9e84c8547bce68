"""The site models that a process uses, read from the template store and written back."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from sitecrawl.crawl.store import SiteStore
from sitecrawl.errors import OTHER_SITE, UnknownSiteError
from sitecrawl.site.model import SiteModel


@dataclass
class Sites:
    """Site models by name. ``method`` is the single-page extractor, ``today`` (ISO date) dates new
    template versions."""

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
        """Write down what is known of a site; what a person changed in the store meanwhile is taken
        over, and a site that was forgotten stays so."""
        with self.store.alone(name) as was_changed:
            if was_changed:
                self.models[name].obey(site_of(self.store, name))
            if was_changed is not None:
                self.store.save(name, self.models[name].to_dict())

    def close(self, *, saves: bool = True) -> None:
        """Store all models and close the store."""
        for name in self.models if saves else ():
            self.save(name)
        self.store.close()


def model_of(
    store: SiteStore, site: str, *, today: str = "", method: str = "ensemble"
) -> SiteModel:
    """The stored model of a site, or an empty one. Raises TemplateError if the stored one is
    damaged."""
    kept = store.load(site)
    return (
        SiteModel.from_dict(kept, today, method=method)
        if kept
        else SiteModel(site, today, method=method)
    )


def site_of(store: SiteStore, site: str) -> SiteModel:
    """The stored model of a site. Raises UnknownSiteError if there is none."""
    document = store.load(site)
    if document is None:
        raise UnknownSiteError(site, f"no such site in {store.place}", OTHER_SITE)
    return SiteModel.from_dict(document)
