"""Synthetic sites with a trap each: pages without end beside a few sound articles."""

from __future__ import annotations

import random
import re
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qsl, urlsplit

from tests.crawl.runner import Answer, send
from tests.pages import FOOTER, NAVIGATION, article_page, listing_page

ARTICLES = range(20)
"""Numbers of the sound articles of every trap site."""
_HREF = re.compile(r'href="(/[^"]*)"')


def trap_site(kind: str) -> dict[str, bytes | Answer]:
    """The pages of a site with a trap of ``kind``."""
    answer = (ANSWERS | ALWAYS_NEW)[kind]
    return {"/robots.txt": lambda handler: send(handler, 404, b""), "*": answer}


def page(title: str, content: str) -> str:
    """A page that is no article."""
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title} - The Example</title></head>'
        f'<body>{NAVIGATION}<div id="main"><h1>{title}</h1>{content}</div>{FOOTER}</body></html>'
    )


def sound(path: str, more: str = "") -> str | None:
    """The sound part of every site: twenty articles on two listing pages; ``more`` stands below the first."""
    found = re.fullmatch(r"/2024/05/a-(\d+)\.html", path)
    if found and int(found[1]) in ARTICLES:
        return article_page(int(found[1]))
    if path == "/":
        return listing_page(ARTICLES[:10]).replace('<div class="pager">', f'{more}<div class="pager">')
    if path == "/city/page/2/":
        return listing_page(ARTICLES[10:]).replace("/city/page/2/", "/")
    return None


def reply(handler: BaseHTTPRequestHandler, text: str | None) -> None:
    """Send a page, 404 for None."""
    send(handler, 404 if text is None else 200, (text or "").encode())


def calendar(handler: BaseHTTPRequestHandler) -> None:
    """Months without end, each with a link to each of its days; nothing is on."""
    path = urlsplit(handler.path).path
    entry = '<div class="cal"><a href="/events/2024/05/">Calendar of events</a></div>'
    month = re.fullmatch(r"/events/(\d{4})/(\d\d)/", path)
    if month:
        number = int(month[1]) * 12 + int(month[2]) - 1
        turns = "".join(
            f'<a href="/events/{at // 12}/{at % 12 + 1:02d}/">{word}</a> '
            for at, word in ((number - 1, "Previous month"), (number + 1, "Next month"))
        )
        days = "".join(f'<td><a href="{path}{day:02d}/">{day}</a></td>' for day in range(1, 29))
        reply(handler, page(f"Events in {month[2]}/{month[1]}", f"{turns}<table><tr>{days}</tr></table>"))
    elif re.fullmatch(r"/events/\d{4}/\d\d/\d\d/", path):
        reply(handler, page("Events of the day", '<p>No events.</p><a href="/events/2024/05/">Back</a>'))
    else:
        reply(handler, sound(path, entry))


def calendar_by_query(handler: BaseHTTPRequestHandler) -> None:
    """A plug-in's calendar: ``?month=2024-05`` and ``?day=2024-05-01`` on the section's own address."""
    parts = urlsplit(handler.path)
    query = dict(parse_qsl(parts.query))
    entry = '<div class="cal"><a href="/agenda?month=2024-05">Agenda</a></div>'
    if parts.path != "/agenda":
        reply(handler, sound(parts.path, entry))
        return
    year, month = (query.get("month") or query.get("day") or "2024-05").split("-")[:2]
    number = int(year) * 12 + int(month)
    turns = f'<a href="/agenda?month={number // 12}-{number % 12 + 1:02d}">next &raquo;</a>'
    days = "".join(f'<li><a href="/agenda?day={year}-{month}-{day:02d}">{day}</a></li>' for day in range(1, 29))
    reply(handler, page(f"Agenda {year}-{month}", f"{turns}<ul>{days}</ul>"))


def days(handler: BaseHTTPRequestHandler) -> None:
    """A calendar whose every day names the next three at length, as if they were stories."""
    path = urlsplit(handler.path).path
    found = re.fullmatch(r"/agenda/2024/day-(\d+)-in-the-city\.html", path)
    number = int(found[1]) if found else 0
    teasers = "".join(
        f'<div class="teaser"><h2><a href="/agenda/2024/day-{at}-in-the-city.html">What is on in the city on day {at} of this '
        f"year</a></h2></div>"
        for at in range(number + 1, number + 4)
    )
    if found:
        reply(handler, page(f"What is on in the city on day {number}", f"<p>Nothing is on today.</p>{teasers}"))
    else:
        reply(handler, sound(path, teasers))


def sessions(handler: BaseHTTPRequestHandler) -> None:
    """Every link of every page carries a session of its own, in the query, in a parameter of the path or in a folder."""
    path = re.sub(r"^/\(S\(\w+\)\)", "", urlsplit(handler.path).path.partition(";")[0])
    text = sound(path)
    if text is not None:
        text = _HREF.sub(lambda found: f'href="{_marked(found[1])}"', text)
    reply(handler, text)


def _marked(path: str) -> str:
    number = f"{random.getrandbits(96):024x}"
    return random.choice(
        [f"{path}?PHPSESSID={number}", f"{path};jsessionid={number}", f"{path}?sid={number}", f"/(S({number})){path}",
         f"{path}?s={number}", f"{path}?osCsid={number}&amp;CFTOKEN={number[:8]}"]
    )  # fmt: skip


def facets(handler: BaseHTTPRequestHandler) -> None:
    """A listing that can be sorted and filtered in any combination and order, always with the same articles."""
    parts = urlsplit(handler.path)
    if parts.path not in ("/", "/stories"):
        reply(handler, sound(parts.path))
        return
    query = dict(parse_qsl(parts.query))
    choices = {"sort": ("new", "old", "title"), "color": ("red", "blue", "green"), "size": ("small", "large"),
               "place": ("north", "south"), "view": ("list", "grid"), "per_page": ("10", "20", "50")}  # fmt: skip
    links = "".join(
        f'<li><a href="/stories?{_joined(query | {name: value})}">Stories {value}</a></li>'
        for name, values in choices.items()
        for value in values
    )
    turns = "".join(f'<a href="/stories?{_joined(query | {"page": str(at)})}">{at}</a> ' for at in range(1, 4))
    reply(handler, sound("/", f'<ul class="filter">{links}</ul><div class="pages">{turns}</div>'))


def _joined(query: dict[str, str]) -> str:
    pairs = list(query.items())
    random.shuffle(pairs)
    return "&amp;".join(f"{name}={value}" for name, value in pairs)


def empty_pages(handler: BaseHTTPRequestHandler) -> None:
    """Pagination that goes on when there is nothing left to list."""
    found = re.fullmatch(r"/city/page/(\d+)/", urlsplit(handler.path).path)
    number = int(found[1]) if found else 0
    if number < 2:
        reply(handler, sound(handler.path))
    else:
        articles = ARTICLES[10:] if number == 2 else range(0)
        reply(handler, listing_page(articles).replace("/city/page/2/", f"/city/page/{number + 1}/"))


def repeated_pages(handler: BaseHTTPRequestHandler) -> None:
    """Pagination by query whose every page lists the same articles, with a number that never ends."""
    query = dict(parse_qsl(urlsplit(handler.path).query))
    number = int(query.get("start", "0"))
    if query:
        text = listing_page(ARTICLES[10:])
        reply(handler, text.replace("/city/page/2/", f"/?start={number + 10}"))
    else:
        text = sound(handler.path)
        reply(handler, text and text.replace("/city/page/2/", "/?start=10"))


def folders(handler: BaseHTTPRequestHandler) -> None:
    """Relative links that lead ever deeper: ``/news/city/news/city/...``, each page the same as the last."""
    path = urlsplit(handler.path).path
    if re.fullmatch(r"/(?:(?:news|city|archive)/)+", path) and not path.startswith("/city/page"):
        deeper = "".join(f'<li><a href="{name}/">{name.title()}</a></li>' for name in ("news", "city", "archive"))
        text = page(f"Stories in {path.count('/')}", f'<ul class="sub">{deeper}</ul>')
        reply(handler, text)
    else:
        entry = '<ul class="sub"><li><a href="news/">News</a></li><li><a href="archive/">Archive</a></li></ul>'
        reply(handler, sound(path, entry))


def _always_new(way: str) -> Answer:
    """Every link of every page is one that no page had before; articles lead to five others each."""

    def renamed(path: str) -> str:
        number = f"{random.getrandbits(40):010x}"
        return {
            "token": f"{path}?tok={number}",
            "folder": f"/{number}{path}",
            "ref": f"{path}?ref={int(number, 16) % 100}",
        }[way]

    def answer(handler: BaseHTTPRequestHandler) -> None:
        path = re.sub(r"^/[0-9a-f]{10}/", "/", urlsplit(handler.path).path)
        text = sound(path)
        if text is not None and path.startswith("/2024/05/"):
            number = int(re.sub(r"\D", "", path[9:]))
            more = listing_page((number * 7 + at) % len(ARTICLES) for at in range(1, 6))
            teasers = more[more.index('<div class="teaser">') : more.index('<div class="pager">')]
            text = text.replace('<div class="side">', f'<div class="more">{teasers}</div><div class="side">')
        reply(handler, text and _HREF.sub(lambda found: f'href="{renamed(found[1])}"', text))

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
