"""The site models that a process uses, read from the template store and written back."""

from __future__ import annotations

from dataclasses import dataclass, field

from sitecrawl.crawl.store import SiteStore
from sitecrawl.site.model import SiteModel


@dataclass
class Sites:
    """Site models by name. ``method`` is the extractor that answers while no template can, ``today`` (ISO) dates new versions."""

    store: SiteStore
    method: str = "ensemble"
    today: str = ""
    models: dict[str, SiteModel] = field(default_factory=dict)

    def model(self, name: str) -> SiteModel:
        """The model of a site, a new one where nothing is known. Raises TemplateError when what is kept is damaged."""
        if name not in self.models:
            kept = self.store.load(name)
            model = SiteModel.from_dict(kept) if kept else SiteModel(name)
            model.method, model.today = self.method, self.today
            self.models[name] = model
        return self.models[name]

    def save(self, name: str) -> None:
        """Write down what is known about a site."""
        self.store.save(name, self.models[name].to_dict())

    def close(self) -> None:
        """Write down what is known about all sites, and close the store."""
        for name in self.models:
            self.save(name)
        self.store.close()
