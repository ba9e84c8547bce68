"""What was taught: the labelled pages of a folder, listed, and taken back one by one."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sitecrawl.commands._help import OptionError
from sitecrawl.commands._sites import site_named
from sitecrawl.extras.editor.label_session import READABLE
from sitecrawl.extras.training.dataset import (
    CODES,
    SUFFIX,
    LabelledPage,
    read_site,
    record_files,
    write_site,
)
from sitecrawl.text.chars import printable


class Taught(NamedTuple):
    """A labelled page, its number in the list of its folder, and its file."""

    number: int
    file: Path
    page: LabelledPage


def list_taught(folder: Path, sites: list[str]) -> None:
    """Print the labelled pages of a folder. Raises OptionError where there is none."""
    found = list(_taught(folder))
    if sites:
        known = {one.page.site for one in found}
        wanted = {site_named(site, known) or site for site in sites}
        found = [one for one in found if one.page.site in wanted]
    if not found:
        raise OptionError(f"{folder} holds no labelled page of {', '.join(sites) or 'any site'}")
    for one in found:
        labels = one.page.labels
        said = {name: int((labels == CODES[name]).sum()) for name in ("article", "section")}
        counts = ", ".join(f"{count} {name} links" for name, count in said.items())
        print(printable(f"{one.number:5}  {one.page.facts.url}  {counts} of {len(labels)}"))
    print(f"\nsitecrawl label --undo N --into {folder} takes the labels of a page back")


def undo(folder: Path, words: list[str]) -> None:
    """Take the labels of pages back, by their numbers. Raises OptionError."""
    found = {str(one.number): one for one in _taught(folder)}
    for word in words:
        if word not in found:
            raise OptionError(
                f"no page {word}: sitecrawl label --list --into {folder} numbers them"
            )
    for file in {found[word].file for word in words}:
        gone = {found[word].page.facts.url for word in words if found[word].file == file}
        _write_without(file, gone)
    for word in dict.fromkeys(words):
        print(printable(f"taken back: {found[word].page.facts.url}"))
    print("models that were trained with them keep them: train again")


def _write_without(file: Path, urls: set[str]) -> None:
    left = [page for page in read_site(file) if page.facts.url not in urls]
    file.with_name(file.name.removesuffix(SUFFIX) + READABLE).unlink(missing_ok=True)
    if not left:
        file.unlink()
        return
    head = json.loads(gzip.decompress(file.read_bytes()).partition(b"\n")[0])
    about = {name: head[name] for name in ("host", "source") if name in head}
    write_site(file, left, about=about)


def _taught(folder: Path) -> Iterator[Taught]:
    """Raises LabelError for a damaged file."""
    number = 0
    for file in record_files([folder]):
        for page in read_site(file):
            number += 1
            yield Taught(number, file, page)
