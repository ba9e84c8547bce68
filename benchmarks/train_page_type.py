"""Trains the page-type model from article and listing pages of the sites at hand and writes
models/page_type.json. Prints accuracy on held-out sites (5 folds grouped by site). The features
depend on the headline and block models in use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import numpy as np

from benchmarks import harness
from benchmarks.model_sets import SOURCES, Sources, sources
from benchmarks.network import (
    card_of,
    exact_blocks,
    exact_headlines,
    fit_logistic,
    group_folds,
    write_logistic,
)
from sitecrawl.dom.blocks import Flags, Floats
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


def labelled(known: Sources) -> Iterator[tuple[str, int, Floats]]:
    """Site, 1 for an article or thread and 0 for a listing, features, of the pages to learn
    from."""
    sites = set(harness.site_names())
    names = [name for name in known.names if name in sites]
    pages = [
        (name, 1, it.url, it.body)
        for name in names
        for it in harness.site_examples(name)[:ARTICLES]
    ]
    pages += [(name, 0, url, body) for name in names for url, body in listings(name)]
    for name, site, found in known.examples():
        for it in found if name == "wcxb" else ():
            label = _WCXB.get(it.truth.get("page_type") or "")
            if label is not None:
                pages.append((site, label, it.url, it.body))
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


def fit(matrix: Floats, labels: Flags) -> tuple[Floats, float]:
    """Weights and bias; articles and listings weigh alike as a whole."""
    share = labels.mean()
    return fit_logistic(matrix, labels, weight=0.5 / np.where(labels, share, 1 - share))


def held_out(matrix: Floats, labels: Flags, *, sites: list[str]) -> float:
    """Share of right pages, each site judged by a model that has not seen it."""
    right = np.zeros(len(labels), bool)
    for learned, test in group_folds(sites, 5):
        weights, bias = fit(matrix[learned], labels[learned])
        right[test] = (matrix[test] @ weights + bias > 0) == labels[test]
    return round(float(right.mean()), 4)


def main(arguments: list[str]) -> None:
    output = Path("models/page_type.json")
    args = harness.asked(__doc__, arguments, output=output, **SOURCES)
    with exact_headlines(), exact_blocks():
        found = list(labelled(sources(args.learn, args.without, later=True)))
    sites = [site for site, _, _ in found]
    labels = np.array([label == 1 for _, label, _ in found])
    matrix = np.vstack([features for _, _, features in found])
    right = held_out(matrix, labels, sites=sites)
    print(f"held out: {right} right of {len(labels)} pages of {len(set(sites))} sites")
    figures = {"pages": len(labels), "sites": len(set(sites)), "held out": right}
    weights, bias = fit(matrix, labels)
    card = card_of("train_page_type", matrix, labels, **figures)
    write_logistic(args.output, MODEL, weights=weights, bias=bias, card=card)
