"""Make ``training_data/`` from the open sites: ``python -m benchmarks.link_records [-o training_data]``.

Reads ``sites/*/links.jsonl`` (a label for every link of up to 12 section pages) and the listing corpora (article links
of a page; the rest is section or other). Writes facts only: URL, tag path, positions, lengths, flags, label.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import defaultdict
from collections.abc import Iterator
from math import log1p
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urlsplit

from sitecrawl.dom.parse import parse
from sitecrawl.links.facts import page_facts
from sitecrawl.links.training.dataset import SUFFIX, LabelledPage, codes, write_site
from sitecrawl.links.url_facts import URL_FEATURES, url_facts

DATA = Path(os.environ.get("SITECRAWL_DATA", "~/.cache/sitecrawl-data")).expanduser()
LISTINGS = {"links_elte": ".", "links_zh_blogs": "listings"}
"""Listing corpora and the folder below the output that takes each: what lies in ``listings`` is not trained on unasked."""
SAME_SITE = {"cgspace.date": "cgspace"}
"""Listing corpora that hold pages of an open site: never split from it."""


_AT = {name: place for place, name in enumerate(URL_FEATURES)}
_LISTED = (
    "last_u_section",
    "dir_u_section",
    "last_u_author",
    "dir_u_author",
    "page_number",
    "query_page",
    "date_end",
    "root",
)


def normal(url: str) -> str:
    """URL as the measure compares it."""
    return unquote(urldefrag(url)[0]).rstrip("/").replace("https://", "http://")


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf8").split("\n") if line.strip()]


def site_file(root: Path, path: str) -> Path | None:
    """File that is served for a path."""
    base = root / unquote(urlsplit(path).path).lstrip("/")
    places = (base, base / "index.html", base / "index.htm", Path(f"{base}.html"))
    return next((place for place in places if place.is_file()), None)


def open_sites(data: Path = DATA) -> Iterator[tuple[dict[str, Any], list[LabelledPage]]]:
    """Every open site's ``site.json`` and labelled section pages."""
    for folder in sorted((data / "sites").iterdir()):
        about = json.loads((folder / "site.json").read_text(encoding="utf8"))
        by_page: dict[str, dict[int, str]] = defaultdict(dict)
        for row in rows(folder / "links.jsonl"):
            by_page[row["page"]][row["n"]] = row["label"]
        pages = []
        for path, labels in by_page.items():
            file = site_file(folder / "root", path)
            if file is not None:
                facts = page_facts(parse(file.read_bytes(), f"http://{about['host']}{path}"))
                names = (labels.get(n, "unknown") for n in range(len(facts.urls)))
                pages.append(LabelledPage(folder.name, folder.name, facts, codes(names)))
        yield about, pages


def listings(name: str, data: Path = DATA) -> dict[str, list[LabelledPage]]:
    """Labelled pages of a listing corpus by site."""
    folder, found = data / "corpora" / name, defaultdict(list)
    for row in rows(folder / "truth.jsonl"):
        if not row.get("article_links"):
            continue
        want = {normal(url) for url in row["article_links"]}
        known = {normal(url) for url in row.get("other_links") or []}
        url = row.get("url") or f"http://{row['site']}/"
        facts = page_facts(parse((folder / "pages" / f"{row['id']}.html").read_bytes(), url))
        names = [_label(u, want, known) for u in facts.urls]
        if "article" in names:
            site = row["site"]
            found[site].append(LabelledPage(site, SAME_SITE.get(site, site), facts, codes(names)))
    return found


def _label(url: str, articles: set[str], others: set[str]) -> str:
    """These corpora call the article links of side bars other; our labels say what a link leads to: such are unknown."""
    if normal(url) in articles:
        return "article"
    return "not article" if normal(url) in others and not may_be_article(url) else "unknown"


def may_be_article(url: str) -> bool:
    """Whether a URL looks like an article's: a slug of three words, a date or a long number, and no word of a listing."""
    values = url_facts(url).values
    marked = values[_AT["slug_words"]] >= log1p(3) or values[_AT["date"]] > 0 or values[_AT["id_digits"]] >= 5
    return marked and not any(values[_AT[name]] for name in _LISTED)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("training_data"))
    parser.add_argument("--data", type=Path, default=DATA)
    args = parser.parse_args()
    for about, pages in open_sites(args.data):
        facts = {"host": about["host"], "language": about["lang"], "kind": about["kind"], "source": "open sites"}
        write_site(args.output / f"{pages[0].site}{SUFFIX}", pages, facts)
    for name, folder in LISTINGS.items():
        for site, pages in sorted(listings(name, args.data).items()):
            write_site(
                args.output / folder / f"{name}-{site}{SUFFIX}",
                pages,
                {"host": site, "kind": "listing", "source": name},
            )


if __name__ == "__main__":
    main()
