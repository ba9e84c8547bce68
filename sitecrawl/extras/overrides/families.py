"""`sitecrawl families SITE`: the page families of a site; keep or drop one, and get its items
without another crawl."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from sitecrawl.commands._help import Help, OptionError, complain
from sitecrawl.commands._output import OneLineErrors


def _family(what: str) -> dict[str, Any]:
    """An option that names a family and may be given several times."""
    return {"metavar": "N", "action": "append", "default": [], "help": what}


class FamiliesCommand(OneLineErrors):
    """Lists the page families of a site and stores the user's decisions."""

    explains = Help(
        "List what a site publishes, family by family; keep or drop a family",
        {"[SITE]": "name, host or URL of a site; without it the sites are listed"},
        (
            "sitecrawl families",
            "sitecrawl families example.com",
            "sitecrawl families example.com --keep 3 -o articles.jsonl",
            "sitecrawl families example.com --drop 2 --forget 5",
            "sitecrawl families example.com --json",
        ),
        {
            "--keep": _family("write its items, also those left out so far: --keep 3"),
            "--drop": _family("no longer write its items: --drop 2"),
            "--forget": _family("forget your decision about it: --forget 5"),
            "-o --output": {
                "metavar": "FILE.jsonl",
                "help": "feed to which --keep adds the items left out so far: --output articles.jsonl (default: the next feed of a crawl)",
            },
            "--json": "a line of JSON a family: --json",
        },
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from sitecrawl.commands._sites import known_site, list_sites
        from sitecrawl.extras.overrides.judged_families import JudgedFamilies
        from sitecrawl.site.page_families import Choice

        stores = self.known.stores
        if len(args) > 1:
            raise OptionError("name one site: sitecrawl families example.com")
        if not args:
            list_sites(stores, "families {}")
            return
        site = known_site(stores, args[0])
        with JudgedFamilies.of(stores, site) as families:
            rows = families.table()
            options = ((Choice.KEEP, opts.keep), (Choice.DROP, opts.drop), (None, opts.forget))
            choices = dict[str, Choice | None]()
            for choice, words in options:
                for word in words:
                    name = _family_named(word, rows, site=site)
                    if name in choices:
                        raise OptionError(
                            f"{word} is named twice: choose one of --keep, --drop and --forget"
                        )
                    choices[name] = choice
            if not choices:
                _print_rows(rows, site, as_json=opts.json)
                return
            families.store_choices(choices)
            if opts.output:
                _write_kept(families, Path(opts.output))
            for row in rows:
                if row["family"] in choices:
                    complain(_told(row, choices[row["family"]], output=opts.output))


def _family_named(word: str, rows: list[dict[str, Any]], *, site: str) -> str:
    """The name of the family with that number or name. Raises OptionError."""
    for row in rows:
        if word in (str(row["number"]), row["family"]):
            return str(row["family"])
    raise OptionError(f"no family {word!r}: sitecrawl families {site} numbers them")


def _write_kept(families: Any, path: Path) -> None:
    """Add the items of kept families that no feed has to one. Raises OptionError, with which no
    item is lost: the state still withholds them."""
    from sitecrawl.extensions import mend_feed
    from sitecrawl.items.feed_items import without_places

    if path.suffix not in (".jsonl", ".jl"):
        raise OptionError(f"{path}: give a feed of JSON lines, such as -o articles.jsonl")
    families.state.lock()
    try:
        if path.is_file():
            mend_feed(path)
        with open(path, "a", encoding="utf8", errors="replace") as feed:
            for item in families.kept_items():
                feed.write(json.dumps(without_places(item), ensure_ascii=False) + "\n")
    except OSError as error:
        raise OptionError(f"{path} cannot be written ({error.strerror})") from None
    families.release()


def _told(row: dict[str, Any], choice: Any, *, output: str | None) -> str:
    """What a decision did, and where."""
    from sitecrawl.crawl.reasons import numbered
    from sitecrawl.site.page_families import Choice

    said = f"{row['number']}: {row['like']}"
    if choice is None:
        return f"{said}: your decision is forgotten"
    if choice is Choice.DROP:
        return f"{said}: its items are left out from now on"
    items = numbered(row["withheld"], "item")
    if not row["withheld"]:
        return f"{said}: later crawls write its items; none was left out so far"
    if output:
        return f"{said}: {items} written to {output}; later crawls write its new ones"
    verb = "is" if row["withheld"] == 1 else "are"
    return f"{said}: {items} {verb} written by the next crawl into its feed (or now: -o FILE.jsonl)"


def _print_rows(rows: list[dict[str, Any]], site: str, *, as_json: bool) -> None:
    """Print the families: one line of JSON each, or two lines of text."""
    from sitecrawl.text.chars import printable

    for row in rows:
        if as_json:
            print(json.dumps(row, ensure_ascii=False))
            continue
        doubtful = ", doubtful" if row["doubtful"] else ""
        print(printable(f"{row['number']}: {row['like']}: {row['fate']}{doubtful}"))
        print(printable(f"     {row['why']} ({row['family']})"))
        if row["against"]:
            print(printable(f"     against it: {'; '.join(row['against'])}"))
        if row["example"]:
            print(printable(f"     the reasons for one page: sitecrawl why {row['example']}"))
    if rows and not as_json:
        print(
            f"\nsitecrawl families {site} --keep 1 writes the items of the first one, --drop 1 leaves them out"
        )
