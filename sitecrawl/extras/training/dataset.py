"""Training data: one file of link records per site (``training_data/README.md``), and labels from a
file, or a site's feed and sitemap."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sitecrawl.crawl.database import write_whole
from sitecrawl.errors import LabelError
from sitecrawl.items.kinds import LinkLabel
from sitecrawl.links.facts import COLUMNS, PageFacts
from sitecrawl.links.link_features import targets_of
from sitecrawl.links.url_facts import URL_FEATURES, UrlFacts, url_facts
from sitecrawl.resources import training_data
from sitecrawl.urls.canonical import url_key

PROTOCOL = 1
SUFFIX = ".jsonl.gz"
SHIPPED = "training_data"  # the name of the records that ship with the package
CODES: dict[str, int] = {
    LinkLabel.ARTICLE: 2,
    LinkLabel.SECTION: 1,
    LinkLabel.OTHER: 0,
    "not article": -1,
    "unknown": -2,
}
"""Labels as numbers, ordered so that a target takes the greatest of its links. ``not article`` says
section or other;
``unknown`` links count in the statistics of their groups and are not learned from."""
LABEL_OF = {CODES[label]: label for label in LinkLabel}  # the labels by their codes
_LETTERS = "?nosa"  # one letter for each code in the records, from `unknown` up
_REMEDY = "make it again with: sitecrawl label"

Labels = NDArray[np.int64]


@dataclass(slots=True)
class LabelledPage:
    """One page of a site with a label code for every link. ``group`` is not split in validation;
    ``synthetic`` pages are never scored."""

    site: str
    group: str
    facts: PageFacts
    labels: Labels
    synthetic: bool = False

    def target_labels(self) -> Labels:
        """Label code of each target: the greatest of its links."""
        target_of, targets = targets_of(self.facts)
        found = np.full(len(targets), CODES["unknown"], np.int64)
        known = target_of >= 0
        np.maximum.at(found, target_of[known], self.labels[known])
        return found


def codes(names: Iterable[str]) -> Labels:
    """Label names as codes. Raises KeyError for an unknown name.

    >>> codes(["article", "other"]).tolist()
    [2, 0]
    """
    return np.array([CODES[name] for name in names], np.int64)


def write_site(path: Path, pages: Sequence[LabelledPage], *, about: dict[str, Any]) -> None:
    """Write the link records of one site, or of several that ``about`` names together. The same
    records give the same bytes. Raises LabelError."""
    site, group = pages[0].site, pages[0].group
    head: dict[str, Any] = {
        "protocol": PROTOCOL,
        "site": site,
        "group": group,
        "columns": list(COLUMNS),
    } | about
    lines = [json.dumps(head, ensure_ascii=False, sort_keys=True)]
    for page in pages:
        facts = page.facts
        record: dict[str, Any] = {} if page.site == head["site"] else {"site": page.site}
        record |= {
            "url": facts.url,
            "total": facts.total,
            "paths": facts.paths,
            "labels": "".join(_LETTERS[code - CODES["unknown"]] for code in page.labels.tolist()),
            "links": [
                [_public(url), int(href[:1] == "#" or not href.strip()), *row]
                for url, href, row in zip(
                    facts.urls, facts.hrefs, facts.table.tolist(), strict=True
                )
            ],
        }
        lines.append(json.dumps(record, ensure_ascii=False, separators=(",", ":")))
    try:
        write_whole(path, gzip.compress("\n".join([*lines, ""]).encode(), 9, mtime=0))
    except OSError as error:
        raise LabelError(
            path, f"cannot be written ({error.strerror})", "make room, or name another folder"
        ) from None


def read_site(path: Path) -> list[LabelledPage]:
    """Labelled pages of one file. Raises LabelError when it is missing, damaged or of another
    protocol."""
    try:
        head, *rest = [
            json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()
        ]
        if head["protocol"] != PROTOCOL or head["columns"] != list(COLUMNS):
            raise LabelError(path, "of another protocol than this version reads", _REMEDY)
        return [_page(head, record) for record in rest]
    except (OSError, EOFError, ValueError, KeyError, TypeError, IndexError) as error:
        raise LabelError(path, f"damaged ({type(error).__name__})", _REMEDY) from error


def read_folders(folders: Iterable[Path]) -> list[LabelledPage]:
    """Labelled pages with links to learn from, of all folders, or files, of link records. Raises
    LabelError when one of them has none."""
    pages = []
    for folder in folders:
        found = [page for path in record_files([folder]) for page in read_site(path)]
        if not (learned := [page for page in found if len(page.target_labels())]):
            raise LabelError(
                folder, f"no link records (*{SUFFIX})", "make some with: sitecrawl label"
            )
        pages += learned
    return pages


def record_folder(name: str) -> Path:
    """A folder of link records; ``training_data`` is that of the package where the current folder
    has none."""
    if name == SHIPPED and not Path(name).exists():
        return training_data()
    return Path(name)


def record_files(folders: Iterable[Path]) -> list[Path]:
    """Files of link records in folders, in order of name."""
    return [
        path
        for folder in folders
        for path in ([folder] if folder.is_file() else sorted(folder.glob(f"*{SUFFIX}")))
    ]


def digest(folders: Iterable[Path]) -> str:
    """Identity of the training data: SHA-256 over names and contents of the record files."""
    whole = hashlib.sha256()
    for path in record_files(folders):
        whole.update(path.name.encode() + b"\0" + gzip.decompress(path.read_bytes()) + b"\0")
    return whole.hexdigest()


def _public(url: str) -> str:
    """A URL that may be published: ``mailto:``, ``tel:`` and scripts are cut to their scheme.

    >>> _public("mailto:a@b.org"), _public("https://b.org/x")
    ('mailto:', 'https://b.org/x')
    """
    return url if url.startswith("http") else url.partition(":")[0] + ":" if url else ""


def _page(head: dict[str, Any], record: dict[str, Any]) -> LabelledPage:
    links = record["links"]
    urls = [str(link[0]) for link in links]
    hrefs = ["#" if link[1] else url for link, url in zip(links, urls, strict=True)]
    table = np.array([link[2:] for link in links], np.int64).reshape(len(links), len(COLUMNS))
    facts = PageFacts(record["url"], urls, hrefs, table, record["paths"], record["total"])
    labels = (
        np.array([_LETTERS.index(letter) for letter in record["labels"]], np.int64)
        + CODES["unknown"]
    )
    if len(labels) != len(links):
        raise ValueError("labels and links differ in number")
    site, group = (record.get("site", head[name]) for name in ("site", "group"))
    return LabelledPage(site, group, facts, labels, bool(head.get("synthetic")))


_SOURCES = (
    f"give JSON lines of url and label ({', '.join(LinkLabel)}), an RSS or Atom feed, or a sitemap"
)
_FIXED = tuple(
    URL_FEATURES.index(f"last_u_{kind}") for kind in ("fixed", "author", "feed", "comment")
)
_LISTED = tuple(
    URL_FEATURES.index(name)
    for name in ("last_u_section", "dir_u_section", "page_number", "query_page", "date_end", "root")
)


def read_labels(path: Path) -> dict[str, str]:
    """Labels file: JSON lines ``{"url": ..., "label": "article"|"section"|"other"}``. Raises
    LabelError when damaged."""
    labels = dict[str, str]()
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, ValueError) as error:
        raise LabelError(path, f"not a labels file ({error!r:.120})", _SOURCES) from error
    for number, line in enumerate(lines, 1):
        try:
            if line.strip():
                row = json.loads(line)
                codes([row["label"]])  # is refused if it is unknown
                labels[url_key(row["url"])] = row["label"]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise LabelError(
                path, f"line {number} is no label ({error!r:.120})", _SOURCES
            ) from error
    labels.pop("", None)  # an invalid link has no URL either
    return labels


def label_links(facts: PageFacts, labels: dict[str, str]) -> Labels:
    """Codes of a page's links from a labels file; links not in the file are unknown, links to no
    page are other."""
    return codes(
        labels.get(url_key(url), "unknown" if url.startswith("http") else "other")
        for url in facts.urls
    )


def _is_listed(fact: UrlFacts) -> bool:
    """Whether a URL says that its page is a listing."""
    return any(fact.values[place] for place in _LISTED)


def label_links_by_feed(
    facts: PageFacts, articles: Iterable[str], *, pages: Iterable[str] = ()
) -> Labels:
    """Codes of a page's links from the URLs of a feed (``articles``) and of a sitemap (``pages``).
    A feed names articles, mostly the newest. Another link is an article where its URL has the
    pattern of at least two of the feed's and none of its own words names a section; a section where
    its URL says so; other where it leaves the site or is a well-known fixed page; unknown
    otherwise."""
    known, listed = {url_key(url) for url in articles}, {url_key(url) for url in pages}
    patterns = Counter(url_facts(f"http://{url}").pattern for url in known)
    domain = url_facts(facts.url).domain

    def name(url: str) -> str:
        key, fact = url_key(url), url_facts(url)
        if key in known:
            return "article"
        if not url.startswith("http") or fact.domain != domain:
            return "other"
        if _is_listed(fact):
            return "section"
        if any(fact.values[place] == 1.0 for place in _FIXED):
            return "other"
        is_alike = patterns[url_facts(f"http://{key}").pattern] >= 2
        if is_alike and (not listed or key in listed):
            return "article"
        return "unknown"

    return codes(map(name, facts.urls))
