"""Archives of mailing lists: an index of months in several orders, and months that name their messages, flat or as threads."""

from __future__ import annotations

from datetime import date

from benchmarks.portals.site import ARTICLE, OTHER, SECTION, Item, Site
from benchmarks.portals.words import MONTHS

FOLDERS = "/{y}-{M}/ /{y}/{m}/ /{ym}/ /{y}-{m}/ /{y}q{q}/ /{y}/".split()
ORDERS = [
    "thread subject author date",
    "threads maillist authors",
    "index subject author",
    "thrd1 mail1",
    "by-date by-thread by-subject",
]
MESSAGES = "{n:06d}.html msg{n:05d}.html {n:04d}.html {n}.html {n:05d}.php".split()
"""How the file of a message is named."""


def add_letters(site: Site) -> None:
    """Months and messages in place of the articles that other sites have."""
    chance = site.chance
    folder = chance.choice(("/archive/", "/lists/", "/mail-archive/", "/pipermail/"))
    site.base += folder + (site.tongue.slug(site.name) or "talk")
    site.articles, site.months, months = [], [], chance.choice((8, 24, 60, 120))
    _add_months(site, chance.choice(FOLDERS), [date(2019 - n // 12, 12 - n % 12, 1) for n in range(months)])
    site.add(site.indexes, "/index.html", Item("", site.name, SECTION, date(2019, 1, 1)), {})
    about = Item("", "more information", OTHER, date(2019, 1, 1))
    site.fixed.insert(0, site.add([], "/listinfo", about, {}) or site.fixed[0])


def _add_months(site: Site, folder: str, days: list[date]) -> None:
    """Months in each order, and the messages of the last twelve."""
    chance, number = site.chance, site.chance.choice((0, 100, 4000))
    message, orders = chance.choice(MESSAGES), chance.choice(ORDERS).split()
    ending = chance.choice((".html", ".html", ".php", "/"))
    for n, day in enumerate(days):
        fields = {"y": f"{day:%Y}", "m": f"{day:%m}", "ym": f"{day:%Y%m}", "q": 1 + day.month // 4}
        fields["M"] = MONTHS["en"].split()[day.month - 1]
        for order in orders:
            item = Item("", order.strip("1").capitalize(), SECTION, day)
            site.add(site.months, f"{folder}{order}{ending}", item, fields)
        for _ in range(chance.randint(3, 12) if n < 12 else 0):
            number += chance.choice((1, 1, 1, 2, 7))
            title = chance.choice(("", "", "Re: ", "[talk] ")) + site.tongue.headline(9)
            site.add(site.articles, folder + message.format(n=number), Item("", title, ARTICLE, day), fields)


def archive(site: Site) -> str:
    """The index of the archive: a row for each month with its orders and a file."""
    form, rows = site.style.form("letters", {"brackets": 3, "plain": 2, "one": 1}), []
    for day in sorted({item.day for item in site.months}, reverse=True):
        items = [item for item in site.months if item.day == day]
        month = site.tongue.day("{M} {y}", day)
        links = " ".join(site.link(item, f"[ {item.title} ]" if form == "brackets" else item.title) for item in items)
        if form == "one":
            links = site.link(items[0], month)
        file = f'<a href="{site.href(f"{site.base}/{day:%Y-%m}.txt.gz")}">[ Gzip\'d Text {len(month)} KB ]</a>'
        rows.append([f"{month}:", links, file if site.number % 3 else ""])
    whole = site.style.rows("months.letters", rows, {"table": 5, "ul": 2, "div": 1})
    return f"<h1>{site.name}</h1><p>{site.link(site.fixed[0], _about(site))}</p>{whole}"


def _about(site: Site) -> str:
    return site.once(
        "letters about",
        lambda: site.chance.choice(("more information about this list", "More info on this list...", site.name)),
    )


def month(site: Site, here: Item) -> str:
    """The messages of a month in one order, with the way to the other orders above and below."""
    items = [item for item in site.articles if item.day == here.day] or site.articles[:20]
    beside = [item for item in site.months if item.day == here.day and item != here]
    mark = site.style.form("letters mark", {"[ {} ]": 3, "{}": 2, "[{}]": 1})
    orders = " ".join(
        f'<a href="{site.href(item.path)}#start">{mark.format(item.title.lower())}</a>' for item in beside
    )
    way = (
        f"<ul><li><b>Messages sorted by:</b> {orders}</li><li><b>{site.link(site.fixed[0], _about(site))}</b></li></ul>"
    )
    title = f"{site.tongue.day('{M} {y}', here.day)} {here.title}"
    return f"<h1>{title}</h1>{way}{_messages(site, here, items)}{way}"


def _messages(site: Site, here: Item, items: list[Item]) -> str:
    names = [person.title for person in site.people]
    rows = []
    for n, item in enumerate(items):
        who = names[(len(item.title) + n) % len(names)]
        link = f'{site.link(item, item.title)}<a name="{n}">&nbsp;</a>'
        if here.title.startswith("Author"):
            rows.append(f"<li><b>{who}</b><ul><li>{link}</li></ul></li>")
        else:
            rows.append(f"<li>{link}<i>{who}</i>{'<ul>' if here.title.startswith('Th') and n % 3 == 0 else ''}")
            rows[-1] += "</ul></li>" if rows[-1].endswith("<ul>") else "</li>"
    nested = here.title.startswith("Th")
    return f"<ul>{''.join(rows)}</ul>" if not nested else f"<ul>{_threads(rows)}</ul>"


def _threads(rows: list[str]) -> str:
    """Answers below what they answer."""
    parts = []
    for start in range(0, len(rows), 3):
        first, *answers = [row.replace("<ul></ul>", "") for row in rows[start : start + 3]]
        parts.append(f"{first.removesuffix('</li>')}<ul>{''.join(answers)}</ul></li>" if answers else first)
    return "".join(parts)
