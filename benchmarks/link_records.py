"""Makes ``training_data/`` from the sites at hand and the listing corpora. Reads
``sites/*/links.jsonl`` (a label for every link of up to 12 section pages) and the listing corpora
(article links of a page; the rest is section or other). Writes facts only: URL, tag path,
positions, lengths, flags, label."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import log1p
from pathlib import Path
from urllib.parse import unquote, urldefrag

from benchmarks.harness import DATA, asked, page_url, rows, site_file, site_meta, site_rows
from benchmarks.model_sets import SOURCES, sources
from sitecrawl.dom.parse import parse
from sitecrawl.extras.training.dataset import SUFFIX, LabelledPage, codes, write_site
from sitecrawl.links.facts import page_facts
from sitecrawl.links.url_facts import URL_FEATURES, url_facts

LISTINGS = {"links_elte": ".", "links_zh_blogs": "listings"}
"""Listing corpora and the folder below the output that takes each: what lies in ``listings`` is not
trained on unasked."""
SAME_SITE = {
    "cgspace.date": "cgspace"
}  # listing corpora that hold pages of a whole site: never split from it
_AT = {name: place for place, name in enumerate(URL_FEATURES)}
_LISTED = "last_u_section dir_u_section last_u_author dir_u_author page_number query_page date_end root".split()


def normal(url: str) -> str:
    """URL as the measure compares it."""
    return unquote(urldefrag(url)[0]).rstrip("/").replace("https://", "http://")


def labelled_pages(name: str) -> Iterator[LabelledPage]:
    """The labelled section pages of a site."""
    by_page = defaultdict[str, dict[int, str]](dict)
    for row in site_rows(name, "links"):
        by_page[row["page"]][row["n"]] = row["label"]
    for path, labels in by_page.items():
        file = site_file(name, path)
        if file is not None:
            facts = page_facts(parse(file.read_bytes(), page_url(name, path)))
            found = codes(labels.get(n, "unknown") for n in range(len(facts.urls)))
            yield LabelledPage(name, name, facts, found)


def listings(corpus: str) -> dict[str, list[LabelledPage]]:
    """Labelled pages of a listing corpus by site."""
    folder, found = DATA / "corpora" / corpus, defaultdict(list)
    for row in rows(folder / "truth.jsonl"):
        want = {normal(url) for url in row.get("article_links") or []}
        known = {normal(url) for url in row.get("other_links") or []}
        body = (folder / "pages" / f"{row['id']}.html").read_bytes() if want else b""
        facts = page_facts(parse(body, row.get("url") or f"http://{row['site']}/"))
        names = [_label(url, want, known) for url in facts.urls]
        if "article" in names:
            site = row["site"]
            found[site].append(LabelledPage(site, SAME_SITE.get(site, site), facts, codes(names)))
    return found


def _label(url: str, articles: set[str], others: set[str]) -> str:
    """These corpora call the article links of side bars other; our labels say what a link leads to:
    such are unknown."""
    if normal(url) in articles:
        return "article"
    return "not article" if normal(url) in others and not may_be_article(url) else "unknown"


def may_be_article(url: str) -> bool:
    """Whether a URL looks like an article's: a slug of three words, a date or a long number, and no
    word of a listing."""
    values = url_facts(url).values
    marked = (
        values[_AT["slug_words"]] >= log1p(3)
        or values[_AT["date"]] > 0
        or values[_AT["id_digits"]] >= 5
    )
    return marked and not any(values[_AT[name]] for name in _LISTED)


def main(arguments: list[str]) -> None:
    args = asked(__doc__, arguments, output=Path("training_data"), **SOURCES)
    output, known = args.output, sources(args.learn, args.without)
    for name in (name for name in known.names if (DATA / "sites" / name).is_dir()):
        about = site_meta(name)
        facts = {
            "host": about["host"],
            "language": about["lang"],
            "kind": about["kind"],
            "source": "open sites",
        }
        write_site(output / f"{name}{SUFFIX}", list(labelled_pages(name)), about=facts)
    for corpus, folder in LISTINGS.items():
        for site, pages in sorted(listings(corpus).items()):
            facts = {"host": site, "kind": "listing", "source": corpus}
            write_site(output / folder / f"{corpus}-{site}{SUFFIX}", pages, about=facts)
