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
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from sitecrawl.commands._help import OptionError
from sitecrawl.commands._http import read_source
from sitecrawl.commands._pack import SyncWay, model_of, read_file, steps_of, take, write_file
from sitecrawl.crawl.site_models import site_of
from sitecrawl.crawl.store import SiteStore, Stores
from sitecrawl.dom.page import Page
from sitecrawl.errors import TemplateError
from sitecrawl.items.article import ITEM_FIELDS, Article
from sitecrawl.plugins import TEMPLATE_ACTIONS, plugged
from sitecrawl.site.editing import difference, field_name, find, lock, put, roll_back, set_field, take_in, versions
from sitecrawl.site.inputs import page_of_html
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.by_hand import document_text
from sitecrawl.templates.template import Template

_REMEDY = "see sitecrawl templates list"


def run_action(stores: Stores, args: list[str], opts: argparse.Namespace) -> str:
    """Run the action that the first of ``args`` names, one that is plugged in first; says what is wrong with ``args`` where it cannot."""
    name, words = "".join(args[:1]), args[1:]
    needed, act = _ACTIONS.get(name, (1, None))
    plugin = plugged(TEMPLATE_ACTIONS).get(name)
    if act is None and plugin is None:
        return "usage"
    if len(words) < needed:
        return "too few arguments"
    if plugin is None or not plugin.load()(stores, words, opts.port):
        assert act is not None
        with closing(stores.learned()) as store:
            act(store, words, opts)
    return ""


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
    for site in sites:
        for family, template in versions(site_of(store, site)):
            names = ("version", "state", "locked", "edited", "kind", "created")
            row = {"site": site, "template": family.name} | {name: getattr(template, name) for name in names}
            row |= {"pages": int(template.statistics.get("pages", 0)), "uses": family.uses}
            marks = "".join(f" {mark}" for mark in ("locked", "edited") if row[mark])
            line = "{site}  {template}  v{version}  {state}{marks}  {kind}  {pages} pages  used {uses}  {created}"
            print(json.dumps(row, ensure_ascii=False) if opts.json else line.format(marks=marks, **row))


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
        raise OptionError(f"the editor {editor!r} cannot be run ({error}): set EDITOR") from None
    if done.returncode:
        raise OptionError(f"the editor {editor!r} ended with {done.returncode}: nothing changed")
    try:
        found = None if file.read_text(encoding="utf8") == before else Template.from_dict(read_file(file))
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


def _export(store: SiteStore, words: list[str], opts: argparse.Namespace) -> None:
    documents = [document_text(template.to_dict()) for _, template in versions(site_of(store, words[0]))]
    text = "[" + ",\n".join(documents) + "]"
    if len(words) == 1:
        print(text)
        return
    write_file(Path(words[1]), text)


def _import(store: SiteStore, words: list[str], opts: argparse.Namespace) -> None:
    for name in words:
        found = read_file(Path(name))
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
        raise OptionError(f"{text[:60]!r} is not a version number")
    return int(digits)


Action = Callable[[SiteStore, list[str], argparse.Namespace], None]
_ACTIONS: dict[str, tuple[int, Action]] = {
    "list": (0, _list),
    "show": (1, _show),
    "test": (1, _test),
    "set": (3, _set),
    "edit": (1, _edit),
    "lock": (2, _lock),
    "unlock": (2, partial(_lock, locked=False)),
    "export": (1, _export),
    "import": (1, _import),
    "sync": (1, _sync),
    "forget": (1, _forget),
    "diff": (4, _diff),
    "rollback": (3, _rollback),
}
"""Actions by name, each after the number of words that it needs at least."""
