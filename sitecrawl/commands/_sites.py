"""One name for a site in all commands: its own, one of its hosts, or a URL; and the list of the
sites."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path

from sitecrawl.commands._help import OptionError
from sitecrawl.crawl.reasons import numbered
from sitecrawl.crawl.store import Stores
from sitecrawl.errors import OTHER_FOLDER, UnknownSiteError, nearest
from sitecrawl.urls.scope import host_of


def site_named(word: str, known: Iterable[str]) -> str | None:
    """The known site that a person means by its name, one of its hosts, or a URL; None for another
    word. A site is named by its hosts with commas.

    >>> known = ["a.example,b.example", "c.example:8000"]
    >>> site_named("b.example", known), site_named("https://a.example/news/", known)
    ('a.example,b.example', 'a.example,b.example')
    >>> site_named("c.example", known), site_named("d.example", known)
    ('c.example:8000', None)
    """
    sites = list(known)
    if word in sites:
        return word
    host = host_of(word if "://" in word else f"http://{word}")
    by_host = [site for site in sites if host in site.split(",")]
    by_name = [site for site in sites if host in _without_ports(site)]
    found = by_host or by_name
    return found[0] if len(found) == 1 else None


def _without_ports(site: str) -> list[str]:
    return [host.partition(":")[0] for host in site.split(",")]


def _names_in_file(data_dir: Path) -> dict[str, str]:
    """The sites by their names in the last file of sites, which `sitecrawl work` copies."""
    found = dict[str, str]()
    with suppress(OSError, ValueError, LookupError, TypeError):
        for row in json.loads((data_dir / "sites.json").read_text("utf8")):
            if row.get("name"):
                starts, *_ = json.loads(row["task"])
                found[row["name"]] = ",".join(sorted({host_of(url) for url in starts}))
    return found


def known_site(stores: Stores, word: str) -> str:
    """The site of that name. Raises UnknownSiteError, which names the nearest one."""
    with closing(stores.learned()) as learned:
        known = learned.sites()
    found = site_named(_names_in_file(stores.data_dir).get(word, word), known)
    if found is None:
        remedy = nearest(word, known) if known else "nothing was crawled into it yet"
        why = f"no such site in {stores.place}"
        raise UnknownSiteError(word, why, f"{remedy}; {OTHER_FOLDER}")
    return found


def list_sites(stores: Stores, then: str) -> None:
    """Print the sites with what is known of each, and ``then``, what to type next with the name of
    one. Raises OptionError where there is none."""
    # the add-on learns templates, and keeps no state of crawls
    with closing(stores.learned()) as learned:
        known = dict.fromkeys(learned.sites(), "only its templates are known")
    for crawl in stores.crawls():
        with closing(crawl):
            withheld = crawl.families.withheld_count()
            left_out = f"  {withheld} left out or withheld" if withheld else ""
            written = numbered(crawl.items.written_count(), "article")
            known[crawl.site] = f"{written} written{left_out}"
    if not known:
        raise OptionError(f"nothing was crawled into {stores.place} yet; {OTHER_FOLDER}")
    width = max(map(len, known))
    for site, told in sorted(known.items()):
        print(f"{site:{width}}  {told}")
    print(f"\nsitecrawl {then.format(min(known))}")
