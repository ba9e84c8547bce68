"""A folder of templates that a team keeps in git, one file a template (``SITE/NAME.json``), and what brings it and the store to the same state."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sitecrawl.crawl.store import SiteStore
from sitecrawl.errors import TemplateError
from sitecrawl.site.editing import compared_parts, put, take_in
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.by_hand import document_text, read_json
from sitecrawl.templates.template import Template


class SyncWay(StrEnum):
    """What is done with a template that is not the same on both sides."""

    WRITE = "to the folder"
    READ = "from the folder"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class SyncStep:
    """One template that is not the same on both sides; ``template`` is the one that wins, ``line`` says it to a person."""

    way: SyncWay
    template: Template
    file: Path
    line: str


def steps_of(folder: Path, models: Mapping[str, SiteModel]) -> Iterator[SyncStep]:
    """What differs between a folder and what is known of sites, by site and name. Raises TemplateError when a file is damaged."""
    stored = {
        (site, one.name): one
        for site, model in models.items()
        for one in model.templates
        if one.is_trusted or one.locked
    }
    files = {(one.site, one.name): (one, file) for one, file in _read(folder)}
    for site, name in sorted({*stored, *files}):
        safe = (re.sub(r"^\.", "%2E", quote(part, safe="")) for part in (site, name))
        mine, (given, file) = stored.get((site, name)), files.get((site, name), (None, folder.joinpath(*safe)))
        if mine is None or given is None or compared_parts(mine) != compared_parts(given):
            yield _step(mine, given, file=file if given else file.with_name(f"{file.name}.json"))


def _step(mine: Template | None, given: Template | None, *, file: Path) -> SyncStep:
    """The newer one of two different templates wins; one that a person wrote without a version is newer than all."""
    ahead = (given.version or float("inf") if given else -1) - (mine.version if mine else -1)
    way = SyncWay.READ if ahead > 0 else SyncWay.WRITE if ahead < 0 else SyncWay.CONFLICT
    one = mine if way is SyncWay.WRITE else given
    assert one is not None
    number = f"v{one.version}" if one.version else "by hand"
    why = f"version {one.version} is not the same in the store and in {file}" if way is SyncWay.CONFLICT else str(file)
    return SyncStep(way, one, file, f"{one.id}  {number}  {way}  {why}")


def model_of(store: SiteStore, site: str) -> SiteModel:
    """What is known of a site, an empty model where nothing is."""
    kept = store.load(site)
    return SiteModel.from_dict(kept) if kept else SiteModel(site)


def take(step: SyncStep, store: SiteStore) -> None:
    """Do a step; a template without a version gets one, in its file as well. Raises TemplateError when a file cannot be written."""
    template, has_version = step.template, bool(step.template.version)
    if step.way is SyncWay.READ:
        model = model_of(store, template.site)
        if not take_in(model, template):  # an older version has the same content: it answers again
            put(model, template)
        store.save(template.site, model.to_dict())
    if step.way is SyncWay.WRITE or not has_version:
        with suppress(OSError):  # the file cannot be written then either
            step.file.parent.mkdir(parents=True, exist_ok=True)
        write_file(step.file, document_text(template.to_dict()))


def read_file(file: Path) -> Any:
    """The JSON of a file. Raises TemplateError where it cannot be read or is damaged."""
    try:
        return read_json(file.read_bytes(), file)
    except OSError as error:
        raise TemplateError(file, f"cannot be read ({error.strerror})", "check the name") from None


def write_file(file: Path, text: str) -> None:
    """Write a file. Raises TemplateError where that cannot be done."""
    try:
        file.write_text(text + "\n", encoding="utf8")
    except OSError as error:
        raise TemplateError(file, f"cannot be written ({error.strerror})", "name another place") from None


def _read(folder: Path) -> Iterator[tuple[Template, Path]]:
    """Templates of a folder with their files."""
    for file in sorted(folder.glob("*/*.json")):
        document = read_file(file)
        if isinstance(document, dict) and "protocol" not in document:
            document = {"site": file.parent.name, "name": file.stem} | document
        try:
            yield Template.from_dict(document), file
        except TemplateError as error:
            raise TemplateError(file, error.reason, "correct the file") from None
