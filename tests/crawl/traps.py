"""Synthetic sites with a trap each: pages without end beside a few sound articles."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.pages import FOOTER, NAVIGATION, article_page, listing_page

ARTICLES = range(20)
"""Numbers of the sound articles of every trap site."""
_HREF = re.compile(r'href="(/[^"]*)"')


Answer = Callable[[str], str | None]
"""The page at a URL; None where there is none."""


def trap_site(kind: str) -> dict[str, Any]:
    """The pages of a site with a trap of ``kind``."""
    return {"/robots.txt": None, "*": (ANSWERS | ALWAYS_NEW)[kind]}


def page(title: str, content: str) -> str:
    """A page that is no article."""
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title} - The Example</title></head>'
        f'<body>{NAVIGATION}<div id="main"><h1>{title}</h1>{content}</div>{FOOTER}</body></html>'
    )


def sound(path: str, more: str = "") -> str | None:
    """The sound part of every site: twenty articles on two listing pages; ``more`` stands below the
    first."""
    found = re.fullmatch(r"/2024/05/a-(\d+)\.html", path)
    if found and int(found[1]) in ARTICLES:
        return article_page(int(found[1]))
    if path == "/":
        return listing_page(ARTICLES[:10]).replace(
            '<div class="pager">', f'{more}<div class="pager">'
        )
    if path == "/city/page/2/":
        return listing_page(ARTICLES[10:]).replace("/city/page/2/", "/")
    return None


def calendar(url: str) -> str | None:
    """Months without end, each with a link to each of its days; nothing is on."""
    path = urlsplit(url).path
    entry = '<div class="cal"><a href="/events/2024/05/">Calendar of events</a></div>'
    month = re.fullmatch(r"/events/(\d{4})/(\d\d)/", path)
    if month:
        number = int(month[1]) * 12 + int(month[2]) - 1
        turns = "".join(
            f'<a href="/events/{at // 12}/{at % 12 + 1:02d}/">{word}</a> '
            for at, word in ((number - 1, "Previous month"), (number + 1, "Next month"))
        )
        days = "".join(f'<td><a href="{path}{day:02d}/">{day}</a></td>' for day in range(1, 29))
        return page(f"Events in {month[2]}/{month[1]}", f"{turns}<table><tr>{days}</tr></table>")
    if re.fullmatch(r"/events/\d{4}/\d\d/\d\d/", path):
        return page("Events of the day", '<p>No events.</p><a href="/events/2024/05/">Back</a>')
    return sound(path, entry)


def calendar_by_query(url: str) -> str | None:
    """A plug-in's calendar: ``?month=2024-05`` and ``?day=2024-05-01`` on the section's own
    address."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    entry = '<div class="cal"><a href="/agenda?month=2024-05">Agenda</a></div>'
    if parts.path != "/agenda":
        return sound(parts.path, entry)
    year, month = (query.get("month") or query.get("day") or "2024-05").split("-")[:2]
    number = int(year) * 12 + int(month)
    turns = f'<a href="/agenda?month={number // 12}-{number % 12 + 1:02d}">next &raquo;</a>'
    days = "".join(
        f'<li><a href="/agenda?day={year}-{month}-{day:02d}">{day}</a></li>' for day in range(1, 29)
    )
    return page(f"Agenda {year}-{month}", f"{turns}<ul>{days}</ul>")


def days(url: str) -> str | None:
    """A calendar whose every day names the next three at length, as if they were stories."""
    path = urlsplit(url).path
    found = re.fullmatch(r"/agenda/2024/day-(\d+)-in-the-city\.html", path)
    number = int(found[1]) if found else 0
    teasers = "".join(
        f'<div class="teaser"><h2><a href="/agenda/2024/day-{at}-in-the-city.html">What is on in the city on day {at} of this '
        f"year</a></h2></div>"
        for at in range(number + 1, number + 4)
    )
    if found:
        return page(
            f"What is on in the city on day {number}", f"<p>Nothing is on today.</p>{teasers}"
        )
    return sound(path, teasers)


def sessions(url: str) -> str | None:
    """Every link of every page carries a session of its own, in the query, in a parameter of the
    path or in a folder."""
    path = re.sub(r"^/\(S\(\w+\)\)", "", urlsplit(url).path.partition(";")[0])
    text = sound(path)
    if text is not None:
        text = _HREF.sub(lambda found: f'href="{_marked(found[1])}"', text)
    return text


def _marked(path: str) -> str:
    number = f"{random.getrandbits(96):024x}"
    return random.choice(
        [f"{path}?PHPSESSID={number}", f"{path};jsessionid={number}", f"{path}?sid={number}", f"/(S({number})){path}",
         f"{path}?s={number}", f"{path}?osCsid={number}&amp;CFTOKEN={number[:8]}"]
    )  # fmt: skip


def facets(url: str) -> str | None:
    """A listing that can be sorted and filtered in any combination and order, always with the same
    articles."""
    parts = urlsplit(url)
    if parts.path not in ("/", "/stories"):
        return sound(parts.path)
    query = dict(parse_qsl(parts.query))
    choices = {
        "sort": ("new", "old", "title"),
        "color": ("red", "blue", "green"),
        "size": ("small", "large"),
        "place": ("north", "south"),
        "view": ("list", "grid"),
        "per_page": ("10", "20", "50"),
    }
    links = "".join(
        f'<li><a href="/stories?{_joined(query | {name: value})}">Stories {value}</a></li>'
        for name, values in choices.items()
        for value in values
    )
    turns = "".join(
        f'<a href="/stories?{_joined(query | {"page": str(at)})}">{at}</a> ' for at in range(1, 4)
    )
    return sound("/", f'<ul class="filter">{links}</ul><div class="pages">{turns}</div>')


def _joined(query: dict[str, str]) -> str:
    pairs = list(query.items())
    random.shuffle(pairs)
    return "&amp;".join(f"{name}={value}" for name, value in pairs)


def empty_pages(url: str) -> str | None:
    """Pagination that goes on when there is nothing left to list."""
    found = re.fullmatch(r"/city/page/(\d+)/", urlsplit(url).path)
    number = int(found[1]) if found else 0
    if number < 2:
        return sound(urlsplit(url).path)
    articles = ARTICLES[10:] if number == 2 else range(0)
    return listing_page(articles).replace("/city/page/2/", f"/city/page/{number + 1}/")


def repeated_pages(url: str) -> str | None:
    """Pagination by query whose every page lists the same articles, with a number that never
    ends."""
    query = dict(parse_qsl(urlsplit(url).query))
    number = int(query.get("start", "0"))
    if query:
        text = listing_page(ARTICLES[10:])
        return text.replace("/city/page/2/", f"/?start={number + 10}")
    text = sound(urlsplit(url).path)
    return text and text.replace("/city/page/2/", "/?start=10")


def folders(url: str) -> str | None:
    """Relative links that lead ever deeper: ``/news/city/news/city/...``, each page the same as the
    last."""
    path = urlsplit(url).path
    if re.fullmatch(r"/(?:(?:news|city|archive)/)+", path) and not path.startswith("/city/page"):
        deeper = "".join(
            f'<li><a href="{name}/">{name.title()}</a></li>' for name in ("news", "city", "archive")
        )
        return page(f"Stories in {path.count('/')}", f'<ul class="sub">{deeper}</ul>')
    entry = '<ul class="sub"><li><a href="news/">News</a></li><li><a href="archive/">Archive</a></li></ul>'
    return sound(path, entry)


def _always_new(way: str) -> Answer:
    """Every link of every page is one that no page had before; articles lead to five others
    each."""

    def renamed(path: str) -> str:
        number = f"{random.getrandbits(40):010x}"
        return {
            "token": f"{path}?tok={number}",
            "folder": f"/{number}{path}",
            "ref": f"{path}?ref={int(number, 16) % 100}",
        }[way]

    def answer(url: str) -> str | None:
        path = re.sub(r"^/[0-9a-f]{10}/", "/", urlsplit(url).path)
        text = sound(path)
        if text is not None and path.startswith("/2024/05/"):
            number = int(re.sub(r"\D", "", path[9:]))
            more = listing_page((number * 7 + at) % len(ARTICLES) for at in range(1, 6))
            teasers = more[more.index('<div class="teaser">') : more.index('<div class="pager">')]
            text = text.replace(
                '<div class="side">', f'<div class="more">{teasers}</div><div class="side">'
            )
        return text and _HREF.sub(lambda found: f'href="{renamed(found[1])}"', text)

    return answer


ANSWERS: dict[str, Answer] = {
    "calendar": calendar,
    "calendar by query": calendar_by_query,
    "days": days,
    "sessions": sessions,
    "facets": facets,
    "empty pages": empty_pages,
    "repeated pages": repeated_pages,
    "folders": folders,
}
ALWAYS_NEW = {way: _always_new(way) for way in ("token", "ref", "folder")}
"""The same twenty articles under new URLs without end."""
