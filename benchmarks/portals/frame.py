"""What stands on every page of a portal: the line above, the logo, the menu, the foot; and the way to other pages of a listing."""

from __future__ import annotations

from benchmarks.portals import schemes
from benchmarks.portals.entries import announced
from benchmarks.portals.site import SECTION, Item, Site

FLAT = {"ul": 6, "div": 3, "bar": 2, "bare": 3, "table": 1, "p": 1, "br": 1, "dl": 1, "cells": 1}
INLINE = {"bare": 4, "bar": 3, "dot": 1, "ul": 3}
ICONS = {"{}": 8, '<i class="icon"></i>': 1, "<span>{}</span>": 2, '<i class="fa"></i>{}': 2}
LOGOS = {"picture": 4, "div": 3, "h1": 4, "h2": 1, "p": 1, "none": 1}
ACTIONS = (
    "# javascript:void(0) /rss.xml http://social.example/s /user/login.php /login /member/register /search /feed/ /wap/ javascript:;"
).split()
"""Where the words of the top line lead."""


def menu(site: Site, role: str, items: list[Item]) -> str:
    """Plain links in a row or a column; nothing where there are none."""
    if not items:
        return ""
    return site.style.rows(role, [[site.link(item)] for item in items], FLAT)


def some(site: Site, key: str, items: list[Item], most: int) -> list[Item]:
    """A choice of items that stays the same on all pages."""

    def draw() -> list[Item]:
        number = site.chance.randint(min(2, most), most)
        return site.chance.sample(items, min(len(items), number))

    return site.once(f"some {key}", draw)


def top(site: Site) -> str:
    """The line above all: actions that lead nowhere, login, languages."""
    actions = "".join(f'<a href="{href}">{text}</a> ' for text, href in site.once("actions", lambda: _actions(site)))
    return site.style.wrap("top", f"<span>{site.tongue.text(2)}</span>{actions}")


def _actions(site: Site) -> list[tuple[str, str]]:
    chance, phrases = site.chance, site.tongue.phrases("actions")
    return [(text, chance.choice(ACTIONS)) for text in chance.sample(phrases, chance.randint(1, min(5, len(phrases))))]


def head(site: Site) -> str:
    """What stands for the site, mostly a link to its front page, now and then a line about it; the menu within or after."""
    form = site.style.form("logo", LOGOS)
    about = f"<p>{site.tongue.text(3 + site.number % 20)}</p>" if site.number % 3 == 0 else ""
    inside = navigation(site) if site.once("nav inside", lambda: site.chance.random() < 0.5) else ""
    whole = site.style.wrap("head", _logo(site, form) + about + inside)
    return whole if inside else whole + navigation(site)


def _logo(site: Site, form: str) -> str:
    if form == "none":
        return ""
    picture = f'<img src="/logo.png" alt="{site.name}">'
    if form == "picture":
        return site.link(site.home, picture)
    inner = f"{picture}<span>{site.name}</span>" if site.number % 6 == 0 else site.name
    return f"<{form}>{site.link(site.home, inner)}</{form}>"


def navigation(site: Site) -> str:
    """Home, sections and fixed pages, flat or with menus that open."""
    entries = site.once("nav", lambda: _entries(site))
    drops = 0.9 if site.tasks or "mega" in site.traits else 0.5
    if not site.once("drops", lambda: site.chance.random() < drops):
        icons = site.style.form("nav icons", ICONS)
        rows = [[site.link(item, icons.format(item.title))] for item in entries]
        return site.style.wrap("nav", site.style.rows("nav.list", rows, FLAT))
    rows = [[_opening(site, number, entries)] for number in range(len(entries))]
    return site.style.wrap("nav", site.style.rows("nav.list", rows, {"ul": 6, "div": 2}))


def _opening(site: Site, number: int, entries: list[Item]) -> str:
    """An entry of the menu with what lies below it: subsections, fixed pages or people."""
    item = entries[number]
    below = [sub for sub in site.subs if sub.above == item]
    if site.tasks and (not below or number % 2):
        below = [*below, *site.tasks[number :: len(entries)]]
    if site.shelves and number == 1:
        below = site.shelves
    if not below and number % 3 == 1:
        below = site.fixed[number :: len(entries)][:6]
    if not below and number == 2 and site.number % 9 == 0:
        below = site.people
    posts = _posts(site, item) if "mega" in site.traits else []
    if not below and not posts:
        return site.link(item)
    plain = f'<a href="{("#", "javascript:;")[number % 2]}">{item.title}</a>'
    cards = site.style.form("mega", {"cards": 2, "menu": 1}) == "cards"
    shown = announced(site, "hot.mega", posts) if posts and cards else menu(site, "drop.posts", posts) if posts else ""
    return (plain if site.number % 3 == 0 else site.link(item)) + _below(site, below) + shown


def _posts(site: Site, section: Item) -> list[Item]:
    """The newest of a section that a menu shows, on some sites all of them."""
    most = site.once("mega posts", lambda: site.chance.choice((3, 4, 8, 30)))
    return [post for post in site.articles if post.above == section][:most]


def _below(site: Site, items: list[Item]) -> str:
    """A menu that opened: its entries, on some sites with a menu of their own for each few."""
    if "mega" in site.traits and items and site.number % 2:
        rows = [[site.link(item) + menu(site, "drop.posts", _posts(site, item))] for item in items]
        return site.style.rows("drop", rows, {"ul": 6, "div": 2})
    if "deep" not in site.traits or len(items) < 6:
        return menu(site, "drop", items)
    size = 3 + site.number % 4
    rows = [
        [site.link(items[start]) + menu(site, "drop.deep", items[start + 1 : start + size])]
        for start in range(0, len(items), size)
    ]
    return site.style.rows("drop", rows, {"ul": 6, "div": 2, "dl": 1})


def _entries(site: Site) -> list[Item]:
    """What the menu holds: sections with fixed pages before, after or between them."""
    chance = site.chance
    kept = site.sections[: chance.choice((1, 2, 3, 5, 8, 10))]
    if site.kind == "blog" or chance.random() < 0.2:
        kept = site.indexes[: chance.randint(1, 4)] + kept[: chance.choice((0, 0, 3, 8))]
    fixed = site.fixed[: chance.choice((0, 1, 2, 4, 6, 9))]
    place = chance.choice(("after", "before", "mixed", "after"))
    items = [*fixed, *kept] if place == "before" else [*kept, *fixed]
    if "pinned" in site.traits:
        items += site.articles[-chance.randint(1, 3) :]
    if place == "mixed":
        chance.shuffle(items)
    return [site.home, *items] if chance.random() < 0.85 else items


def crumb(site: Site, here: Item) -> str:
    """The way from the front page to a section."""
    way = [site.home, *([here.above] if here.above else []), here]
    mark = site.style.form("crumb mark", {" &gt; ": 3, " / ": 2, " » ": 2, " ": 1})
    last = site.style.form("crumb last", {"link": 1, "text": 1})
    links = [site.link(item) for item in way[:-1]] + [site.link(here) if last == "link" else here.title]
    return site.style.wrap("crumb", site.once("here", lambda: site.tongue.pick("here")) + mark.join(links))


def foot(site: Site) -> str:
    """Fixed pages, on some sites sections as well, and who is responsible."""
    items, more = some(site, "foot", site.fixed, 12), []
    if site.number % 5 < 3:
        more = some(site, "foot sections", [site.home, *site.sections, *site.subs, *site.tags[:3]], 16)
    legal = '<a href="http://registry.example/" target="_blank">No. 0012345</a>'
    return site.style.wrap("foot", menu(site, "foot.list", [*items, *more]) + f"<p>© 2024 {site.host} {legal}</p>")


def paging(site: Site, here: Item, page: int) -> str:
    """Links to the other parts of a listing: numbers, next and previous, all of them, or one that loads more."""
    form = site.style.form("paging", {"numbers": 4, "next": 3, "all": 4, "load": 1})
    own = site.family.paging if site.family else site.chance.choice(schemes.PAGES)
    scheme = site.once("paging", lambda: own)
    last = site.once(f"last {here.path}", lambda: site.chance.choice((2, 3, 5, 12, 48)))
    following, previous, start, end, load, *_ = site.tongue.phrases("pages")

    def link(number: int, text: str, rel: str = "") -> str:
        path = schemes.turned(scheme, here.path, number) if number > 1 else here.path
        if path.startswith("/"):
            path = site.labelled(path, SECTION)
        marked = f' rel="{rel}"' if rel and site.number % 3 == 0 else ""
        return f'<a href="{site.href(path)}"{marked}>{text}</a>'

    near = range(max(1, page - 3), min(last, page + 5) + 1)
    numbers = (
        [link(n, str(n)) if n != page else f"<span>{n}</span>" for n in near] if form in ("numbers", "all") else []
    )
    before = [link(max(1, page - 1), previous, "prev")] if page > 1 and form != "numbers" else []
    after = [link(page + 1, load if form == "load" else following, "next")] if page < last and form != "numbers" else []
    parts = [*before, *numbers, *after]
    if form == "all":
        parts = [link(1, start), *parts, link(last, end)]
    return site.style.wrap("pager", site.style.rows("pager.list", [[part] for part in parts], INLINE))
