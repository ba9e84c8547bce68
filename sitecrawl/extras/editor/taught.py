"""What was taught: the labelled pages of a folder, listed, and taken back one by one."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sitecrawl.commands._help import OptionError
from sitecrawl.commands._sites import site_named
from sitecrawl.crawl.database import write_whole
from sitecrawl.extras.training.dataset import (
    CODES,
    LABEL_OF,
    SUFFIX,
    LabelledPage,
    read_site,
    record_files,
    write_site,
)
from sitecrawl.links.link_features import targets_of
from sitecrawl.text.chars import printable


class Taught(NamedTuple):
    """A labelled page, its number in the list of its folder, and its file."""

    number: int
    file: Path
    page: LabelledPage

    @property
    def url(self) -> str:
        return self.page.facts.url

    @property
    def counts(self) -> str:
        """How many links of the page have which label."""
        labels = self.page.labels
        said = {name: int((labels == CODES[name]).sum()) for name in ("article", "section")}
        counts = ", ".join(f"{count} {name} links" for name, count in said.items())
        return f"{counts} of {len(labels)}"


def list_taught(folder: Path, sites: list[str]) -> None:
    """Print the labelled pages of a folder. Raises OptionError where there is none."""
    found = list(taught_pages(folder))
    if sites:
        known = {one.page.site for one in found}
        wanted = {site_named(site, known) or site for site in sites}
        found = [one for one in found if one.page.site in wanted]
    if not found:
        raise OptionError(f"{folder} holds no labelled page of {', '.join(sites) or 'any site'}")
    for one in found:
        print(printable(f"{one.number:5}  {one.url}  {one.counts}"))
    print(f"\nsitecrawl label --undo N --into {folder} takes the labels of a page back")


def undo(folder: Path, words: list[str]) -> None:
    """Take the labels of pages back, by their numbers. Raises OptionError."""
    found = {str(one.number): one for one in taught_pages(folder)}
    for word in words:
        if word not in found:
            raise OptionError(
                f"no page {word}: sitecrawl label --list --into {folder} numbers them"
            )
    pages = [found[word] for word in dict.fromkeys(words)]
    take_back(pages)
    for page in pages:
        print(printable(f"taken back: {page.url}"))
    print("models that were trained with them keep them: train again")


def take_back(pages: list[Taught]) -> None:
    """Take labelled pages out of their files. Raises LabelError."""
    for file in {page.file for page in pages}:
        _write_without(file, {page.url for page in pages if page.file == file})


def _write_without(file: Path, urls: set[str]) -> None:
    left = [page for page in read_site(file) if page.facts.url not in urls]
    if not left:
        _readable(file).unlink(missing_ok=True)
        file.unlink()
        return
    head = json.loads(gzip.decompress(file.read_bytes()).partition(b"\n")[0])
    about = {name: head[name] for name in ("host", "source") if name in head}
    write_site(file, left, about=about)
    write_readable(file)


def write_readable(file: Path) -> None:
    """Write the labels of a file of records for review: JSON lines of ``url`` and ``label`` in
    order of URL, as ``label --labels`` reads them. Raises LabelError, OSError."""
    found = dict[str, str]()
    for page in read_site(file):
        target_of = targets_of(page.facts)[0].tolist()
        codes = page.target_labels().tolist()
        for link, target in enumerate(target_of):
            if target >= 0 and codes[target] in LABEL_OF:
                found[page.facts.urls[link]] = LABEL_OF[codes[target]]
    lines = [
        json.dumps({"url": url, "label": found[url]}, ensure_ascii=False) for url in sorted(found)
    ]
    write_whole(_readable(file), "".join(f"{line}\n" for line in lines))


def _readable(file: Path) -> Path:
    return file.with_name(f"{file.name.removesuffix(SUFFIX)}.labels.jsonl")


def taught_pages(folder: Path) -> Iterator[Taught]:
    """The labelled pages of a folder, in order of their files. Raises LabelError for a damaged
    one."""
    number = 0
    for file in record_files([folder]):
        for page in read_site(file):
            number += 1
            yield Taught(number, file, page)
