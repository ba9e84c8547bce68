"""A folder of templates for version control, one file for each template (``SITE/NAME.json``), and its synchronisation with the store."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sitecrawl.crawl.store import SiteStore
from sitecrawl.errors import TemplateError
from sitecrawl.site.editing import compared_parts, put, take_in
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.by_hand import document_text, read_json
from sitecrawl.templates.template import Template


def sync(folder: Path, store: SiteStore, *, is_dry: bool) -> int:
    """Synchronise a folder with the store and print the differences by site and name; returns the number of conflicts, which are left alone. Of two
    different templates the newer one wins; a hand-written one without a version is newest. Raises TemplateError if a file is damaged or cannot be
    written."""
    models = [model_of(store, site) for site in store.sites()]
    stored = {
        (model.site, one.name): one for model in models for one in model.templates if one.is_trusted or one.locked
    }
    files = {(one.site, one.name): (one, file) for one, file in _read(folder)}
    conflicts = 0
    for site, name in sorted({*stored, *files}):
        safe = (re.sub(r"^\.", "%2E", quote(part, safe="")) for part in (site, name))
        mine, (given, file) = stored.get((site, name)), files.get((site, name), (None, folder.joinpath(*safe)))
        if mine is not None and given is not None and compared_parts(mine) == compared_parts(given):
            continue
        file = file if given else file.with_name(f"{file.name}.json")
        ahead = (given.version or float("inf") if given else -1) - (mine.version if mine else -1)
        one = mine if ahead < 0 else given
        assert one is not None
        number = f"v{one.version}" if one.version else "by hand"
        way = "from the folder" if ahead > 0 else "to the folder" if ahead else "conflict"
        why = str(file) if ahead else f"version {one.version} is not the same in the store and in {file}"
        print(f"{one.id}  {number}  {way}  {why}")
        conflicts += not ahead
        if ahead and not is_dry:
            _take(one, store, file=file, is_given=ahead > 0)
    return conflicts


def model_of(store: SiteStore, site: str) -> SiteModel:
    """The stored model of a site, or an empty one."""
    kept = store.load(site)
    return SiteModel.from_dict(kept) if kept else SiteModel(site)


def _take(template: Template, store: SiteStore, *, file: Path, is_given: bool) -> None:
    """Store the template that wins; one ``given`` without a version gets one, also in its file."""
    has_version = bool(template.version)
    if is_given:
        model = model_of(store, template.site)
        if not take_in(model, template):  # an older version has the same content: it answers again
            put(model, template)
        store.save(template.site, model.to_dict())
    if not is_given or not has_version:
        with suppress(OSError):  # the file cannot be written then either
            file.parent.mkdir(parents=True, exist_ok=True)
        write_file(file, document_text(template.to_dict()))


def read_file(file: Path) -> Any:
    """The JSON of a file. Raises TemplateError if it cannot be read or is damaged."""
    try:
        return read_json(file.read_bytes(), file)
    except OSError as error:
        raise TemplateError(file, f"cannot be read ({error.strerror})", "check the name") from None


def write_file(file: Path, text: str) -> None:
    """Write a file. Raises TemplateError on failure."""
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
