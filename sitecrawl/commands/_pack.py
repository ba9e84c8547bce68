"""A folder of templates that a team keeps in git, one file a template (``SITE/NAME.json``), and what brings it and the store to the same state."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import quote

from sitecrawl.crawl.store import SiteStore
from sitecrawl.errors import TemplateError
from sitecrawl.site.editing import put, says, take_in
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.by_hand import document_text, read_json
from sitecrawl.templates.template import Template


class Way(StrEnum):
    """What is done with a template that is not the same on both sides."""

    WRITE = "to the folder"
    READ = "from the folder"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class Step:
    """One template that is not the same on both sides; ``template`` is the one that wins."""

    what: Way
    template: Template
    file: Path
    line: str


def steps_of(folder: Path, models: Mapping[str, SiteModel]) -> Iterator[Step]:
    """What differs between a folder and what is known of sites, by site and name. Raises TemplateError when a file is damaged."""
    ours = {
        (site, one.name): one
        for site, model in models.items()
        for one in model.templates
        if one.is_trusted or one.locked
    }
    theirs = {(one.site, one.name): (one, file) for one, file in _read(folder)}
    for key in sorted({*ours, *theirs}):
        mine, (given, file) = ours.get(key), theirs.get(key, (None, _file(folder, key)))
        if step := _step(mine, given, file):
            yield step


def _step(mine: Template | None, given: Template | None, file: Path) -> Step | None:
    if mine is not None and given is not None and says(mine) == says(given):
        return None
    ahead = (given.version or float("inf") if given else -1) - (mine.version if mine else -1)
    what, one = (Way.READ, given) if ahead > 0 else (Way.WRITE, mine) if ahead < 0 else (Way.CONFLICT, given)
    assert one is not None
    number = f"v{one.version}" if one.version else "by hand"
    why = f"version {one.version} is not the same in the store and in {file}" if what is Way.CONFLICT else str(file)
    return Step(what, one, file, f"{one.id}  {number}  {what}  {why}")


def take(step: Step, store: SiteStore) -> None:
    """Do a step; a template without a version gets one, in its file as well. Raises TemplateError when a file cannot be written."""
    template = step.template
    if step.what is Way.READ:
        kept = store.load(template.site)
        model = SiteModel.from_dict(kept) if kept else SiteModel(template.site)
        written = bool(template.version)
        if not take_in(model, template):  # an older version that says this is there: it answers again
            put(model, template)
        store.save(template.site, model.to_dict())
        if written:
            return
    try:
        step.file.parent.mkdir(parents=True, exist_ok=True)
        step.file.write_text(document_text(template.to_dict()) + "\n", encoding="utf8")
    except OSError as error:
        raise TemplateError(step.file, f"cannot be written ({error.strerror})", "name another folder") from None


def _read(folder: Path) -> Iterator[tuple[Template, Path]]:
    """Templates of a folder with their files."""
    for file in sorted(folder.glob("*/*.json")):
        try:
            text = file.read_bytes()
        except OSError as error:
            raise TemplateError(file, f"cannot be read ({error.strerror})", "check the file") from None
        document = read_json(text, file)
        if isinstance(document, dict) and "protocol" not in document:
            document = {"site": file.parent.name, "name": file.stem} | document
        try:
            yield Template.from_dict(document), file
        except TemplateError as error:
            raise TemplateError(file, error.reason, "correct the file") from None


def _file(folder: Path, key: tuple[str, str]) -> Path:
    site, name = (re.sub(r"^\.", "%2E", quote(part, safe="")) for part in key)
    return folder / site / f"{name}.json"
