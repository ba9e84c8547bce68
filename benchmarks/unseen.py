"""Whole crawls by models that have not seen the site: what ``python -m benchmarks.crawl --unseen`` does for each site.

The sites are dealt into folds. For each fold the link model and the page-type model are trained without its sites, and the crawls of
these sites use them; the models that ship have seen all sites. Blocks and headlines are read by the models that ship. The session
is driven in this process, with the files of the mirror for a network: all that decides what is fetched and what leaves takes part,
Scrapy does not.
"""

from __future__ import annotations

import importlib
import tempfile
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

import numpy as np

from benchmarks.corpora import order, site_file, site_meta, site_names
from benchmarks.train_page_type import fit, labelled
from sitecrawl.crawl.config import CrawlArguments, CrawlSettings
from sitecrawl.crawl.records import FailedPage, FetchedPage, PlannedRequest
from sitecrawl.crawl.session import CrawlSession
from sitecrawl.dom.blocks import Floats
from sitecrawl.links.link_model import save_model
from sitecrawl.links.training.dataset import read_folders
from sitecrawl.links.training.fitting import Settings, samples, train
from sitecrawl.site.model import SiteModel

FOLDS = 5
MOST = 20_000
"""Requests after which a crawl is taken for one without end."""


@dataclass(frozen=True, slots=True)
class Unseen:
    """The models for the sites of one fold: the file of the link model, and the weights of the page type."""

    sites: tuple[str, ...]
    links: Path
    page_type: Floats


def folds(names: list[str], number: int = FOLDS) -> list[tuple[str, ...]]:
    """All sites at hand dealt into folds; those that hold none of ``names`` are left out.

    >>> [len(fold) for fold in folds(["b", "a"], 1)]
    [2]
    """
    dealt = sorted({*site_names(), *names}, key=order)
    every = [tuple(dealt[at::number]) for at in range(number)]
    return [fold for fold in every if not set(names).isdisjoint(fold)]


def models(names: list[str], folder: Path, training_data: Path = Path("training_data")) -> Iterator[Unseen]:
    """The models of every fold with a site of ``names``; files are written to ``folder``."""
    data = samples([page for page in read_folders([training_data]) if len(page.target_labels())])
    pages = list(labelled())
    for number, sites in enumerate(folds(names)):
        path = folder / f"links-{number}.npz"
        save_model(train([sample for sample in data if sample.group not in sites], Settings()), path)
        kept = [page for page in pages if page[0] not in sites]
        model = fit(np.vstack([page[2] for page in kept]), np.array([page[1] for page in kept]))
        yield Unseen(sites, path, np.array([*model.coef_[0], model.intercept_[0]]))


def crawl(name: str, unseen: Unseen, start: str) -> tuple[list[dict[str, Any]], list[tuple[str, bool]], str]:
    """Items of a whole crawl from the path ``start``, the paths asked for with whether there was a page, and the last line."""
    meta = site_meta(name)
    module: Any = importlib.import_module("sitecrawl.extract.page_type")
    shipped = module.page_type_weights
    with tempfile.TemporaryDirectory() as folder:
        arguments = CrawlArguments.parse({"start": f"http://{meta['host']}{start}", "scope": "site"})
        settings = CrawlSettings(data_dir=Path(folder), link_model=str(unseen.links), js="never")
        store, _ = settings.stores.site(arguments.site)
        session = CrawlSession(arguments, settings, (store, SiteModel(arguments.site)))
        module.page_type_weights = lambda: unseen.page_type
        try:
            items, asked = _drive(session, name)
        finally:
            module.page_type_weights = shipped
        said = session.close("finished").lines()[-1]
        session.ended(True, True)
    return items, asked, said


def _drive(session: CrawlSession, name: str) -> tuple[list[dict[str, Any]], list[tuple[str, bool]]]:
    outcome = session.begin()
    items, asked = list(outcome.items), list[tuple[str, bool]]()
    waiting = deque(outcome.requests)
    while len(asked) < MOST:
        if not waiting:
            outcome = session.idle()
            if not outcome:
                break
        else:
            planned = waiting.popleft()
            answer = _fetched(planned, name)
            asked.append((urlsplit(planned.url).path, isinstance(answer, FetchedPage)))
            outcome = session.page_fetched(answer) if isinstance(answer, FetchedPage) else session.page_failed(answer)
        items.extend(outcome.items)
        waiting.extend(outcome.requests)
    return items, asked


def _fetched(planned: PlannedRequest, name: str) -> FetchedPage | FailedPage:
    meta, parts = site_meta(name), urlsplit(planned.url)
    hosts = {meta["host"], *meta.get("aliases", [])}
    file = site_file(name, parts.path) if parts.hostname in hosts else None
    if file is None:
        return FailedPage(planned.context, "the server answered 404")
    body = file.read_bytes().replace(b"https://" + meta["host"].encode(), b"http://" + meta["host"].encode())
    is_folder = file.stem == "index" and unquote(parts.path).rpartition("/")[2] not in ("", "index", file.name)
    url = (
        urlunsplit(parts._replace(path=f"{parts.path}/")) if is_folder else planned.url
    )  # servers redirect to the folder
    return FetchedPage(url, planned.context, body, content_type="text/html")
