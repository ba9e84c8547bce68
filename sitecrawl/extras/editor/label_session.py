"""All pages that are being labelled: evidence of each site from what was said, and the files of link records."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sitecrawl.crawl.site_models import Sites
from sitecrawl.extras.editor.page_labels import PageLabels
from sitecrawl.extras.training.dataset import CODES, SUFFIX, LabelledPage, read_site, write_site
from sitecrawl.links.classify import LABELS, Profile
from sitecrawl.links.link_features import targets_of
from sitecrawl.links.link_model import LinkModel
from sitecrawl.urls.scope import host_of

READABLE = ".labels.jsonl"
"""End of the name of the file beside the records that people read."""


def write_pages(pages: Sequence[LabelledPage], folder: Path) -> list[tuple[Path, int]]:
    """Add pages to the files of their sites; a page that was labelled before is replaced. The files, and how many pages each holds now.

    Raises LabelError when a file that is there cannot be read, OSError when it cannot be written.
    """
    written = []
    for site in sorted({page.site for page in pages}):
        path = folder / f"{site}{SUFFIX}"
        mine = {page.facts.url: page for page in (read_site(path) if path.is_file() else [])}
        mine |= {page.facts.url: page for page in pages if page.site == site}
        write_site(path, list(mine.values()), {"host": site, "source": "scrapy label"})
        written.append((path, len(mine)))
    return written


def write_labels(path: Path, pages: Sequence[LabelledPage]) -> None:
    """Write the labels of pages for people to review: JSON lines of ``url`` and ``label`` in order of URL, as ``label --labels`` reads them."""
    names = {CODES[label]: label for label in LABELS}
    found: dict[str, str] = {}
    for page in pages:
        of, codes = targets_of(page.facts)[0].tolist(), page.target_labels().tolist()
        known = ((page.facts.urls[link], codes[target]) for link, target in enumerate(of) if target >= 0)
        found |= {url: names[code] for url, code in known if code in names}
    lines = (
        json.dumps({"url": url, "label": label}, ensure_ascii=False) + "\n" for url, label in sorted(found.items())
    )
    path.write_text("".join(lines), encoding="utf8")


@dataclass(slots=True)
class LabelSession:
    """The pages of one session and the folder of their records. ``saved`` tells that all that was said is written."""

    pages: list[PageLabels]
    folder: Path
    saved: bool = True
    knowledge: Callable[[], Sites] | None = None
    """Opens the models of the sites that crawls use."""
    taught: set[tuple[str, str]] = field(default_factory=set)
    """URLs and labels that the site models already had from this session."""

    def resume(self) -> None:
        """Take over the labels that the folder already holds. Raises LabelError when a file is damaged."""
        for page_labels in self.pages:
            path = self.folder / f"{page_labels.site}{SUFFIX}"
            for page in read_site(path) if path.is_file() else []:
                if page.facts.url == page_labels.page.url:
                    page_labels.begin_with(page.facts.urls, page.labels)

    def evidence(self, site: str) -> Profile:
        """What was said on all pages of a site, as a crawl would have learned it."""
        profile = Profile()
        for page_labels in self.pages:
            if page_labels.site == site:
                page_labels.add_evidence(profile)
        return profile

    def teach(self) -> list[str]:
        """Give what was said to the site models of the next crawls, as evidence, each label once; labels of earlier sessions that were taken back are
        forgotten. The sites; raises SitecrawlError."""
        if self.knowledge is None:
            raise LookupError("no site models")
        sites = self.knowledge()
        said = {page_labels.targets.facts[target].key for page_labels in self.pages for target in page_labels.given}
        for page_labels in self.pages:
            for fact in page_labels.targets.facts:
                if fact.key not in said:
                    sites.model(host_of(page_labels.page.url)).profile.labels.pop(fact.key, None)
            if page_labels.given:
                page_labels.add_evidence(sites.model(host_of(page_labels.page.url)).profile, self.taught)
        sites.close()
        return sorted(sites.models)

    def guess_with(self, model: LinkModel) -> None:
        """Guess anew by another model; what was said stays."""
        for page_labels in self.pages:
            page_labels.guess = model.probabilities(page_labels.targets)

    def save(self) -> list[tuple[Path, int]]:
        """Write the records of all pages with a label. Raises LabelError or OSError; what was said stays."""
        written = write_pages([page_labels.record() for page_labels in self.pages if page_labels.given], self.folder)
        for path, _ in written:
            write_labels(path.with_name(path.name.removesuffix(SUFFIX) + READABLE), read_site(path))
        self.saved = True
        return written
