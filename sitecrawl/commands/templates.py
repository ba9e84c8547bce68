"""`sitecrawl templates`: show what was learned about sites, test it on pages, correct it, share it."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from scrapy.commands import ScrapyCommand

from sitecrawl.commands._fetch import read_source
from sitecrawl.commands._help import Help
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.commands._pack import Way, steps_of, take
from sitecrawl.commands._serve import serve
from sitecrawl.crawl.config import CrawlSettings
from sitecrawl.crawl.store import SiteStore, Stores
from sitecrawl.dom.page import Page
from sitecrawl.errors import SitecrawlError, TemplateError
from sitecrawl.items.article import ITEM_FIELDS, Article
from sitecrawl.labels.bench import Bench, site_of
from sitecrawl.labels.template_work import TemplateWork
from sitecrawl.site.editing import difference, field_name, find, lock, put, roll_back, set_field, take_in, versions
from sitecrawl.site.inputs import page_of_html
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.by_hand import document_text, read_json
from sitecrawl.templates.template import Template

_USAGE = """list | show SITE [NAME] [VERSION] | test SITE [PAGE|URL...] | set SITE[/NAME] FIELD 'CSS or XPath' [PAGE|URL...]
  | edit SITE[/NAME] [PAGE|URL...] | edit SITE NAME | lock SITE NAME | unlock SITE NAME | export SITE [FILE] | import FILE... | sync DIR | forget SITE
  | diff SITE NAME V1 V2 | rollback SITE NAME VERSION; set and sync take --dry-run"""
_LONGEST = 300
"""Characters of a value that are shown."""


_REMEDY = "see sitecrawl templates list"


class UsageError(SitecrawlError):
    """The command was called with arguments it does not understand."""


class Command(OneLineErrors, ScrapyCommand):
    """Runs the action named by its first argument on the templates in ``SITECRAWL_DATA_DIR``."""

    explains = Help(
        "List, show, test, edit, lock, share, compare or forget the templates of sites",
        {"ACTION": "what to do: " + " ".join(_USAGE.split())},
        (
            "sitecrawl templates list --json",
            "sitecrawl templates show example.com",
            "sitecrawl templates test example.com saved.html",
            "sitecrawl templates set example.com headline 'h1.title' --dry-run",
            "sitecrawl templates edit example.com",
            "sitecrawl templates sync templates/",
            "sitecrawl templates rollback example.com template-1 v1",
        ),
    )

    def syntax(self) -> str:
        return _USAGE

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="a line of JSON a template: list --json")
        parser.add_argument(
            "-n", "--dry-run", action="store_true", help="with set and sync: say what would change, change nothing"
        )
        parser.add_argument(
            "--port", type=int, default=0, help="port of the editor: edit SITE --port 8090 (default: one that is free)"
        )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        stores = CrawlSettings.from_settings(self.settings).stores
        store = stores.learned()
        try:
            if args[:1] == ["edit"] and (work := _bench(store, args[1:], stores)):
                return serve(TemplateWork(work), opts.port, f"edit {work.model.site}/{work.name}")
            if args[:1] == ["sync"]:
                _sync(store, _take(args[1:], 1)[0], opts.dry_run)
            elif args[:1] == ["set"]:
                _set(store, args[1:], opts.dry_run)
            else:
                action = "list --json" if args[:1] == ["list"] and opts.json else "".join(args[:1])
                _ACTIONS.get(action, _unknown)(store, args[1:])
        finally:
            store.close()


def _unknown(store: SiteStore, args: list[str]) -> None:
    raise UsageError(f"usage: sitecrawl templates {_USAGE}")


def _take(args: list[str], least: int) -> list[str]:
    if len(args) < least:
        raise UsageError(f"too few arguments: sitecrawl templates {_USAGE}")
    return args


def _list(store: SiteStore, args: list[str]) -> None:
    sites = args or store.sites()
    if not sites:
        print(f"sitecrawl: nothing was crawled into {store.place} yet", file=sys.stderr)
    for row in _rows(store, sites):
        marks = "".join(f" {mark}" for mark in ("locked", "edited") if row[mark])
        print(f"{row['site']}  {row['template']}  v{row['version']}  {row['state']}{marks}  {row['kind']}  "
              f"{row['pages']} pages  used {row['uses']}  {row['created']}")  # fmt: skip


def _list_json(store: SiteStore, args: list[str]) -> None:
    for row in _rows(store, args or store.sites()):
        print(json.dumps(row, ensure_ascii=False))


def _rows(store: SiteStore, sites: Sequence[str]) -> Iterator[dict[str, Any]]:
    """What is known of each version of each template."""
    for site in sites:
        for family, template in versions(site_of(store, site)):
            facts = {
                name: getattr(template, name) for name in ("version", "state", "locked", "edited", "kind", "created")
            }
            pages = int(template.statistics.get("pages", 0))
            yield {"site": site, "template": family.name, "pages": pages, "uses": family.uses, **facts}


def _show(store: SiteStore, args: list[str]) -> None:
    site, *rest = _take(args, 1)
    model = site_of(store, site)
    wanted = [find(model, rest[0], _number(rest[1]) if len(rest) > 1 else None)[1]] if rest else model.templates
    for template in wanted:
        print(document_text(template.to_dict()))


def _test(store: SiteStore, args: list[str]) -> None:
    """Items of the pages named, files or URLs, else of the pages of the site that are kept."""
    site, *pages = _take(args, 1)
    model = site_of(store, site)
    for page in _pages(model, site, pages):
        print(json.dumps(model.extract_page(page).to_dict(), ensure_ascii=False, indent=2))


def _pages(model: SiteModel, site: str, names: list[str], family: str = "") -> list[Page]:
    """Pages by URL or file name, else those that are kept. Raises TemplateError when there is none."""
    kept = [] if names else model.stored_pages(family)
    if not names and not kept:
        raise TemplateError(site, "no page of it is kept", "name pages: files or URLs")
    return kept or [page_of_html(read_source(name), name if "://" in name else None) for name in names]


def _set(store: SiteStore, args: list[str], dry_run: bool = False) -> None:
    """Read a field at another place; shows what it was and what it is on the pages named, else on those that are kept."""
    where, field, source, *names = _take(args, 3)
    site, _, name = where.partition("/")
    model = site_of(store, site)
    able = [template for template in model.templates if name in ("", template.name)]
    if len(able) != 1:
        known = ", ".join(f"{site}/{template.name}" for template in model.templates)
        raise TemplateError(where, f"{len(able)} templates", f"name one: {known}" if known else _REMEDY)
    edited, told = set_field(able[0], field, source), field_name(field)
    pages = _pages(model, site, names, able[0].name) if names or model.stored_pages(able[0].name) else []
    before = [_told(model.extract_page(page), told) for page in pages]
    put(model, edited)
    for page, old in zip(pages, before, strict=True):
        print(f"{page.url or 'page'}\n  before: {old}\n  after:  {_told(model.extract_page(page), told)}")
    if not dry_run:
        store.save(site, model.to_dict())
    print(f"{site}  {edited.name}  v{edited.version}  {'not saved (dry run)' if dry_run else 'edited'}")


def _told(article: Article, name: str) -> str:
    """A field of an article as one short line, and who gave it."""
    value = article.extra.get(name) if name not in ITEM_FIELDS else getattr(article, name)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) if value else "nothing"
    folded = " ".join(text.split())
    return f"{folded[:_LONGEST]}{'...' if len(folded) > _LONGEST else ''} (by {article.provenance.method})"


def _sync(store: SiteStore, folder: str, dry_run: bool) -> None:
    """Bring the store and a folder of templates to the same state; the newer version wins. Raises TemplateError on conflicts, all else done."""
    conflicts = 0
    for step in steps_of(Path(folder), {site: site_of(store, site) for site in store.sites()}):
        print(step.line)
        conflicts += step.what is Way.CONFLICT
        if not dry_run and step.what is not Way.CONFLICT:
            take(step, store)
    if conflicts:
        raise TemplateError(
            folder, f"{conflicts} in conflict", "raise the version of the one that is right, or delete its file"
        )


def _bench(store: SiteStore, args: list[str], stores: Stores) -> Bench | None:
    """The template to be edited in the browser, None where one is named that the user's own editor is to open."""
    where, *names = _take(args, 1)
    site, _, name = where.partition("/")
    model = site_of(store, site)
    if not name and len(names) == 1 and any(family.name == names[0] for family in model.families):
        return None
    template = find(model, name)[1] if name else next(iter(model.templates), None)
    if template is None:
        raise TemplateError(site, "no template yet", "crawl more of the site, or import one, see docs/templates.md")
    return Bench(model, template.name, _pages(model, site, names, template.name), stores.learned)


def _edit(store: SiteStore, args: list[str]) -> None:
    site, name = _take(args, 2)[:2]
    model = site_of(store, site)
    _, template = find(model, name)
    document = _edited(template)
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
    _open_editor(file)
    try:
        found = None if file.read_text(encoding="utf8") == before else Template.from_dict(_json(file))
    except (TemplateError, OSError, UnicodeDecodeError) as error:
        reason = error.reason if isinstance(error, TemplateError) else str(error)
        raise TemplateError(file, reason, f"correct it, then run sitecrawl templates import {file}") from None
    shutil.rmtree(file.parent)
    return found


def _open_editor(file: Path) -> None:
    """Open ``file`` in the user's editor. Raises UsageError when the editor cannot be run or fails."""
    editor = os.environ.get("EDITOR") or "vi"
    try:
        done = subprocess.run([*shlex.split(editor), str(file)], check=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"the editor {editor!r} cannot be run ({error}): set EDITOR") from None
    if done.returncode:
        raise UsageError(f"the editor {editor!r} ended with {done.returncode}: nothing changed")


def _lock(store: SiteStore, args: list[str], locked: bool = True) -> None:
    site, name = _take(args, 2)[:2]
    model = site_of(store, site)
    template = lock(model, name, locked)
    store.save(site, model.to_dict())
    print(f"{site}  {name}  v{template.version}  {'locked' if locked else 'unlocked'}")


def _unlock(store: SiteStore, args: list[str]) -> None:
    _lock(store, args, False)


def _export(store: SiteStore, args: list[str]) -> None:
    site, *rest = _take(args, 1)
    documents = [document_text(template.to_dict()) for _, template in versions(site_of(store, site))]
    text = "[" + ",\n".join(documents) + "]"
    if rest:
        try:
            Path(rest[0]).write_text(text + "\n", encoding="utf8")
        except OSError as error:
            raise TemplateError(rest[0], f"cannot be written ({error.strerror})", "give another file") from None
    else:
        print(text)


def _import(store: SiteStore, args: list[str]) -> None:
    for name in _take(args, 1):
        found = _json(Path(name))
        for document in found if isinstance(found, list) else [found]:
            template = Template.from_dict(document)
            kept = store.load(template.site)
            model = SiteModel.from_dict(kept) if kept else SiteModel(template.site)
            new = take_in(model, template)
            store.save(template.site, model.to_dict())
            print(f"{template.id}  v{template.version}  {f'imported, {template.state}' if new else 'known already'}")


def _forget(store: SiteStore, args: list[str]) -> None:
    for site in _take(args, 1):
        if not store.forget(site):
            raise TemplateError(site, "no such site in the store", _REMEDY)
        print(f"{site}  forgotten")


def _diff(store: SiteStore, args: list[str]) -> None:
    site, name, old, new = _take(args, 4)[:4]
    print(difference(site_of(store, site), name, _number(old), _number(new)))


def _rollback(store: SiteStore, args: list[str]) -> None:
    site, name, version = _take(args, 3)[:3]
    model = site_of(store, site)
    template = roll_back(model, name, _number(version))
    store.save(site, model.to_dict())
    print(f"{site}  {name}  v{template.version}  answers again")


def _number(text: str) -> int:
    digits = text.removeprefix("v")
    if not digits.isdecimal():
        raise UsageError(f"{text!r} is not a version number")
    return int(digits)


def _json(path: Path) -> Any:
    try:
        return read_json(path.read_bytes(), path)
    except OSError as error:
        raise TemplateError(path, f"cannot be read ({error.strerror})", "check the name") from None


_ACTIONS = {
    "list": _list, "list --json": _list_json, "show": _show, "test": _test, "edit": _edit, "lock": _lock, "unlock": _unlock, "export": _export,
    "import": _import, "forget": _forget, "diff": _diff, "rollback": _rollback,
}  # fmt: skip
