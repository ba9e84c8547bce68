"""`sitecrawl sites`: the sites that `sitecrawl work` visits again and again."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from sitecrawl.commands._help import Help, OptionError, complain
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.text.chars import printable

if TYPE_CHECKING:
    from sitecrawl.crawl.store import Stores
    from sitecrawl.extras.fleet.schedule import Schedule, Watched


class SitesCommand(OneLineErrors):
    """Changes or prints the schedule in the data folder or on the server."""

    explains = Help(
        "Watch sites: sitecrawl work visits each again and again",
        {
            "add URL|FILE": "watch a site, or those of a file: a URL a line",
            "list": "print what is watched, and when each site is due",
            "status": "show the workers, running and waiting visits, and the last outcome of each site",
            "remove SITE|URL": "stop watching a site; what is known of it stays",
            "pause SITE|URL": "begin no visit of a site until it is resumed",
            "resume SITE|URL": "visit a site again",
            "visit SITE|URL": "make a site due now",
            "stop SITE|URL": "break off the visit of a site; the next one is due after its interval",
        },
        (
            "sitecrawl sites add https://example.com/news/ --every 1h",
            "sitecrawl sites add sites.txt --every 15m --argument effort=quick",
            "sitecrawl sites status --json",
            "sitecrawl sites pause example.com",
            "sitecrawl sites remove example.com",
        ),
        {
            "--every": {
                "default": "1d",
                "help": "time from one visit to the next: 15m, 1h, 7d (default: %(default)s)",
            },
            "--json": "with status: print one JSON object",
            "--argument": {
                "action": "append",
                "default": [],
                "metavar": "NAME=VALUE",
                "help": "argument of a crawl",
            },
        },
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from sitecrawl.extras.fleet.schedule import Schedule
        from sitecrawl.extras.fleet.status import print_status

        stores = self.known.stores
        verb, names = (args or [""])[0], args[1:]
        with closing(Schedule(stores.watched())) as schedule:
            if verb == "add" and names:
                _add(schedule, names, opts=opts)
            elif verb == "remove" and names:
                _remove(schedule, names)
            elif verb in _CHANGES and names:
                _change(names, verb, schedule=schedule, stores=stores)
            elif verb == "list" and not names:
                _list(schedule)
            elif verb == "status" and not names:
                print_status(stores, schedule, as_json=opts.json)
            else:
                raise OptionError(
                    "give add URL|FILE, list, status, or remove, pause, resume, visit or stop SITE|URL"
                    " (--help shows examples)"
                )


def _add(schedule: Schedule, names: list[str], *, opts: argparse.Namespace) -> None:
    from sitecrawl.extras.fleet.schedule import seconds_of

    every = seconds_of(opts.every)
    given = dict(map(_argument, opts.argument))
    added = set()
    with schedule.db.at_once():  # all are watched or, where one of them cannot be, none
        for name in names:
            for url in _urls(name):
                added.add(schedule.add(url, given, every=every))
    if not added:
        raise OptionError(f"{names[0]} holds no URL")
    sites = "1 site is" if len(added) == 1 else f"{len(added)} sites are"
    print(f"{sites} visited every {opts.every}")


def _remove(schedule: Schedule, names: list[str]) -> None:
    found = _known(schedule, names)
    for watched in found:
        if watched.file:
            raise OptionError(f"{watched.name} is named by {watched.file}: remove it there")
    for watched in found:
        schedule.remove(watched.site)
    print(f"no longer watched: {', '.join(names)}; what is known stays")


def _list(schedule: Schedule) -> None:
    known = schedule.all()
    for watched in known:
        print(printable(str(watched)))
    if not known:
        complain("no sites are watched: sitecrawl sites add URL --every 1h")


def _known(schedule: Schedule, names: list[str]) -> list[Watched]:
    """The watched sites of these names. Raises OptionError if one is not watched."""
    found = []
    for name in names:
        watched = schedule.find(name)
        if watched is None:
            raise OptionError(f"{name} is not watched: see sitecrawl sites list")
        found.append(watched)
    return found


# ---- pause, resume, visit, stop
def _change(names: list[str], verb: str, *, schedule: Schedule, stores: Stores) -> None:
    for watched in _known(schedule, names):
        told = _CHANGES[verb](watched, schedule=schedule, stores=stores)
        print(printable(f"{watched.site}: {told}"))


def _pause(watched: Watched, *, schedule: Schedule, stores: Stores) -> str:
    schedule.change(watched.site, paused=1)
    return "paused; a visit that runs goes on"


def _resume(watched: Watched, *, schedule: Schedule, stores: Stores) -> str:
    schedule.change(watched.site, paused=0)
    return "visited again when it is due"


def _visit_now(watched: Watched, *, schedule: Schedule, stores: Stores) -> str:
    from sitecrawl.extras.fleet.activity import activity_of

    # a visit that runs is counted only if the site is still due as it was
    if watched.site in activity_of(stores, schedule).under_way:
        return "is being visited already"
    schedule.change(watched.site, next_visit=schedule.db.now())
    return "due now, once it is resumed" if watched.paused else "due now"


def _stop(watched: Watched, *, schedule: Schedule, stores: Stores) -> str:
    from sitecrawl.extras.fleet.activity import stop_visit

    was_visited = stop_visit(stores, schedule, watched=watched)
    told = "its visit is broken off" if was_visited else "no visit runs"
    return f"{told}; the next one is due in {watched.every} s"


_CHANGES: dict[str, Callable[..., str]] = {
    "pause": _pause,
    "resume": _resume,
    "visit": _visit_now,
    "stop": _stop,
}


# ---- what is given
def _argument(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or name == "start":
        raise OptionError(
            f"--argument {text}: write it as NAME=VALUE, as scrapy crawl site takes it after -a"
        )
    return name, value


def _urls(name: str) -> Iterator[str]:
    """The URLs of an argument: itself, or the lines of a file without those that begin with #."""
    if "://" in name or not Path(name).is_file():
        if "://" not in name and Path(name).suffix in (".txt", ".csv", ".toml"):
            raise OptionError(f"{name} is no file: give a file of URLs, one a line, or a URL")
        yield name
        return
    try:
        lines = Path(name).read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise OptionError(
            f"{name} cannot be read as text: give a file of URLs, one a line"
        ) from None
    yield from (line.strip() for line in lines if line.strip() and not line.startswith("#"))
