"""A session of the label editor: its pages, the labels given, and what is written from them:
records, evidence, a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sitecrawl.crawl.site_models import Sites
from sitecrawl.crawl.store import Stores
from sitecrawl.errors import TemplateError
from sitecrawl.extras.editor.drawing import draw
from sitecrawl.extras.editor.page_labels import Given, PageLabels
from sitecrawl.extras.editor.server import EDITOR
from sitecrawl.extras.editor.taught import take_back, taught_pages, write_readable
from sitecrawl.extras.editor.training_trial import TrainingTrial
from sitecrawl.extras.overrides.judged_families import JudgedFamilies
from sitecrawl.extras.report.markup import render
from sitecrawl.extras.training.dataset import SUFFIX, LabelledPage, read_site, write_site
from sitecrawl.items.kinds import LinkLabel
from sitecrawl.links.classify import Profile
from sitecrawl.site.page_families import Choice
from sitecrawl.urls.scope import host_of


def write_pages(pages: Sequence[LabelledPage], folder: Path) -> list[tuple[Path, int]]:
    """Add pages to the files of their sites, in place of earlier versions. Returns the files with
    their numbers of pages. Raises LabelError if an existing file cannot be read, or one cannot be
    written."""
    written = []
    for site in sorted({page.site for page in pages}):
        path = folder / f"{site}{SUFFIX}"
        mine = {page.facts.url: page for page in (read_site(path) if path.is_file() else [])}
        mine |= {page.facts.url: page for page in pages if page.site == site}
        write_site(path, list(mine.values()), about={"host": site, "source": "scrapy label"})
        written.append((path, len(mine)))
    return written


@dataclass(slots=True)
class LabelSession:
    """The ``EditorPages`` of the label editor: the pages of one session and the folder of their
    records. ``saved``: all labels are written."""

    pages: list[PageLabels]
    folder: Path
    trial: TrainingTrial
    stores: Stores  # what crawls know of the sites
    saved: bool = True
    taught: set[tuple[str, str]] = field(
        default_factory=set
    )  # labels by URL that the site models already have
    kept: set[str] = field(default_factory=set)  # URLs of the pages of which the folder has records

    def resume(self) -> None:
        """Take over the labels that the folder already holds. Raises LabelError when a file is
        damaged."""
        for page_labels, stored in self._stored():
            self.kept.add(page_labels.page.url)
            page_labels.given, page_labels.stored = page_labels.given | stored, stored

    def _stored(self) -> Iterator[tuple[PageLabels, Given]]:
        """The pages of which the folder has records, each with the labels in them."""
        for page_labels in self.pages:
            path = self.folder / f"{page_labels.site}{SUFFIX}"
            for page in read_site(path) if path.is_file() else []:
                if page.facts.url == page_labels.page.url:
                    yield page_labels, page_labels.labels_of(page.facts.urls, page.labels)

    def page(self, number: int) -> str:
        page_labels = self.pages[number]
        groups = page_labels.listed_groups(self.evidence(page_labels.site))
        shown = {
            "pages": self.pages,
            "number": number,
            "folder": self.folder,
            "page_labels": page_labels,
            "labels": list(LinkLabel),
        }
        return render(
            "label.html", package=EDITOR, drawn=draw(page_labels.page), groups=groups, **shown
        )

    def act(self, number: int, action: str, *, asked: dict[str, Any]) -> dict[str, Any]:
        page_labels = self.pages[number]
        message: str | None = ""
        more = dict[str, Any]()
        match action:
            case "families":
                decisions = (
                    {str(asked["family"]): Choice(asked["said"]) if asked["said"] else None}
                    if asked
                    else {}
                )
                more = {"families": self._families(host_of(page_labels.page.url), decisions)}
                more |= {} if asked else {"urls": page_labels.facts.urls}
            case "state":
                message = None  # the browser looks, and the person goes on reading the last one
            case "taught":
                message = self._take_back(asked.get("url"))
                more = {"taught": self._taught()}
            case "say":
                label = asked["label"]
                page_labels.set_label(map(int, asked["links"]), LinkLabel(label) if label else None)
            case "rest":
                page_labels.accept_rest(self.evidence(page_labels.site))
            case "undo":
                page_labels.undo()
            case "save" | "train":
                written = [f"wrote {path}: {pages} page(s)" for path, pages in self.save()]
                message = "; ".join(written) or "nothing to save yet"
                more = {"taught": self._taught()}
                if action == "train":
                    self.trial.start([one.site for one in self.pages if one.given])
            case "use" | "use-here":
                message = self._use(host_of(page_labels.page.url) if action == "use-here" else "")
            case "teach":
                message = (
                    f"the next crawls of {', '.join(self.teach()) or 'no site'} know these labels"
                )
            case _:
                raise LookupError(action)
        self.saved = self.saved and action not in ("say", "rest", "undo")
        shown = {
            "told": message,
            "saved": self.saved,
            "trial": self.trial.state(),
            "pages": self._progress(),
        }
        return page_labels.state(self.evidence(page_labels.site)) | shown | more

    def _families(self, site: str, decisions: dict[str, Choice | None]) -> list[dict[str, Any]]:
        """The page families of a site after ``decisions`` are stored; empty for a site that was
        never crawled."""
        with suppress(TemplateError), JudgedFamilies.of(self.stores, site) as families:
            families.store_choices(decisions)
            return families.table()
        return []

    def _taught(self) -> list[dict[str, str]]:
        """The pages with labels in the folder of the session."""
        return [{"url": one.url, "labels": one.counts} for one in taught_pages(self.folder)]

    def _take_back(self, url: str | None) -> str | None:
        """Take the labels of a page out of the folder, and out of the session; returns a message,
        None where no page is named. Raises LookupError for a page without, LabelError."""
        if url is None:
            return None
        pages = [one for one in taught_pages(self.folder) if one.url == url]
        if not pages:
            raise LookupError(url)
        take_back(pages)
        for page_labels in self.pages:
            if page_labels.page.url == url:
                page_labels.forget()
        self.kept.discard(url)
        return f"taken back: {url}; train again, and press Use for this site again"

    def _progress(self) -> list[dict[str, Any]]:
        """For each page the number of labelled targets, the number of targets, and the probability
        (0..1) of the least certain one."""
        evidence = {
            site: self.evidence(site) for site in {page_labels.site for page_labels in self.pages}
        }
        found = []
        for page_labels in self.pages:
            sure = float(page_labels.sureness(evidence[page_labels.site]).min(initial=1.0))
            counts = {"said": len(page_labels.given), "of": len(page_labels.targets.facts)}
            found.append(counts | {"sure": round(sure, 3)})
        return found

    def evidence(self, site: str) -> Profile:
        """The labels of all pages of a site, in the form in which a crawl learns."""
        profile = Profile()
        for page_labels in self.pages:
            if page_labels.site == site:
                page_labels.add_evidence(profile, set())
        return profile

    def save(self) -> list[tuple[Path, int]]:
        """Write the records of all pages with a label, or with one that was withdrawn, and take
        over what another editor saved meanwhile. Raises LabelError or OSError; the labels are
        kept."""
        for page_labels, stored in self._stored():
            page_labels.merge(stored)
        changed = [each for each in self.pages if each.given or each.page.url in self.kept]
        written = write_pages([page_labels.record() for page_labels in changed], self.folder)
        self.kept |= {page_labels.page.url for page_labels in changed}
        for page_labels in changed:
            page_labels.stored = page_labels.given
        for path, _ in written:
            write_readable(path)
        self.saved = True
        return written

    def teach(self) -> list[str]:
        """Add the labels to the site models, each once, and remove withdrawn ones of earlier
        sessions. Returns the sites. Raises SitecrawlError."""
        sites = Sites(self.stores.learned())
        labelled = {
            page_labels.targets.facts[target].key
            for page_labels in self.pages
            for target in page_labels.given
        }
        for page_labels in self.pages:
            profile = sites.model(host_of(page_labels.page.url)).profile
            for fact in page_labels.targets.facts:
                if fact.key not in labelled:
                    profile.labels.pop(fact.key, None)
            page_labels.add_evidence(profile, self.taught)
        sites.close()
        return sorted(sites.models)

    def _use(self, site: str) -> str:
        """Write the new model and compute all guesses with it; labels are kept. Returns a
        message."""
        written = self.trial.use(site)
        for page_labels in self.pages:
            page_labels.guess = self.trial.old.probabilities(page_labels.targets)
        whose = f"of {site}" if site else "that are started in its folder"
        return f"wrote {written}; crawls {whose} use it, or name it with SITECRAWL_LINK_MODEL"
