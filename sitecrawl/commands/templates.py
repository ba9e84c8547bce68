"""`scrapy templates`: show what was learned about sites, test it on pages, correct it, share it."""

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

from sitecrawl.commands._help import Help
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.crawl.config import CrawlSettings
from sitecrawl.crawl.store import SiteStore
from sitecrawl.errors import SitecrawlError, TemplateError
from sitecrawl.site.editing import difference, find, lock, put, roll_back, versions
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.template import Template

_USAGE = """list | show SITE [NAME] [VERSION] | test SITE PAGE... | edit SITE NAME | lock SITE NAME | unlock SITE NAME
  | export SITE [FILE] | import FILE... | forget SITE | diff SITE NAME V1 V2 | rollback SITE NAME VERSION"""


class UsageError(SitecrawlError):
    """The command was called with arguments it does not understand."""


class Command(OneLineErrors, ScrapyCommand):
    """Runs the action named by its first argument on the templates in ``SITECRAWL_DATA_DIR``."""

    explains = Help(
        "List, show, test, edit, lock, share, compare or forget the templates of sites",
        {"ACTION": "what to do: " + " ".join(_USAGE.split())},
        (
            "sitecrawl templates list --json",
            "sitecrawl templates show www.example.com",
            "sitecrawl templates test www.example.com saved.html",
            "sitecrawl templates rollback www.example.com template-1 v1",
        ),
    )

    def syntax(self) -> str:
        return _USAGE

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="a line of JSON a template: list --json")

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        store = CrawlSettings.from_settings(self.settings).stores.learned()
        try:
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


def _model(store: SiteStore, site: str) -> SiteModel:
    document = store.load(site)
    if document is None:
        raise TemplateError(site, "no such site in the store", "see sitecrawl templates list")
    return SiteModel.from_dict(document)


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
        for family, template in versions(_model(store, site)):
            facts = {
                name: getattr(template, name) for name in ("version", "state", "locked", "edited", "kind", "created")
            }
            pages = int(template.statistics.get("pages", 0))
            yield {"site": site, "template": family.name, "pages": pages, "uses": family.uses, **facts}


def _show(store: SiteStore, args: list[str]) -> None:
    site, *rest = _take(args, 1)
    model = _model(store, site)
    wanted = [find(model, rest[0], _number(rest[1]) if len(rest) > 1 else None)[1]] if rest else model.templates
    for template in wanted:
        print(json.dumps(template.to_dict(), ensure_ascii=False, indent=2))


def _test(store: SiteStore, args: list[str]) -> None:
    site, *pages = _take(args, 2)
    model = _model(store, site)
    for name in pages:
        item = model.extract(_bytes(name)).to_dict()
        print(json.dumps(item, ensure_ascii=False, indent=2))


def _edit(store: SiteStore, args: list[str]) -> None:
    site, name = _take(args, 2)[:2]
    model = _model(store, site)
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
    before = json.dumps(template.to_dict(), ensure_ascii=False, indent=2)
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
    model = _model(store, site)
    template = lock(model, name, locked)
    store.save(site, model.to_dict())
    print(f"{site}  {name}  v{template.version}  {'locked' if locked else 'unlocked'}")


def _unlock(store: SiteStore, args: list[str]) -> None:
    _lock(store, args, False)


def _export(store: SiteStore, args: list[str]) -> None:
    site, *rest = _take(args, 1)
    text = json.dumps([template.to_dict() for template in _model(store, site).templates], ensure_ascii=False, indent=2)
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
            put(model, template)
            store.save(template.site, model.to_dict())
            print(f"{template.id}  v{template.version}  imported")


def _forget(store: SiteStore, args: list[str]) -> None:
    for site in _take(args, 1):
        if not store.forget(site):
            raise TemplateError(site, "no such site in the store", "see sitecrawl templates list")
        print(f"{site}  forgotten")


def _diff(store: SiteStore, args: list[str]) -> None:
    site, name, old, new = _take(args, 4)[:4]
    print(difference(_model(store, site), name, _number(old), _number(new)))


def _rollback(store: SiteStore, args: list[str]) -> None:
    site, name, version = _take(args, 3)[:3]
    model = _model(store, site)
    template = roll_back(model, name, _number(version))
    store.save(site, model.to_dict())
    print(f"{site}  {name}  v{template.version}  answers again")


def _number(text: str) -> int:
    digits = text.removeprefix("v")
    if not digits.isdecimal():
        raise UsageError(f"{text!r} is not a version number")
    return int(digits)


def _bytes(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise TemplateError(name, f"cannot be read ({error.strerror})", "check the name") from None


def _json(path: Path) -> Any:
    try:
        return json.loads(_bytes(str(path)))
    except ValueError:
        raise TemplateError(path, "is not JSON", "export it again") from None


_ACTIONS = {
    "list": _list, "list --json": _list_json, "show": _show, "test": _test, "edit": _edit, "lock": _lock, "unlock": _unlock, "export": _export,
    "import": _import, "forget": _forget, "diff": _diff, "rollback": _rollback,
}  # fmt: skip
