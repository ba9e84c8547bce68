"""Trains the page-type model from article and listing pages of the sites at hand and writes
models/page_type.json. Prints accuracy on held-out sites (5 folds grouped by site)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from benchmarks import harness
from benchmarks.network import card_of, write_logistic
from sitecrawl.dom.blocks import Floats
from sitecrawl.dom.parse import parse
from sitecrawl.extract.ensemble import select_body
from sitecrawl.extract.headline import HeadlineSearch
from sitecrawl.extract.page_type import MODEL, page_features
from sitecrawl.extract.published import find_published

ARTICLES, LISTINGS, SECTIONS = 24, 12, 24
"""Pages of a site: articles, listings whose links are labelled, and pages that these call
sections."""
_WCXB = {"article": 1, "forum": 1, "listing": 0, "collection": 0, "category": 0}


def features_of(url: str, body: bytes) -> Floats | None:
    """Features of one page, None when it has no text."""
    page = parse(body, url)
    if not len(page.document.blocks):
        return None
    headline = HeadlineSearch(page).best
    at = page.document.block_at(headline.element)
    selection = select_body(page, at)
    dated = find_published(page, at)
    return page_features(page, selection, headline=headline, dated=dated)


def labelled(without: frozenset[str] = frozenset()) -> Iterator[tuple[str, int, Floats]]:
    """Site, 1 for an article or thread and 0 for a listing, features; not of the sites
    ``without``."""
    names = [name for name in harness.site_names() if name not in without]
    pages = [
        (name, 1, it.url, it.body)
        for name in names
        for it in harness.site_examples(name)[:ARTICLES]
    ]
    pages += [(name, 0, url, body) for name in names for url, body in listings(name)]
    known = [(site, it) for site, found in harness.corpus_examples("wcxb").items() for it in found]
    kinds = ((site, it, _WCXB.get(it.truth.get("page_type") or "")) for site, it in known)
    pages += [(site, label, it.url, it.body) for site, it, label in kinds if label is not None]
    for site, label, url, body in pages:
        found = features_of(url, body)
        if found is not None:
            yield site, label, found


def listings(name: str) -> Iterator[tuple[str, bytes]]:
    """Listing pages of a site that are no articles: those whose links are labelled, and some that
    these call sections."""
    host, links = harness.site_meta(name)["host"], harness.site_rows(name, "links")
    articles = {row["path"].rstrip("/") for row in harness.site_rows(name)}
    pages = list(dict.fromkeys(row["page"] for row in links))[:LISTINGS]
    named = (
        (harness.page_url(name, row["page"]), row["href"])
        for row in links
        if row["label"] == "section"
    )
    targets = (urlsplit(urljoin(page, href)) for page, href in named)
    sections = {
        target.path for target in targets if target.netloc == host and not target.query
    } - set(pages)
    for path in [*pages, *sorted(sections, key=harness.order)[:SECTIONS]]:
        file = harness.site_file(name, path)
        if file is not None and path.rstrip("/") not in articles:
            yield harness.page_url(name, path), file.read_bytes()


def fit(matrix: Floats, labels: Floats) -> LogisticRegression:
    return LogisticRegression(C=1.0, max_iter=3000, class_weight="balanced").fit(matrix, labels)


def main(arguments: list[str]) -> None:
    args = harness.asked(
        __doc__, arguments, output=Path("models/page_type.json"), without=harness.WITHOUT
    )
    found = list(labelled(frozenset(args.without.split(","))))
    sites, labels = [row[0] for row in found], np.array([row[1] for row in found])
    matrix, right = np.vstack([row[2] for row in found]), []
    for train, test in GroupKFold(5).split(matrix, labels, sites):
        right.append(fit(matrix[train], labels[train]).predict(matrix[test]) == labels[test])
    held_out = round(float(np.concatenate(right).mean()), 4)
    print(f"held out: {held_out} right of {len(labels)} pages of {len(set(sites))} sites")
    model, figures = (
        fit(matrix, labels),
        {"pages": len(labels), "sites": len(set(sites)), "held out": held_out},
    )
    card = card_of("train_page_type", matrix, labels, **figures)
    write_logistic(args.output, MODEL, weights=model.coef_[0], bias=model.intercept_[0], card=card)
