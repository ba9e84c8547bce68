"""`sitecrawl sites`: the sites that `sitecrawl work` visits again and again."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from sitecrawl.commands._help import Help, OptionError, complain
from sitecrawl.commands._output import OneLineErrors


class SitesCommand(OneLineErrors):
    """Changes or prints the schedule in the data folder or on the server."""

    explains = Help(
        "Watch sites: sitecrawl work visits each again and again",
        {
            "add URL|FILE": "watch a site, or those of a file: a URL a line",
            "list": "print what is watched, and when each site is due",
            "remove SITE|URL": "stop watching a site; what is known of it stays",
        },
        (
            "sitecrawl sites add https://example.com/news/ --every 1h",
            "sitecrawl sites add sites.txt --every 15m --argument effort=quick",
            "sitecrawl sites remove example.com",
        ),
        {
            "--every": {
                "default": "1d",
                "help": "time from one visit to the next: 15m, 1h, 7d (default: %(default)s)",
            },
            "--argument": {
                "action": "append",
                "default": [],
                "metavar": "NAME=VALUE",
                "help": "argument of a crawl",
            },
        },
    )

    def act(self, args: list[str], opts: argparse.Namespace) -> None:
        from sitecrawl.extras.fleet.schedule import Schedule, seconds_of
        from sitecrawl.text.chars import printable

        with closing(Schedule(self.known.stores.watched())) as schedule:
            match args:
                case ["add", *names] if names:
                    every, given = seconds_of(opts.every), dict(map(_argument, opts.argument))
                    with (
                        schedule.db.at_once()
                    ):  # all are watched or, where one of them cannot be, none
                        added = {
                            schedule.add(url, given, every=every)
                            for name in names
                            for url in _urls(name)
                        }
                    if not added:
                        raise OptionError(f"{names[0]} holds no URL")
                    print(
                        f"{len(added)} {'site is' if len(added) == 1 else 'sites are'} visited every {opts.every}"
                    )
                case ["remove", *names] if names:
                    if unknown := [name for name in names if not schedule.remove(name)]:
                        raise OptionError(f"{unknown[0]} is not watched: see sitecrawl sites list")
                    print(f"no longer watched: {', '.join(names)}; what is known stays")
                case ["list"]:
                    for watched in (known := schedule.all()):
                        print(printable(str(watched)))
                    if not known:
                        complain("no sites are watched: sitecrawl sites add URL --every 1h")
                case _:
                    raise OptionError(
                        "give add URL|FILE, list, or remove SITE|URL (--help shows examples)"
                    )


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
