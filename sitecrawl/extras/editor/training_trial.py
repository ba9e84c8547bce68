"""Trains a new link model from all records in the background and compares it with the model in
use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

from sitecrawl.errors import SitecrawlError
from sitecrawl.extras.training.dataset import LabelledPage, read_folders, record_files
from sitecrawl.extras.training.evaluation import SCORED, evaluate
from sitecrawl.extras.training.link_models import train_model, write_model
from sitecrawl.links.link_features import target_features
from sitecrawl.links.link_model import LinkModel, site_model_name


@dataclass(slots=True)
class TrainingTrial:
    """One training at a time, like `sitecrawl train` without validation. ``target`` is the file of
    the project's model, ``folders`` hold the records,
    ``old`` is the model in use; ``rows`` hold ``name``, ``pages`` and F1 by label of the old and
    the new model."""

    target: Path
    folders: list[Path]
    old: LinkModel
    running: bool = False
    fault: str = ""
    rows: list[dict[str, Any]] = field(default_factory=list)
    model: LinkModel | None = None

    def start(self, sites: Sequence[str]) -> None:
        """Start training in the background, unless it is running; ``sites`` are those of the
        session."""
        if not self.running:
            self.running, self.fault, self.rows, self.model = True, "", [], None
            Thread(target=self._run, args=(sorted(set(sites)),), daemon=True).start()

    def _run(self, sites: list[str]) -> None:
        try:
            # nothing may be saved in one of them yet
            pages = read_folders([one for one in self.folders if record_files([one])])
            model = train_model(pages, self.folders)
            self.rows = [row for row in self._compare(pages, model, sites=sites) if row["pages"]]
            self.model = model
        except (SitecrawlError, OSError, ValueError, MemoryError) as error:
            self.fault = f"not trained: {error}"
        finally:
            self.running = False

    def _compare(
        self, pages: list[LabelledPage], model: LinkModel, *, sites: list[str]
    ) -> Iterator[dict[str, Any]]:
        """Scores on pages of the session's sites that were held out, for sites with two pages; then
        on pages that both models may have seen."""
        for site in sites:
            mine = [page for page in pages if page.site == site]
            if len(mine) > 1:
                held = mine[len(mine) // 2 :]
                blind = train_model(
                    [page for page in pages if all(page is not one for one in held)], self.folders
                )
                yield self._row(f"{site}, pages held back from training", held, new=blind)
            yield self._row(f"{site}, pages it learned from", mine, new=model)
        rest = [page for page in pages if page.site not in sites and not page.synthetic]
        yield self._row("all other sites", rest, new=model)

    def _row(self, name: str, pages: list[LabelledPage], *, new: LinkModel) -> dict[str, Any]:
        targets = [target_features(page.facts) for page in pages]
        reports = [
            evaluate(pages, [model.probabilities(one) for one in targets])
            for model in (self.old, new)
        ]
        scores = {
            str(label): [round(report.macro(label), 3) for report in reports] for label in SCORED
        }
        return {"name": name, "pages": len(pages), **scores}

    def use(self, site: str = "") -> Path:
        """Write the new model, for one site or for all; it becomes the old one. Returns the file.
        Raises LookupError if none was trained."""
        if self.model is None:
            raise LookupError("no model")
        written = self.target.with_name(site_model_name(site)) if site else self.target
        compared = [
            f"{row['name']}: article F1 {row['article'][0]} -> {row['article'][1]}"
            for row in self.rows
        ]
        write_model(
            self.model, written, tables=["not validated; compared in the editor:", *compared]
        )
        self.old, self.model = self.model, None
        return written

    def state(self) -> dict[str, Any]:
        shown = {"running": self.running, "fault": self.fault, "rows": self.rows}
        return shown | {"usable": self.model is not None, "target": str(self.target)}
