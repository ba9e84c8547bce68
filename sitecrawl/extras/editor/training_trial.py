"""Train and compare: a new model from all records, beside the one that the session began with, while the person goes on labelling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any, Protocol

from sitecrawl.errors import SitecrawlError
from sitecrawl.extras.training.dataset import LabelledPage
from sitecrawl.extras.training.evaluation import evaluate
from sitecrawl.items.kinds import LinkLabel
from sitecrawl.links.link_features import target_features
from sitecrawl.links.link_model import LinkModel

Rows = list[dict[str, Any]]


class Trainer(Protocol):
    """What a trial needs of the command: all records, a model of some pages, and its file. All raise SitecrawlError with what is lacking."""

    target: Path
    """The file of the project's model."""

    def read(self) -> list[LabelledPage]: ...

    def fit(self, pages: list[LabelledPage]) -> LinkModel: ...

    def write(self, model: LinkModel, rows: Rows, site: str = "") -> Path: ...


@dataclass(slots=True)
class TrainingTrial:
    """One training at a time. ``rows`` are records of ``name``, ``pages`` and F1 by label of the old and the new model."""

    trainer: Trainer
    old: LinkModel
    running: bool = False
    fault: str = ""
    rows: Rows = field(default_factory=list)
    model: LinkModel | None = None

    def start(self, sites: Sequence[str]) -> None:
        """Begin to train in the background, unless that is going on; ``sites`` are those of the session."""
        if not self.running:
            self.running, self.fault, self.rows, self.model = True, "", [], None
            Thread(target=self._run, args=(sorted(set(sites)),), daemon=True).start()

    def _run(self, sites: list[str]) -> None:
        try:
            pages = self.trainer.read()
            model = self.trainer.fit(pages)
            self.rows = self._compare(pages, model, sites)
            self.model = model
        except (SitecrawlError, OSError, ValueError, MemoryError) as error:
            self.fault = f"not trained: {error}"
        finally:
            self.running = False

    def _compare(self, pages: list[LabelledPage], model: LinkModel, sites: list[str]) -> Rows:
        """Pages of the session's sites held back from a model of their own, where a site has two; then what both models may have learned from."""
        rows = []
        for site in sites:
            mine = [page for page in pages if page.site == site]
            if len(mine) > 1:
                held = mine[len(mine) // 2 :]
                blind = self.trainer.fit([page for page in pages if all(page is not one for one in held)])
                rows.append(self._row(f"{site}, pages held back from training", held, blind))
            rows.append(self._row(f"{site}, pages it learned from", mine, model))
        rest = [page for page in pages if page.site not in sites and not page.synthetic]
        rows.append(self._row("all other sites", rest, model))
        return [row for row in rows if row["pages"]]

    def _row(self, name: str, pages: list[LabelledPage], new: LinkModel) -> dict[str, Any]:
        targets = [target_features(page.facts) for page in pages]
        reports = [evaluate(pages, [model.probabilities(one) for one in targets]) for model in (self.old, new)]
        scores = {
            str(label): [round(report.macro(label), 3) for report in reports]
            for label in (LinkLabel.ARTICLE, LinkLabel.SECTION)
        }
        return {"name": name, "pages": len(pages), **scores}

    def use(self, site: str = "") -> Path:
        """Write the new model, for one site or for all; it is the old one from now on. The file; raises LookupError where none was trained."""
        if self.model is None:
            raise LookupError("no model")
        written = self.trainer.write(self.model, self.rows, site)
        self.old, self.model = self.model, None
        return written

    def state(self) -> dict[str, Any]:
        """What the browser shows."""
        return {
            "running": self.running,
            "fault": self.fault,
            "rows": self.rows,
            "usable": self.model is not None,
            "target": str(self.trainer.target),
        }
