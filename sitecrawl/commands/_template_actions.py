"""The actions of `sitecrawl templates`: functions of the store of what was learned, the words behind the action, and the options."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sitecrawl.commands._http import read_source
from sitecrawl.commands._pack import SyncWay, model_of, steps_of, take
from sitecrawl.crawl.site_models import site_of
from sitecrawl.crawl.store import SiteStore, Stores
from sitecrawl.dom.page import Page
from sitecrawl.errors import SitecrawlError, TemplateError
from sitecrawl.items.article import ITEM_FIELDS, Article
from sitecrawl.plugins import TEMPLATE_ACTIONS, plugged
from sitecrawl.site.editing import difference, field_name, find, lock, put, roll_back, set_field, take_in, versions
from sitecrawl.site.inputs import page_of_html
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.by_hand import document_text, read_json
from sitecrawl.templates.template import Template

_REMEDY = "see sitecrawl templates list"


class ActionError(SitecrawlError):
    """The command was called with words it does not understand."""


def run_action(stores: Stores, args: list[str], opts: argparse.Namespace) -> str:
    """Run the action that the first of ``args`` names, one that is plugged in first; says what is wrong with ``args`` where it cannot."""
    name, words = "".join(args[:1]), args[1:]
    action, plugin = _ACTIONS.get(name), plugged(TEMPLATE_ACTIONS).get(name)
    if action is None and plugin is None:
        return "usage"
    if len(words) < (len(action.words.split()) if action else 1):
        return "too few arguments"
    if plugin is None or not plugin.load()(stores, words, opts.port):
        assert action is not None
        with closing(stores.learned()) as store:
            action.act(store, words, opts)
    return ""


@dataclass(frozen=True, slots=True)
class Action:
    """An action, and the words that it needs at least."""

    act: Callable[[SiteStore, list[str], argparse.Namespace], None]
    words: str = "SITE"


def pages_of_site(model: SiteModel, names: Sequence[str], *, family: str = "") -> list[Page]:
    """Pages by URL or file name, else those that are kept of the site or the family. Raises TemplateError when there is none."""
    if names:
        return [page_of_html(read_source(name), name if "://" in name else None) for name in names]
    kept = model.stored_pages(family)
    if not kept:
        raise TemplateError(model.site, "no page of it is kept", "name pages: files or URLs")
    return kept


def _list(store: SiteStore, words: list[str], opts: argparse.Namespace) -> None:
    sites = words or store.sites()
    if not sites and not opts.json:
        print(f"sitecrawl: nothing was crawled into {store.place} yet", file=sys.stderr)
    for row in _rows(store, sites):
        marks = "".join(f" {mark}" for mark in ("locked", "edited") if row[mark])
        line = f"{row['site']}  {row['template']}  v{row['version']}  {row['state']}{marks}  {row['kind']}  "
        line += f"{row['pages']} pages  used {row['uses']}  {row['created']}"
        print(json.dumps(row, ensure_ascii=False) if opts.json else line)


def _rows(store: SiteStore, sites: Sequence[str]) -> Iterator[dict[str, Any]]:
    """What is known of each version of each template."""
    for site in sites:
        for family, template in versions(site_of(store, site)):
            names = ("version", "state", "locked", "edited", "kind", "created")
            pages = int(template.statistics.get("pages", 0))
            known = {name: getattr(template, name) for name in names}
            yield {"site": site, "template": family.name, "pages": pages, "uses": family.uses, **known}


def _show(store: SiteStore, words: list[str], opts: argparse.Namespace) -> None:
    site, *rest = words
    model = site_of(store, site)
    version = _number(rest[1]) if len(rest) > 1 else None
    for template in [find(model, rest[0], version=version)[1]] if rest else model.templates:
        print(document_text(template.to_dict()))


def _test(store: SiteStore, words: list[str], opts: argparse.Namespace) -> None:
    """Print the items of the pages named, files or URLs, else of the pages of the site that are kept."""
    model = site_of(store, words[0])
    for page in pages_of_site(model, words[1:]):
        print(json.dumps(model.extract_page(page).to_dict(), ensure_ascii=False, indent=2))


def _set(store: SiteStore, words: list[str], opts: argparse.Namespace) -> None:
    """Read a field at another place; prints it as it was and as it is on the pages named, else on those that are kept."""
    where, field, source, *names = words
    site, _, name = where.partition("/")
    model = site_of(store, site)
    able = [template for template in model.templates if name in ("", template.name)]
    if len(able) != 1:
        known = ", ".join(f"{site}/{template.name}" for template in model.templates)
        raise TemplateError(where, f"{len(able)} templates", f"name one: {known}" if known else _REMEDY)
    edited, shown = set_field(able[0], field, source=source), field_name(field)
    pages = pages_of_site(model, names) if names else model.stored_pages(able[0].name)
    before = [_field_line(model.extract_page(page), shown) for page in pages]
    put(model, edited)
    for page, old in zip(pages, before, strict=True):
        print(f"{page.url or 'page'}\n  before: {old}\n  after:  {_field_line(model.extract_page(page), shown)}")
    if not opts.dry_run:
        store.save(site, model.to_dict())
    print(f"{site}  {edited.name}  v{edited.version}  {'not saved (dry run)' if opts.dry_run else 'edited'}")


def _field_line(article: Article, name: str, *, most: int = 300) -> str:
    """A field of an article in one line of some ``most`` characters, and what gave it."""
    value = article.extra.get(name) if name not in ITEM_FIELDS else getattr(article, name)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) if value else "nothing"
    folded = " ".join(text.split())
    return f"{folded[:most]}{'...' if len(folded) > most else ''} (by {article.provenance.method})"


def _sync(store: SiteStore, words: list[str], opts: argparse.Namespace) -> None:
    """Bring the store and a folder of templates to the same state; the newer version wins. Raises TemplateError on conflicts, all else done."""
    conflicts = 0
    for step in steps_of(Path(words[0]), {site: site_of(store, site) for site in store.sites()}):
        print(step.line)
        conflicts += step.way is SyncWay.CONFLICT
        if not opts.dry_run and step.way is not SyncWay.CONFLICT:
            take(step, store)
    if conflicts:
        remedy = "raise the version of the one that is right, or delete its file"
        raise TemplateError(words[0], f"{conflicts} in conflict", remedy)


def _edit(store: SiteStore, words: list[str], opts: argparse.Namespace) -> None:
    """Edit a template in the user's own editor."""
    site, name = words[0], "".join(words[1:2])
    model = site_of(store, site)
    document = _edited(find(model, name)[1])
    if document is None:
        print("nothing changed")
        return
    edited = put(model, document)
    store.save(site, model.to_dict())
    print(f"{site}  {edited.name}  v{edited.version}  edited")


def _edited(template: Template) -> Template | None:
    """The template as the user edited it, None when unchanged. An invalid text is kept in its file so that the user can fix it."""
    file = Path(tempfile.mkdtemp(prefix="sitecrawl-")) / "template.json"
    before = document_text(template.to_dict())
    file.write_text(before, encoding="utf8")
    editor = os.environ.get("EDITOR") or "vi"
    try:
        done = subprocess.run([*shlex.split(editor), str(file)], check=False)
    except (OSError, ValueError) as error:
        raise ActionError(f"the editor {editor!r} cannot be run ({error}): set EDITOR") from None
    if done.returncode:
        raise ActionError(f"the editor {editor!r} ended with {done.returncode}: nothing changed")
    try:
        found = None if file.read_text(encoding="utf8") == before else Template.from_dict(_json(file))
    except (TemplateError, OSError, UnicodeDecodeError) as error:
        reason = error.reason if isinstance(error, TemplateError) else str(error)
        raise TemplateError(file, reason, f"correct it, then run sitecrawl templates import {file}") from None
    shutil.rmtree(file.parent)
    return found


def _lock(store: SiteStore, words: list[str], opts: argparse.Namespace, *, locked: bool = True) -> None:
    site, name = words[:2]
    model = site_of(store, site)
    template = lock(model, name, locked=locked)
    store.save(site, model.to_dict())
    print(f"{site}  {name}  v{template.version}  {'locked' if locked else 'unlocked'}")


def _unlock(store: SiteStore, words: list[str], opts: argparse.Namespace) -> None:
    _lock(store, words, opts, locked=False)


def _export(store: SiteStore, words: list[str], opts: argparse.Namespace) -> None:
    documents = [document_text(template.to_dict()) for _, template in versions(site_of(store, words[0]))]
    text = "[" + ",\n".join(documents) + "]"
    if len(words) == 1:
        print(text)
        return
    try:
        Path(words[1]).write_text(text + "\n", encoding="utf8")
    except OSError as error:
        raise TemplateError(words[1], f"cannot be written ({error.strerror})", "give another file") from None


def _import(store: SiteStore, words: list[str], opts: argparse.Namespace) -> None:
    for name in words:
        found = _json(Path(name))
        for document in found if isinstance(found, list) else [found]:
            template = Template.from_dict(document)
            model = model_of(store, template.site)
            new = take_in(model, template)
            store.save(template.site, model.to_dict())
            print(f"{template.id}  v{template.version}  {f'imported, {template.state}' if new else 'known already'}")


def _forget(store: SiteStore, words: list[str], opts: argparse.Namespace) -> None:
    for site in words:
        if not store.forget(site):
            raise TemplateError(site, "no such site in the store", _REMEDY)
        print(f"{site}  forgotten")


def _diff(store: SiteStore, words: list[str], opts: argparse.Namespace) -> None:
    site, name, old, new = words[:4]
    print(difference(site_of(store, site), name, old=_number(old), new=_number(new)))


def _rollback(store: SiteStore, words: list[str], opts: argparse.Namespace) -> None:
    site, name, version = words[:3]
    model = site_of(store, site)
    template = roll_back(model, name, version=_number(version))
    store.save(site, model.to_dict())
    print(f"{site}  {name}  v{template.version}  answers again")


def _number(text: str) -> int:
    digits = text.removeprefix("v")
    if not (digits.isdecimal() and len(digits) < 10):
        raise ActionError(f"{text[:60]!r} is not a version number")
    return int(digits)


def _json(path: Path) -> Any:
    try:
        return read_json(path.read_bytes(), path)
    except OSError as error:
        raise TemplateError(path, f"cannot be read ({error.strerror})", "check the name") from None


_ACTIONS = {
    "list": Action(_list, ""),
    "show": Action(_show),
    "test": Action(_test),
    "set": Action(_set, "SITE FIELD ADDRESS"),
    "edit": Action(_edit),
    "lock": Action(_lock, "SITE NAME"),
    "unlock": Action(_unlock, "SITE NAME"),
    "export": Action(_export),
    "import": Action(_import, "FILE"),
    "sync": Action(_sync, "DIR"),
    "forget": Action(_forget),
    "diff": Action(_diff, "SITE NAME V1 V2"),
    "rollback": Action(_rollback, "SITE NAME VERSION"),
}
