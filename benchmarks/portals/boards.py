"""Boards of a forum with their last posts, and boards' threads with pages, members and ways to sort them."""

from __future__ import annotations

from benchmarks.portals import schemes
from benchmarks.portals.site import ARTICLE, SECTION, Item, Site

SORTS = ("sort=title", "order=replies", "orderby=lastpost", "filter=digest", "sk=t")
ROWS = {"table": 6, "ul": 2, "div": 2, "dl": 1}
ICON = '<img src="/images/folder_{}.gif" alt="">'


def boards(site: Site) -> str:
    """The index: a row for each board with its description, counts and last post; boards stand in groups."""
    groups, number = [], 2 + site.number % 4
    for start in range(0, min(16, len(site.sections)), number):
        head = site.style.wrap("caption", _head(site, start))
        rows = [_board(site, board) for board in site.sections[start : start + number]]
        groups.append(site.style.wrap("box", head + site.style.rows("thread.boards", rows, ROWS)))
    return "".join(groups) + _online(site)


def _head(site: Site, start: int) -> str:
    """The name of a group of boards, linked or not."""
    group = site.tags[start % len(site.tags)]
    return site.link(group) if site.number % 2 else group.title


def _board(site: Site, board: Item) -> list[str]:
    form = site.style.form("board", {"full": 4, "short": 2, "plain": 1})
    about = f"<p>{site.tongue.text(8)}</p>" if form != "plain" else ""
    below = [sub for sub in site.subs if sub.above == board]
    subs = " ".join(site.link(sub) for sub in below) if site.number % 2 else ""
    leader = site.link(site.people[len(board.title) % len(site.people)]) if site.number % 3 == 0 else ""
    counts = f"<span>{site.chance.randrange(900)}</span> <span>{site.chance.randrange(9000)}</span>"
    icon = site.link(board, ICON.format("new")) if site.number % 4 == 0 else ICON.format("old")
    return [
        icon,
        f"<h3>{site.link(board)}</h3>{about}{subs}{leader}",
        counts,
        _last(site, site.chance.choice(site.articles), form),
    ]


def _last(site: Site, item: Item, form: str) -> str:
    """The last post: its thread, who wrote it and when, or an arrow only."""
    who = site.link(site.chance.choice(site.people))
    day = site.tongue.day(site.once("board day", lambda: site.tongue.pick("dates")), item.day)
    title = f"{item.title[:24]}..." if len(item.title) > 24 and site.number % 2 else item.title
    arrow = f'<a href="{site.href(item.path)}#post{site.chance.randrange(9999)}"><img src="/images/last.gif"></a>'
    if form == "full":
        return f"<div>{site.link(item, title)}</div><span>{day}</span> {who}"
    return f"{day}<br>{who} {arrow}" if form == "short" else site.link(item, day)


def _online(site: Site) -> str:
    """Members that are there now."""
    members = site.chance.sample(site.people, min(len(site.people), 4 + site.number % 25))
    return site.style.wrap("staff", ", ".join(site.link(member) for member in members))


def threads(site: Site, here: Item, items: list[Item]) -> str:
    """The threads of a board: heads that sort, then a row for each."""
    mark = "&" if "?" in here.path else "?"
    heads = " ".join(
        f'<a href="{site.href(site.labelled(here.path + mark + sort, SECTION))}">{text}</a>'
        for sort, text in zip(SORTS, site.tongue.words("tags"), strict=False)
    )
    rows = [_thread(site, item) for item in items]
    return (heads if site.number % 2 else "") + site.style.rows("thread", rows, ROWS)


def _thread(site: Site, item: Item) -> list[str]:
    form = site.style.form("thread form", {"full": 4, "short": 2})
    icon = site.link(item, ICON.format("read")) if site.number % 3 == 0 else ICON.format("read")
    who = site.link(site.people[len(item.title) % len(site.people)])
    counts = f"<em>{site.chance.randrange(90)}</em><em>{site.chance.randrange(5000)}</em>"
    tag = site.link(site.tags[len(item.title) % len(site.tags)]) if site.number % 5 == 0 else ""
    return [
        icon,
        f"{tag}{site.link(item)}{_parts(site, item)}",
        who,
        counts,
        _last(site, item, "short" if form == "full" else "plain"),
    ]


def _parts(site: Site, item: Item) -> str:
    """The later pages of a long thread."""
    if site.chance.random() < 0.75:
        return ""
    scheme = site.family.paging if site.family else site.once("thread pages", lambda: site.chance.choice(schemes.PAGES))
    paths = [site.labelled(schemes.turned(scheme, item.path, page), ARTICLE) for page in (2, 3, 4)]
    links = " ".join(
        f'<a href="{site.href(path)}">{page}</a>' for page, path in enumerate(paths, 2) if path.startswith("/")
    )
    return f"<span>[ {links} ]</span>"
