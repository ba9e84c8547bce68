"""How a portal announces an article in a list: title, picture, date, summary, and the links beside them."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.portals.site import ARTICLE, Item, Site

SMALL = "t t td dt nt t ct p pt ta".split()
LARGE = (
    "td tds ptd ptds ptsr tsr tdsrm ctd ptdsc tadsgm dt ctds pts tmdsr t tS ptdS Dt tD tsD tx tdxr txmD p pd xD".split()
)
"""What an entry shows, in order: t title, d date, D date in a link, n rank, c section, p picture, a author, s summary,
S summary in a link, x the whole text with links of its own, r "read more", m comments, g tags."""
WORDLESS = "qh qhs qhd dqh qhsd ihs qihs hsr hsrd hdr dhsr qhr qhsr qs".split()
"""Entries whose links have no words, or the same on every row: h title without a link, q picture alone, i link that holds nothing."""
PICTURED = "tx dtx txm txdr tdxr tq tqs dtqx".split()
LARGE_HEADINGS = ("h2", "h3", "h2", "h4", "", "strong", "span", "div")
SMALL_HEADINGS = ("", "", "", "span", "h4", "p")
ATTRIBUTES = ("", "", "", ' target="_blank"', ' title="{0}"', ' target="_blank" title="{0}"', ' rel="bookmark"')
BESIDE = {
    "{}": 2,
    "<span>{}</span>": 3,
    "<div>{}</div>": 1,
    '<span class="meta">{}</span>': 2,
    "<em>{}</em>": 1,
    "<span><span>{}</span></span>": 1,
}


@dataclass(frozen=True, slots=True)
class Form:
    """What the entries of a block look like: parts, heading, characters after which a title is cut, words of a summary,
    form of the date and whether it is one of a few oddities, attributes of the links, words of "read more".
    """

    parts: str
    heading: str
    cut: int
    summary: int
    date: str
    odd: bool
    attributes: str
    read: str


def draw(site: Site, large: bool) -> Form:
    """A form for a block."""
    chance, choices = site.chance, LARGE if large else SMALL
    if large and "wordless" in site.traits:
        choices = WORDLESS
    elif large and "attachments" in site.traits:
        choices = PICTURED
    return Form(
        parts=chance.choice(choices),
        heading=chance.choice(LARGE_HEADINGS if large else SMALL_HEADINGS),
        cut=chance.choice((0, 0, 0, 12, 16, 20) if site.tongue.wide else (0, 0, 0, 0, 30, 45)),
        summary=chance.choice((6, 15, 30, 60)),
        date=site.tongue.pick("dates"),
        odd=chance.random() < 0.4,
        attributes=chance.choice(ATTRIBUTES),
        read=site.tongue.pick("read"),
    )


def announced(site: Site, role: str, items: list[Item]) -> str:
    """A list of entries. The form belongs to the role; roles that begin with ``list`` have longer ones."""
    form = site.once(f"entry {role}", lambda: draw(site, role.startswith("list")))
    rows = [_entry(site, form, item, rank) for rank, item in enumerate(items, 1)]
    return site.style.rows(role, rows)


def _entry(site: Site, form: Form, item: Item, rank: int) -> list[str]:
    """The parts of one entry."""
    return [_WRITERS[part](site, form, item) if part != "n" else f"<span>{rank}</span>" for part in form.parts]


def _title(site: Site, form: Form, item: Item) -> str:
    text = item.title if not form.cut or len(item.title) <= form.cut else f"{item.title[: form.cut]}..."
    link = site.link(item, text, form.attributes.format(item.title.replace('"', "")))
    return f"<{form.heading}>{link}</{form.heading}>" if form.heading else link


def _bare(site: Site, form: Form, item: Item) -> str:
    tag = form.heading or "span"
    return f"<{tag}>{item.title}</{tag}>"


def _alone(site: Site, form: Form, item: Item) -> str:
    return site.style.wrap("row.pic", site.link(item, f'<img src="/i/{site.chance.randrange(999)}.jpg">'))


def _empty(site: Site, form: Form, item: Item) -> str:
    return f'<a href="{site.href(item.path)}"></a>'


def _picture(site: Site, form: Form, item: Item) -> str:
    described = item.title.replace('"', "") if len(form.parts) % 2 else ""
    image = f'<img src="/i/{site.chance.randrange(999)}.jpg" alt="{described}">'
    named = "t" not in form.parts and form.odd
    return site.style.wrap("row.pic", site.link(item, f"{image}<span>{item.title}</span>" if named else image))


def _day(site: Site, form: Form, item: Item) -> str:
    return f"<span{site.style.attr('meta')}>{site.tongue.day(form.date, item.day)}</span>"


def _linked_day(site: Site, form: Form, item: Item) -> str:
    return site.link(item, "#" if form.odd else site.tongue.day(form.date, item.day))


def _section(site: Site, form: Form, item: Item) -> str:
    above = item.above or site.sections[0]
    return _beside(site, site.link(above, f"[{above.title}]" if form.cut else above.title))


def _author(site: Site, form: Form, item: Item) -> str:
    return _beside(site, site.link(site.people[len(item.title) % len(site.people)]))


def _tags(site: Site, form: Form, item: Item) -> str:
    chosen = site.chance.sample(site.tags, min(2, len(site.tags)))
    return _beside(site, " ".join(site.link(tag, attributes=' rel="tag"' if form.odd else "") for tag in chosen))


def _beside(site: Site, link: str) -> str:
    """A link about the article as the site puts it beside the headline."""
    return site.style.form("beside", BESIDE).format(link)


def _summary(site: Site, form: Form, item: Item) -> str:
    return f"<p{site.style.attr('text')}>{site.tongue.text(form.summary)}</p>"


def _linked_summary(site: Site, form: Form, item: Item) -> str:
    return f"<p>{site.link(item, site.tongue.text(form.summary))}</p>"


def _whole(site: Site, form: Form, item: Item) -> str:
    """A text with links to other sites, now and then to another article or a fixed page."""
    chance, links = site.chance, []
    for number in range(chance.randint(0, 3)):
        place = f"http://source{chance.randrange(99)}.example/{number}"
        links.append(f'<a href="{place}">{site.tongue.headline(4)}</a>')
    if chance.random() < 0.2:
        links.append(site.link(chance.choice(site.articles), site.tongue.headline(3)))
    if "issues" in site.traits and chance.random() < 0.3:
        links += _chapters(site, item)
    if "attachments" in site.traits:
        links += [_attached(site, item) for _ in range(chance.choice((0, 0, 1, 2, 4, 12)))]
    if chance.random() < 0.1:
        links.append(site.link(chance.choice(site.fixed)))
    return "".join(f"<p>{site.tongue.text(40)} {link} {site.tongue.text(20)}</p>" for link in links or [""])


def _chapters(site: Site, item: Item) -> list[str]:
    """The later parts of a long article, which are the article."""
    form = site.once("chapters", lambda: site.chance.choice(("/{n}/", "/chapter/{n}/", "/page/{n}")))
    stem = item.path.partition("?")[0].removesuffix(".html").rstrip("/")
    paths = [site.labelled(stem + form.format(n=number), ARTICLE) for number in range(2, 5)]
    return [f'<a href="{site.href(path)}">{number}</a>' for number, path in enumerate(paths, 2)]


def _attached(site: Site, item: Item) -> str:
    """A picture that leads to a page of its own one step below the article, or to the picture."""
    chance = site.chance
    name = chance.choice(
        (
            f"img_{chance.randrange(9999):04}",
            site.tongue.slug(site.tongue.headline(2)),
            f"dsc{chance.randrange(999):05}",
        )
    )
    below = site.kept(f"{item.path.partition('?')[0].removesuffix('.html').rstrip('/')}/{name}/")
    path = site.once("attached", lambda: chance.choice(("page", "page", "file")))
    path = below if path == "page" else f"/uploads/{name}.jpg"
    return f'<a href="{site.href(path)}"><img src="/uploads/{name}.jpg" alt=""></a>'


def _read(site: Site, form: Form, item: Item) -> str:
    return site.link(item, form.read, site.style.attr("more"))


def _comments(site: Site, form: Form, item: Item) -> str:
    text = site.tongue.pick("comments").format(n=site.chance.choice((0, 1, 3, 12, 104)))
    return f'<a href="{site.href(item.path)}#comments">{text}</a>'


_WRITERS = {"t": _title, "p": _picture, "d": _day, "D": _linked_day, "c": _section, "a": _author, "g": _tags}
_WRITERS |= {"s": _summary, "S": _linked_summary, "x": _whole, "r": _read, "m": _comments}
_WRITERS |= {"h": _bare, "q": _alone, "i": _empty}
