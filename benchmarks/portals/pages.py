"""Pages of a synthetic portal: a front page, listings and indexes, each block where the site puts it, every link labelled."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.portals import blocks, boards, frame, letters
from benchmarks.portals.design import build
from benchmarks.portals.entries import announced
from benchmarks.portals.site import Item, Site
from sitecrawl.dom.parse import parse
from sitecrawl.links.facts import page_facts
from sitecrawl.links.training.dataset import LabelledPage, codes

Choice = tuple[float, Callable[[Site], str]]
"""A block, and the share of the sites that have it."""
ABOVE: list[Choice] = [(0.6, frame.top), (0.97, frame.head), (0.2, frame.navigation), (0.2, blocks.words)]
BELOW: list[Choice] = [(0.45, blocks.friends), (0.9, frame.foot)]
SIDE: list[Choice] = [
    (0.7, lambda site: blocks.hot(site, "a", 5 + site.number % 8)),
    (0.4, lambda site: blocks.hot(site, "b", 4 + site.number % 5)),
    (0.4, blocks.cloud),
    (0.35, blocks.archive),
    (0.45, blocks.categories),
    (0.45, blocks.services),
    (0.2, blocks.staff),
    (0.25, blocks.files),
    (0.25, blocks.replies),
    (0.3, blocks.specials),
    (0.4, blocks.ads),
    (0.3, blocks.about),
]
COLUMNS = {"right": 6, "left": 4, "below": 1, "foot": 2, "none": 1}


def portal(number: int, seed: str = "portal") -> list[LabelledPage]:
    """Labelled pages of the portal of a number: its front page, a listing or a later part of it, another listing or an index."""
    site = build(number, seed)
    if "letters" in site.traits:
        return _letters(site)
    chance, length = site.chance, site.chance.choice((6, 10, 15, 25))
    made = [(site.home, document(site, front(site), site.name))]
    here = chance.choice(site.sections + site.tags[:2])
    items = _of(site, here)
    items = items if len(items) > 3 else items + site.articles
    made.append((here, document(site, listing(site, here, items[:length], chance.choice((1, 1, 2))), here.title)))
    if site.shelves and chance.random() < 0.6:
        shelf = chance.choice(site.shelves)
        made.append((shelf, document(site, catalogue(site, shelf), shelf.title)))
    last = chance.choice([*site.indexes, *site.indexes, *site.subs, *site.months[:1]])
    main = index(site, last) if last in site.indexes else listing(site, last, site.articles[-length:])
    made.append((last, document(site, main, last.title)))
    return [labelled(site, item.path, html) for item, html in made]


def _letters(site: Site) -> list[LabelledPage]:
    """Pages of an archive of letters: the index of its months, and months in their orders."""
    whole = site.articles[: 5 + site.number % 30]
    days = sorted({item.day for item in whole})
    months = [item for item in site.months if item.day in days[-2:]]
    made = [(site.indexes[-1], letters.archive(site)), *((item, letters.month(site, item)) for item in months[:3])]
    bare = site.number % 3 > 0
    return [
        labelled(site, item.path, f"<html><body>{html}</body></html>" if bare else document(site, html, item.title))
        for item, html in made
    ]


def labelled(site: Site, path: str, html: str) -> LabelledPage:
    """A page read as any other, its links labelled by what they lead to."""
    path = path.removesuffix("index.html") if "mirror" in site.traits else path
    facts = page_facts(parse(html.encode(), f"http://{site.host}{path}"))
    name = site.host.removesuffix(".example").rpartition(".")[2]
    return LabelledPage(name, name, facts, codes(map(site.label, facts.urls)))


def document(site: Site, main: str, title: str) -> str:
    """A whole page around its main column."""
    lean = site.lean
    above = _written(site, "above", ABOVE[1:2] if lean else ABOVE)
    side = _written(site, "side", [] if lean else SIDE, mixed=True)
    below = _written(site, "below", BELOW[1:] if lean else BELOW)
    form, middle = site.style.form("columns", COLUMNS), site.style.wrap("main", main)
    if side and form != "none":
        column = site.style.wrap("foot" if form == "foot" else "side", side)
        middle = column + middle if form == "left" else middle + column
    return f"<!DOCTYPE html><html><head><title>{title}</title></head><body>{above}{middle}{below}</body></html>"


def _written(site: Site, key: str, choices: Sequence[Choice], mixed: bool = False) -> str:
    """The blocks that the site has of some, in its order."""

    def draw() -> list[Callable[[Site], str]]:
        found = [block for share, block in choices if site.chance.random() < share]
        if mixed:
            site.chance.shuffle(found)
        return found

    return "".join(block(site) for block in site.once(f"blocks {key}", draw))


def front(site: Site) -> str:
    """One long list, or a box for each of some sections, a picture show and the newest before them."""
    chance = site.chance
    if "boards" in site.traits:
        return boards.boards(site) + (blocks.hot(site, "lead", 8) if site.number % 3 == 0 else "")
    if site.lean or (site.kind in ("blog", "forum") and site.number % 4):
        return announced(site, "list.main", site.articles[:15]) + frame.paging(site, site.home, 1)
    parts = [announced(site, "slide", site.articles[:5])] if chance.random() < 0.6 else []
    if chance.random() < 0.6:
        parts.append(blocks.hot(site, "lead", 8))
    between = chance.random() < 0.4
    for n, section in enumerate(site.sections[: chance.randint(2, 10)]):
        role = "list.box" if site.number % 3 else f"list.box{n % 3}"
        parts.append(blocks.boxed(site, announced(site, role, _of(site, section)[: 3 + site.number % 8]), item=section))
        if between and n % 4 == 2:
            parts.append(blocks.services(site) if site.number % 2 else blocks.ads(site))
    for made in ([blocks.tasks] if site.tasks else []) + ([blocks.catalogue] if site.products else []):
        parts.insert(chance.randint(0, len(parts)), made(site))
    return "".join(parts)


def listing(site: Site, here: Item, items: list[Item], page: int = 1) -> str:
    """The articles of a section with the way to it and to its other parts."""
    sub = blocks.submenu(site, here) if site.chance.random() < 0.4 else ""
    crumbs = frame.crumb(site, here) if site.once("crumbs", lambda: site.chance.random() < 0.7) else ""
    head = f"<h1>{here.title}</h1>" if site.number % 4 else ""
    shown = boards.threads(site, here, items) if "boards" in site.traits else announced(site, "list.main", items)
    return sub + crumbs + head + shown + frame.paging(site, here, page)


def catalogue(site: Site, here: Item) -> str:
    """A shelf of products with the others beside it."""
    crumbs = frame.crumb(site, here) if site.number % 2 else ""
    return blocks.submenu(site, here) + crumbs + blocks.catalogue(site, 12) + frame.paging(site, here, 1)


def index(site: Site, here: Item) -> str:
    """A page that names all tags and sections, or the articles by month."""
    parts = [f"<h1>{here.title}</h1>"]
    if site.number % 3 == 0:
        return parts[0] + blocks.cloud(site) + blocks.categories(site)
    months = sorted({item.day.replace(day=1) for item in site.articles}, reverse=True)
    for month in months[:12]:
        items = [item for item in site.articles if item.day.replace(day=1) == month]
        parts.append(f"<h3>{month:%Y-%m}</h3>{announced(site, 'hot.index', items[:12])}")
    return "".join(parts)


def _of(site: Site, section: Item) -> list[Item]:
    """Articles of a section and of those below it."""
    return [item for item in site.articles if item.above and section in (item.above, item.above.above)]
