"""The actions of `sitecrawl templates`: functions of the store, and the synchronisation of a folder
for version control with it."""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import chain
from math import inf
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sitecrawl.commands._help import OptionError
from sitecrawl.commands._http import read_source
from sitecrawl.commands._sites import known_site
from sitecrawl.crawl.site_models import model_of, site_of
from sitecrawl.crawl.store import SiteStore, Stores
from sitecrawl.dom.page import Page
from sitecrawl.errors import OTHER_FOLDER, OTHER_SITE, TemplateError, UnknownSiteError
from sitecrawl.extras.overrides import template_edits as edits
from sitecrawl.extras.overrides.by_hand import ALIASES, address_of, document_text, template_of
from sitecrawl.items.article import ITEM_FIELDS, Article, FieldKind
from sitecrawl.items.kinds import TemplateState
from sitecrawl.plugins import TEMPLATE_ACTIONS, plugged
from sitecrawl.site.inputs import page_of_html
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.address import find
from sitecrawl.templates.field_values import read
from sitecrawl.templates.template import Template

_REMEDY = "see sitecrawl templates list"


def run_action(stores: Stores, args: list[str], *, opts: argparse.Namespace) -> bool:
    """Run the action named by the first of ``args``, plug-ins first. False if ``args`` are no
    action."""
    args = _with_site(stores, args)
    name, words = "".join(args[:1]), args[1:]
    plugin = plugged(TEMPLATE_ACTIONS).get(name)
    if plugin is not None and (not words or plugin.load()(stores, words)):
        return bool(words)
    with closing(stores.learned()) as store:
        return _run(store, args, opts=opts)


def _with_site(stores: Stores, args: list[str]) -> list[str]:
    """The words of an action with the name of the site in place of a host, a URL or the name in a
    file of sites."""
    if len(args) < 2 or args[0] in ("import", "sync"):
        return args
    action, where, *rest = args
    with closing(stores.learned()) as store:
        if where in store.sites():
            return args
    if "://" not in where and "/" in where:  # SITE/NAME
        site, _, name = where.partition("/")
        return [action, f"{known_site(stores, site)}/{name}", *rest]
    return [action, known_site(stores, where), *rest]


def _run(store: SiteStore, args: list[str], *, opts: argparse.Namespace) -> bool:
    """Run an action: the first ones change nothing, the others change sites. False if ``args`` are
    no action."""
    match args:
        case ["list", *sites]:
            _list(store, sites or store.sites())
        case ["show", site]:
            for template in site_of(store, site).templates:
                print(document_text(template.to_dict()))
        case ["show", site, name, *rest]:
            version = _number(rest[0]) if rest else None
            print(
                document_text(edits.find(site_of(store, site), name, version=version)[1].to_dict())
            )
        case ["test", site, *names]:
            model = site_of(store, site)
            for page in pages_of_site(model, names):
                print(json.dumps(model.extract_page(page).to_dict(), ensure_ascii=False, indent=2))
        case ["diff", site, name, old, new, *_]:
            print(edits.difference(site_of(store, site), name, old=_number(old), new=_number(new)))
        case ["export", site, *files]:
            documents = [
                document_text(template.to_dict())
                for _, template in edits.versions(site_of(store, site))
            ]
            text = "[" + ",\n".join(documents) + "]"
            if files:
                write_file(Path(files[0]), text)
            else:
                print(text)
        case ["set", where, field, source, *names]:
            _set(store, where, field=field, source=source, names=names, opts=opts)
        case ["sync", folder, *_]:
            if conflicts := sync(Path(folder), store, is_dry=opts.dry_run):
                remedy = "raise the version of the one that is right, or delete its file"
                raise TemplateError(folder, f"{conflicts} in conflict", remedy)
        case ["import", file, *more]:
            _import(store, [file, *more])
        case ["forget", site, *more]:
            for each in (site, *more):
                if not store.forget(each):
                    raise UnknownSiteError(each, f"no such site in {store.place}", OTHER_SITE)
                print(f"{each}  forgotten")
        case ["edit", site, *names]:
            document = _edited(edits.find(site_of(store, site), "".join(names[:1]))[1])
            if document is None:
                print("nothing changed")
            else:
                model = site_of(store, site)  # a crawl may have saved it since
                _keep(store, model, template=edits.put(model, document), done="edited")
        case ["lock" | "unlock" as word, site, name, *_]:
            model = site_of(store, site)
            _keep(
                store,
                model,
                template=edits.lock(model, name, locked=word == "lock"),
                done=f"{word}ed",
            )
        case ["rollback", site, name, version, *_]:
            model = site_of(store, site)
            _keep(
                store,
                model,
                template=edits.roll_back(model, name, version=_number(version)),
                done="answers again",
            )
        case _:
            return False
    return True


def _keep(store: SiteStore, model: SiteModel, *, template: Template, done: str) -> None:
    """Store a site with a changed template, and say so."""
    store.save(model.site, model.to_dict())
    print(f"{model.site}  {template.name}  v{template.version}  {done}")


def pages_of_site(model: SiteModel, names: Sequence[str], *, family: str = "") -> list[Page]:
    """Pages by URL or file name, else the stored pages of the site or the family. Raises
    TemplateError if there are none."""
    if names:
        return [page_of_html(*read_source(name)) for name in names]
    kept = model.stored_pages(family)
    if not kept:
        raise TemplateError(model.site, "no page of it is kept", "name pages: files or URLs")
    return kept


def _list(store: SiteStore, sites: Sequence[str]) -> None:
    if not sites:
        print(
            f"sitecrawl: nothing was crawled into {store.place} yet; {OTHER_FOLDER}",
            file=sys.stderr,
        )
    for site in sites:
        for family, template in edits.versions(site_of(store, site)):
            state = [template.state.value]
            if template.locked:
                state.append("locked")
            if template.edited:
                state.append("edited")
            pages = int(template.statistics.get("pages", 0))
            known = f"{' '.join(state)}  {template.kind}  {pages} pages  used {family.uses}"
            print(f"{site}  {family.name}  v{template.version}  {known}  {template.created}")


def _set(
    store: SiteStore,
    where: str,
    *,
    field: str,
    source: str,
    names: list[str],
    opts: argparse.Namespace,
) -> None:
    """Read a field at another place; prints its value before and after, on the named pages or the
    stored ones. Raises TemplateError if none has it."""
    site, _, name = where.partition("/")
    model = site_of(store, site)
    able = [template for template in model.templates if name in ("", template.name)]
    if len(able) != 1:
        known = ", ".join(f"{site}/{template.name}" for template in model.templates)
        reason = "no such template" if name else "which one?"
        raise TemplateError(where, reason, f"choose from {known}" if known else _REMEDY)
    edited = edits.set_field(able[0], field, source=source)
    shown = ALIASES.get(field, field)
    pages = pages_of_site(model, names, family=able[0].name)
    count = sum(_has(page, shown, address=address_of(source)) for page in pages)
    if not count:
        reason = f"finds nothing, or several elements, on every page that was tried ({len(pages)})"
        raise TemplateError(source, reason, "correct it, or name pages that have it: files or URLs")
    before = [_field_line(model.extract_page(page), shown) for page in pages]
    edits.put(model, edited)
    for page, old in zip(pages, before, strict=True):
        after = _field_line(model.extract_page(page), shown)
        print(f"{page.url or 'page'}\n  before: {old}\n  after:  {after}")
    if opts.dry_run:
        print(f"{site}  {edited.name}  v{edited.version}  not saved (dry run)")
        return
    _keep(store, model, template=edited, done=f"edited (found on {count} of {len(pages)} pages)")


def _has(page: Page, field: str, *, address: str) -> bool:
    """Whether an address finds a field on a page: one element, or several of a list."""
    kind = ITEM_FIELDS[field].kind if field in ITEM_FIELDS else FieldKind.TEXT
    if kind in (FieldKind.NAMES, FieldKind.LINKS):
        return bool(find(address, page.root))
    return bool(read(address, page))


def _field_line(article: Article, name: str, *, most: int = 300) -> str:
    """A field of an article in one line of about ``most`` characters, and its origin."""
    value = article.extra.get(name) if name not in ITEM_FIELDS else getattr(article, name)
    text = (
        value
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False)
        if value
        else "nothing"
    )
    folded = " ".join(text.split())
    return f"{folded[:most]}{'...' if len(folded) > most else ''} (by {article.provenance.method})"


def _edited(template: Template) -> Template | None:
    """The template as the user edited it; None if it is unchanged. An invalid text stays in its
    file so that the user can correct it."""
    file = Path(tempfile.mkdtemp(prefix="sitecrawl-")) / "template.json"
    before = document_text(template.to_dict())
    file.write_text(before, encoding="utf8")
    editor = os.environ.get("EDITOR") or "vi"
    try:
        done = subprocess.run([*shlex.split(editor), str(file)], check=False)
    except (OSError, ValueError) as error:
        raise OptionError(f"the editor {editor!r} cannot be run ({error}): set EDITOR") from None
    if done.returncode:
        raise OptionError(f"the editor {editor!r} ended with {done.returncode}: nothing changed")
    try:
        found = None if file.read_text(encoding="utf8") == before else template_of(read_file(file))
    except (TemplateError, OSError, UnicodeDecodeError) as error:
        reason = error.reason if isinstance(error, TemplateError) else str(error)
        raise TemplateError(
            file, reason, f"correct it, then run sitecrawl templates import {file}"
        ) from None
    shutil.rmtree(file.parent)
    return found


def _import(store: SiteStore, files: list[str]) -> None:
    for name in files:
        found = read_file(Path(name))
        for document in found if isinstance(found, list) else [found]:
            template = template_of(document)
            model = model_of(store, template.site)
            new = edits.take_in(model, template)
            store.save(template.site, model.to_dict())
            print(
                f"{template.id}  v{template.version}  {f'imported, {template.state}' if new else 'known already'}"
            )


def _number(text: str) -> int:
    digits = text.removeprefix("v")
    if not (digits.isdecimal() and len(digits) < 10):
        raise OptionError(f"{text[:60]!r} is not a version number")
    return int(digits)


# ---- a folder with one file for each template: SITE/NAME.json
@dataclass(frozen=True, slots=True)
class Difference:
    """A template that is not the same in the store and in its file; None where it is missing."""

    mine: Template | None
    given: Template | None
    file: Path

    @property
    def ahead(self) -> float:
        """How many versions the file is ahead. A hand-written one without a version is newest."""
        mine = -1 if self.mine is None else self.mine.version
        if self.given is None:
            return -1 - mine
        return (self.given.version or inf) - mine

    @property
    def newer(self) -> Template:
        newer = self.mine if self.ahead < 0 else self.given
        assert newer is not None
        return newer

    def __str__(self) -> str:
        one = self.newer
        number = f"v{one.version}" if one.version else "by hand"
        if not self.ahead:
            why = f"version {one.version} is not the same in the store and in {self.file}"
            return f"{one.id}  {number}  conflict  {why}"
        way = "from the folder" if self.ahead > 0 else "to the folder"
        return f"{one.id}  {number}  {way}  {self.file}"


def sync(folder: Path, store: SiteStore, *, is_dry: bool) -> int:
    """Synchronise a folder with the store and print the differences by site and name; returns the
    number of conflicts, which are not resolved. Of two different templates the newer one wins. One
    that was withdrawn since it was written is not read again. Raises TemplateError if a file is
    damaged or cannot be written."""
    conflicts = 0
    for found in _differences(folder, store):
        print(found)
        if not found.ahead:
            conflicts += 1
        elif not is_dry:
            _take(found.newer, store, file=found.file, is_given=found.ahead > 0)
    return conflicts


def _differences(folder: Path, store: SiteStore) -> Iterator[Difference]:
    models = [model_of(store, site) for site in store.sites()]
    stored = _by_name(chain.from_iterable(map(_in_use, models)))
    withdrawn = _by_name(chain.from_iterable(map(_withdrawn, models)))
    files = {(one.site, one.name): (one, file) for one, file in _read(folder)}
    for key in sorted({*stored, *files}):
        given, file = files.get(key) or (None, _file_of(folder, *key))
        same = stored.get(key) or withdrawn.get(key)
        if not given or not same or edits.compared_parts(same) != edits.compared_parts(given):
            yield Difference(stored.get(key), given, file)


def _in_use(model: SiteModel) -> list[Template]:
    return [one for one in model.templates if one.is_trusted or one.locked]


def _withdrawn(model: SiteModel) -> list[Template]:
    return [one for _, one in edits.versions(model) if one.state is TemplateState.DRIFTING]


def _by_name(templates: Iterable[Template]) -> dict[tuple[str, str], Template]:
    return {(one.site, one.name): one for one in templates}


def _file_of(folder: Path, site: str, name: str) -> Path:
    """Where the file of a template is written; a name may hold what no file name holds."""
    safe_site, safe_name = (re.sub(r"^\.", "%2E", quote(part, safe="")) for part in (site, name))
    return folder / safe_site / f"{safe_name}.json"


def _take(template: Template, store: SiteStore, *, file: Path, is_given: bool) -> None:
    """Store the template that wins; one ``given`` without a version gets one, also in its file."""
    has_version = bool(template.version)
    if is_given:
        model = model_of(store, template.site)
        if not edits.take_in(
            model, template
        ):  # an older version has the same content: it answers again
            edits.put(model, template)
        store.save(template.site, model.to_dict())
    if not is_given or not has_version:
        with suppress(OSError):  # the file cannot be written then either
            file.parent.mkdir(parents=True, exist_ok=True)
        write_file(file, document_text(template.to_dict()))


def read_file(file: Path) -> Any:
    """The JSON of a file. Raises TemplateError if it cannot be read, is not JSON, or is nested too
    deep."""
    try:
        return json.loads(file.read_bytes())
    except OSError as error:
        raise TemplateError(file, f"cannot be read ({error.strerror})", "check the name") from None
    except (ValueError, RecursionError) as error:
        why = "is nested too deep" if isinstance(error, RecursionError) else "is not JSON"
        raise TemplateError(file, why, "correct it, or export it again") from None


def write_file(file: Path, text: str) -> None:
    """Write a file. Raises TemplateError on failure."""
    try:
        file.write_text(text + "\n", encoding="utf8")
    except OSError as error:
        raise TemplateError(
            file, f"cannot be written ({error.strerror})", "name another place"
        ) from None


def _read(folder: Path) -> Iterator[tuple[Template, Path]]:
    for file in sorted(folder.glob("*/*.json")):
        document = read_file(file)
        if isinstance(document, dict) and "protocol" not in document:
            document = {"site": file.parent.name, "name": file.stem} | document
        try:
            yield template_of(document), file
        except TemplateError as error:
            raise TemplateError(file, error.reason, "correct the file") from None
