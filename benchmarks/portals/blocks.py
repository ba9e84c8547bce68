"""The blocks that portals are made of, beside and between the lists of articles: each is HTML from a site."""

from __future__ import annotations

from benchmarks.portals.entries import announced
from benchmarks.portals.frame import FLAT, INLINE, menu, some
from benchmarks.portals.site import Item, Site

BOXES = "tags months categories friends quick services staff files comments specials".split()
"""What the names under ``boxes`` in the words of a language stand for, in order."""
SERVICES = {
    "<i></i>{}": 3,
    '<img src="/i/s.png" alt="{}">': 2,
    '<img src="/s.png"><h3>{}</h3>': 2,
    "<h3>{}</h3>": 1,
    "{}": 2,
}
ADS = "http://ads.example/c?{n} /ad/click.php?id={n} /go/{n} http://shop.example/{n}.html /adv/{n}.html".split()
SEARCHES = "/search?q={} /so?wd={} /?s={} /search.php?keyword={} /index.php?query={}".split()
COUNTS = ("", " ({n})", " {n}", "({n})")


def caption(site: Site, item: Item | None, text: str = "") -> str:
    """The head of a block: its name, linked or not, and perhaps "more"."""
    form = site.style.form("caption", {"linked": 3, "more": 4, "both": 3, "plain": 2, "bare": 1})
    tag = site.style.form("caption tag", {"h2": 3, "h3": 4, "div": 3, "span": 2, "strong": 1})
    if item is None:
        return "" if form == "bare" else f"<div{site.style.attr('caption')}><{tag}>{text}</{tag}></div>"
    name = site.link(item) if form in ("linked", "both") else item.title
    more = site.link(item, _more(site), site.style.attr("more")) if form in ("more", "both") else ""
    return f"<div{site.style.attr('caption')}><{tag}>{name}</{tag}>{more}</div>"


def _more(site: Site) -> str:
    text = site.once("more", lambda: site.tongue.pick("more"))
    return '<img src="/i/more.gif" alt="">' if len(text) % 5 == 0 else text


def boxed(site: Site, inner: str, text: str = "", item: Item | None = None) -> str:
    """A block with its head."""
    return site.style.wrap("box", caption(site, item, text) + inner)


def titled(site: Site, inner: str, kind: str) -> str:
    """A block with the name that its kind has in the language."""
    return boxed(site, inner, site.tongue.phrases("boxes")[BOXES.index(kind)])


def cloud(site: Site) -> str:
    """All tags."""
    rows = [[site.link(tag)] for tag in site.tags]
    return titled(site, site.style.rows("tags.list", rows, {"bare": 4, "ul": 3, "div": 1}), "tags")


def archive(site: Site) -> str:
    """Months."""
    return titled(site, menu(site, "months", site.months[: 4 + site.number % 20]), "months")


def categories(site: Site) -> str:
    """All sections, with counts in the link, beside it, or without."""
    counts, inside, rows = site.once("counts", lambda: site.chance.choice(COUNTS)), site.number % 2, []
    for number, item in enumerate([*site.sections, *site.subs]):
        count = counts.format(n=number + 2)
        rows.append([site.link(item, item.title + count), ""] if inside else [site.link(item), count])
    return titled(site, site.style.rows("cats", rows, FLAT), "categories")


def submenu(site: Site, here: Item) -> str:
    """The pages beside this one: subsections, now and then the fixed pages of the same menu."""
    beside = [item for item in site.subs if item.above in (here, here.above) and item.above]
    items = (site.shelves if here in site.shelves else beside) or site.sections
    if site.number % 3 == 0:
        items = [*beside, *some(site, "submenu", site.fixed, 6)]
    return boxed(site, menu(site, "cats.sub", items), here.title)


def friends(site: Site) -> str:
    """Other sites."""
    rows = []
    for number in range(3 + site.number % 12):
        inner = "<img src=/f.png>" if site.number % 3 == 0 else site.tongue.headline(3)
        place = f"http://friend{number}.example/"
        if "mirror" in site.traits and site.number % 2:
            place = site.href(f"/index{number + 1}.html")
        rows.append([f'<a href="{place}" target="_blank">{inner}</a>'])
    return titled(site, site.style.rows("friends", rows, FLAT), "friends")


def services(site: Site) -> str:
    """Pages that serve: pictures or words that lead to fixed pages and other sites."""
    form = site.style.form("service form", SERVICES)
    says = site.number % 5 == 0
    rows = [
        [site.link(item, form.format(item.title)), f"<p>{site.tongue.text(12)}</p>" if says else ""]
        for item in some(site, "services", site.fixed, 10)
    ]
    for number in range(site.number % 4):
        rows.append([f'<a href="http://service{number}.example/go">{site.tongue.headline(3)}</a>'])
    return titled(site, site.style.rows("service", rows, FLAT), ("quick", "services")[site.number % 2])


def tasks(site: Site) -> str:
    """Services by group, as portals lay them out on the front page."""
    number, parts = 3 + site.number % 8, []
    form = site.style.form(
        "task form", {"{}": 4, "<span>{}</span>": 2, '<img src="/s.png"><h3>{}</h3>': 1, "<i></i>{}": 2}
    )
    for start in range(0, min(len(site.tasks), 60), number):
        rows = [[site.link(item, form.format(item.title))] for item in site.tasks[start : start + number]]
        name = site.fixed[start % len(site.fixed)] if site.fixed else None
        parts.append(boxed(site, site.style.rows("service.tasks", rows, FLAT), item=name))
    return "".join(parts)


def catalogue(site: Site, number: int = 8) -> str:
    """Products: pictures with names, as a grid or a list."""
    form = site.style.form("product", {"both": 4, "one": 3, "name": 2, "heading": 2})
    rows = []
    for item in site.chance.sample(site.products, min(number, len(site.products))):
        picture, text = (
            '<img src="/p/1.jpg" alt="">',
            f"<h4>{site.link(item)}</h4>" if form == "heading" else site.link(item),
        )
        whole = {"one": [site.link(item, f"{picture}<span>{item.title}</span>")], "name": [text]}
        rows.append(whole.get(form, [site.link(item, picture), text]))
    return site.style.rows("list.products", rows)


def staff(site: Site) -> str:
    """People, some with their picture."""
    rows = []
    for number, item in enumerate(site.people):
        picture = site.link(item, '<img src="/p.jpg">') if number % 2 == site.number % 2 else ""
        rows.append([picture, site.link(item)])
    return titled(site, site.style.rows("staff", rows), "staff")


def files(site: Site) -> str:
    """Downloads, which no crawl of articles wants."""
    names = site.once("files", lambda: [(ending, site.tongue.headline(8)) for ending in ("pdf", "doc", "xls", "zip")])
    rows = []
    for ending, text in names:
        path = site.href(f"/files/{site.tongue.slug(text) or ending}.{ending}")
        rows.append([f'<a href="{path}">{text}</a>'])
    return titled(site, site.style.rows("files", rows), "files")


def replies(site: Site) -> str:
    """Recent comments: what was said, or who said it and where."""
    rows = []
    for item in site.chance.sample(site.articles, min(6, len(site.articles))):
        who = site.chance.choice(site.people)
        said = site.link(item, site.tongue.headline(10))
        if site.number % 2 == 0:
            said = f'<a href="{site.href(item.path)}#comment-{len(item.title)}">{item.title}</a>'
        rows.append([site.link(who) if site.number % 3 else who.title, said])
    return titled(site, site.style.rows("comments", rows), "comments")


def specials(site: Site) -> str:
    """Topics: pictures or names that lead to listings."""
    form = '<img src="/z.jpg" alt="{}">' if site.number % 2 else "{}"
    rows = [[site.link(item, form.format(item.title))] for item in some(site, "specials", [*site.tags, *site.subs], 6)]
    return titled(site, site.style.rows("tags.special", rows, FLAT), "specials")


def ads(site: Site) -> str:
    """Advertisements: pictures and promises, on this site's counters and on other sites."""
    place, rows = site.once("ads", lambda: site.chance.choice(ADS)), []
    for _ in range(site.chance.randint(1, 3)):
        inner = "<img src=/ad.gif>" if site.number % 3 else site.tongue.headline(7)
        path = site.href(place.format(n=site.chance.randrange(90)))
        rows.append([f'<a href="{path}" target="_blank" rel="nofollow">{inner}</a>'])
    return site.style.rows("ads", rows, {"div": 3, "bare": 2, "ul": 1})


def words(site: Site) -> str:
    """Searches that others made."""
    form = site.once("words", lambda: site.chance.choice(SEARCHES))
    rows = [[f'<a href="{form.format(text)}">{text}</a>'] for text in site.tongue.words("tags")[:6]]
    return site.style.rows("tags.words", rows, INLINE)


def about(site: Site) -> str:
    """A few lines about the site that go on at a fixed page."""
    item, read = site.fixed[0], site.once("read", lambda: site.tongue.pick("read"))
    inner = f"<p>{site.tongue.text(40)} {site.link(item, read)}</p>"
    return boxed(site, inner, item.title, item if site.number % 2 else None)


def hot(site: Site, key: str, number: int) -> str:
    """A list of articles in a box at the side."""
    items = site.chance.sample(site.articles, min(number, len(site.articles)))
    return boxed(site, announced(site, f"hot.{key}", items), site.once(f"hot {key}", lambda: site.tongue.pick("hot")))
