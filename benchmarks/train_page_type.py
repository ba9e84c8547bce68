"""Trains the page-type model from article and listing pages of the sites at hand; writes models/page_type.json.

`python -m benchmarks.train_page_type [-o FILE]`; prints accuracy on held-out sites (5 folds grouped by site).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from benchmarks.corpora import (
    DATA,
    Example,
    corpus_examples,
    order,
    rows,
    site_examples,
    site_file,
    site_meta,
    site_names,
)
from sitecrawl.dom.blocks import Floats
from sitecrawl.dom.parse import parse
from sitecrawl.extract.ensemble import headline_block, leads_of, select_body
from sitecrawl.extract.features import view_of
from sitecrawl.extract.headline import find_headline
from sitecrawl.extract.page_type import NAMES, PROTOCOL, Evidence, page_features
from sitecrawl.extract.published import find_published

ARTICLES, LISTINGS, SECTIONS = 24, 12, 24


def features_of(url: str, body: bytes) -> Floats | None:
    """Features of one page, None when it has no text."""
    view = view_of(parse(body, url))
    if not len(view.blocks):
        return None
    headline = find_headline(view)
    at = headline_block(view, headline.element)
    selection = select_body(view, at)
    dated = find_published(view, at)
    return page_features(Evidence(view, selection.scores, selection.kept, headline, dated, leads_of(view)))


def labelled(without: frozenset[str] = frozenset()) -> Iterator[tuple[str, int, Floats]]:
    """Site, 1 for an article or thread and 0 for a listing, features; not of the sites ``without``."""
    for name in (one for one in site_names() if one not in without):
        pages = [(1, example.url, example.body) for example in site_examples(name)[:ARTICLES]]
        pages += [(0, url, body) for url, body in listings(name)]
        yield from _featured(name, pages)
    for site, examples in corpus_examples("wcxb").items():
        yield from _featured(site, [(_wcxb_label(example), example.url, example.body) for example in examples])


def _featured(site: str, pages: list[tuple[int, str, bytes]]) -> Iterator[tuple[str, int, Floats]]:
    for label, url, body in pages:
        found = features_of(url, body) if label >= 0 else None
        if found is not None:
            yield site, label, found


def _wcxb_label(example: Example) -> int:
    kind = example.truth.get("page_type")
    return 1 if kind in ("article", "forum") else 0 if kind in ("listing", "collection", "category") else -1


def listings(name: str) -> Iterator[tuple[str, bytes]]:
    """Listing pages of a site that are no articles: those whose links are labelled, and some that these call sections."""
    host = site_meta(name)["host"]
    articles = {row["path"].rstrip("/") for row in rows(DATA / "sites" / name / "articles.jsonl")}
    links = list(rows(DATA / "sites" / name / "links.jsonl"))
    pages = list(dict.fromkeys(row["page"] for row in links))[:LISTINGS]
    targets = (
        urlsplit(urljoin(f"http://{host}{row['page']}", row["href"])) for row in links if row["label"] == "section"
    )
    sections = {target.path for target in targets if target.netloc == host and not target.query} - set(pages)
    for path in [*pages, *sorted(sections, key=order)[:SECTIONS]]:
        file = site_file(name, path)
        if file is not None and path.rstrip("/") not in articles:
            yield f"http://{host}{path}", file.read_bytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("models/page_type.json"))
    parser.add_argument("--without", default="", help="sites to leave out")
    args = parser.parse_args()
    found = list(labelled(frozenset(args.without.split(","))))
    sites, labels = [row[0] for row in found], np.array([row[1] for row in found])
    matrix = np.vstack([row[2] for row in found])
    right = []
    for train, test in GroupKFold(5).split(matrix, labels, sites):
        right.append(fit(matrix[train], labels[train]).predict(matrix[test]) == labels[test])
    print(
        f"held out: {np.concatenate(right).mean():.4f} right of {len(labels)} pages, {labels.mean():.2f} articles, {len(set(sites))} sites"
    )
    model = fit(matrix, labels)
    data = {
        "protocol": PROTOCOL,
        "names": list(NAMES),
        "weights": [round(float(w), 5) for w in model.coef_[0]],
        "bias": round(float(model.intercept_[0]), 5),
    }
    args.output.write_text(json.dumps(data, indent=1) + "\n", encoding="utf8")


def fit(matrix: Floats, labels: Floats) -> LogisticRegression:
    return LogisticRegression(C=1.0, max_iter=3000, class_weight="balanced").fit(matrix, labels)


if __name__ == "__main__":
    main()
