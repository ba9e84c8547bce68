"""Design of a synthetic portal: its kind and language, its URLs, its pages. A seed and a number make the same site each time."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

from benchmarks.portals import schemes
from benchmarks.portals.letters import add_letters
from benchmarks.portals.site import ARTICLE, OTHER, SECTION, Item, Site
from benchmarks.portals.style import Style, weighted
from benchmarks.portals.tongue import Tongue, fold
from benchmarks.portals.traits import drawn
from benchmarks.portals.words import WEIGHTS

KINDS = {"gov": 5, "school": 4, "news": 5, "company": 4, "blog": 4, "forum": 3, "org": 4, "lists": 2}
"""How often a portal is of a kind."""
LEAN = {"gov": 0.05, "school": 0.15, "news": 0.1, "company": 0.3, "blog": 0.6, "forum": 0.3, "org": 0.3, "lists": 1}
"""Share of the sites of a kind that have little beside a menu and a list."""
BASES = ("/site", "/web", "/~club", "/cms/portal", "/home")
SUBDOMAINS = ("www.", "", "m.", "blog.")
EPOCH = date(2024, 5, 1)


def build(number: int, seed: str = "portal") -> Site:
    """The site of a number."""
    chance = Random(f"{seed} {number}")
    tongue, kind = Tongue(weighted(chance, WEIGHTS), chance, chance.random() < 0.25), weighted(chance, KINDS)
    host = f"{chance.choice(SUBDOMAINS)}{seed}{number}.example"
    about = fold(tongue.pairs("fixed")[0][0]) or chance.choice(("about", "gk", "zjwm"))
    name = tongue.headline(chance.choice((2, 3, 8)))
    site = Site(number, chance, kind, tongue, Style(chance), host, name, {"lang": tongue.name, "name0": about})
    site.lean = chance.random() < LEAN[kind]
    site.base = chance.choice(BASES) if chance.random() < 0.12 else ""
    site.prefix = chance.choice(("", "", "", f"http://{host}", f"https://{host}", f"//{host}"))
    _add_habits(site, seed)
    site.labels["/"] = site.labels[f"{site.base}/"] = site.labels[site.home.path] = SECTION
    scheme = _listing_scheme(site)
    _add_sections(site, scheme)
    _add_fixed(site, scheme)
    _add_articles(site, scheme)
    _add_listings(site)
    _add_people(site)
    _add_tasks(site, scheme)
    _add_products(site)
    if "letters" in site.traits:
        add_letters(site)
    return site


def _add_habits(site: Site, seed: str) -> None:
    """What sets the site apart: habits, and the program that makes its URLs."""
    site.traits = drawn(site.number, site.kind, seed)
    site.style.tables = "tables" in site.traits
    families = [family for family in schemes.FAMILIES if site.kind in family.kinds.split()]
    if "family" in site.traits and families:
        site.family = site.chance.choice(families)


def _listing_scheme(site: Site) -> str:
    """How the URLs of sections look."""
    if "hashed" in site.traits:
        return site.chance.choice(schemes.HASHED)
    return site.family.section if site.family else schemes.pick(site.chance, schemes.SECTIONS, site.kind)


def _named(site: Site, kind: str) -> list[tuple[str, str]]:
    """Names and slugs of sections or fixed pages: known ones, and some that say nothing of what they are."""
    tongue, chance = site.tongue, site.chance
    own, found = chance.choice((0.0, 0.1, 0.2, 0.5)), []
    for text, slug in tongue.pairs(kind):
        if chance.random() < own:
            text = tongue.headline(chance.choice((2, 2, 3, 4, 6)))
            slug = tongue.slug(text)
        found.append((text, slug))
    return found


def _add_sections(site: Site, scheme: str) -> None:
    chance = site.chance
    lower = (
        scheme if chance.random() < (0.8 if site.family else 0.7) else schemes.pick(chance, schemes.SECTIONS, site.kind)
    )
    if "hashed" in site.traits and chance.random() < 0.4:
        scheme = chance.choice(("/p/{sid}/", "/{sec}/", "/list/{sid}.html"))
    coded = chance.random() < 0.2
    first, step = chance.choice((1, 3, 20, 101, 1001, 4711)), chance.choice((1, 1, 2, 10))
    top = chance.randint(3, 10)
    for n, (text, slug) in enumerate(_named(site, "sections")):
        slug = f"{slug[:2]}{n + 10}" if coded else slug
        above = chance.choice(site.sections) if n >= top and site.sections else None
        near = above.path.strip("/").split("/")[-1].partition(".")[0] if above and "?" not in above.path else ""
        path = f"{near}/{slug}" if near else slug
        fields = {"sec": slug, "path": path, "top": near or slug, "sid": first + n * step}
        fields |= {"tag": slug, "n": n, "file": chance.choice(schemes.FILES["section"]), **_drawn(site)}
        item = Item("", text, SECTION, EPOCH, above)
        made = site.add(site.subs if above else site.sections, lower if above else scheme, item, fields)
        if made:
            site.routes[made.path] = fields


def _drawn(site: Site) -> dict[str, object]:
    """Names that a machine drew: a hash, and a long number that begins alike on the whole site."""
    first = site.once("long", lambda: site.chance.randrange(10**7, 10**11))
    return {"hash": f"{site.chance.getrandbits(48):012x}", "long": f"{first}{site.chance.randrange(10**8, 10**9)}"}


def _add_fixed(site: Site, listing: str) -> None:
    """Pages such as "about us". Some sites keep them with the articles, or beside the sections."""
    chance = site.chance
    scheme, second = _fixed_schemes(site, listing)
    first = chance.choice((1, 2, 7, 30, 400))
    for n, (text, slug) in enumerate(_named(site, "fixed")[: chance.randint(6, 22)]):
        name = slug
        if site.tongue.name == "zh" and chance.random() < 0.3:
            name = f"{chance.choice(('gk', 'jj', 'about', 'zz'))}{n}"
        fields = _other(site, name, 40 + n, date(2016, 3, 9)) | {"n": first + n, "sid": 900 + n}
        fields |= {"top": name, "path": f"{site.fields['name0']}/{name}"}
        site.add(site.fixed, scheme if chance.random() < 0.85 else second, Item("", text, OTHER, EPOCH), fields)


def _fixed_schemes(site: Site, listing: str) -> tuple[str, str]:
    """How most URLs of fixed pages look, and how the others do."""
    chance, roll = site.chance, site.chance.random()
    scheme, second = chance.choice(schemes.FIXED), chance.choice(schemes.FIXED)
    if site.family:
        return site.family.fixed, site.family.fixed
    if "hashed" in site.traits and roll < 0.6:
        return listing, second
    if roll < 0.2:
        scheme = schemes.pick(chance, schemes.ARTICLES if roll < 0.1 else schemes.SECTIONS, site.kind)
    return scheme, second


def _other(site: Site, name: str, number: int, day: date) -> dict[str, object]:
    """Fields of a page that is neither an article nor a listing."""
    file = site.chance.choice(schemes.FILES["other"])
    named: dict[str, object] = {"name": name, "sec": name, "tag": name, "file": file, "n": number}
    return named | {**_drawn(site), **_dated(day), **_numbered(site.chance, number, name)}


def _add_articles(site: Site, listing: str) -> None:
    """Articles of all sections, the newest first, on some sites under the scheme of the sections."""
    chance = site.chance
    scheme = site.family.article if site.family else schemes.pick(chance, schemes.ARTICLES, site.kind)
    if "hashed" in site.traits and chance.random() < 0.3:
        scheme = chance.choice((listing, "/page/{id}.html", "/{long}.html", "/p/{sid}/{long}.html"))
    elif site.family is None and listing in schemes.PLAIN and chance.random() < 0.3:
        scheme = schemes.PLAIN[listing]
    other = scheme if site.family or chance.random() > 0.25 else schemes.pick(chance, schemes.ARTICLES, site.kind)
    terse, most = chance.random() < 0.15, chance.choice((2, 3, 4, 6, 9, 9, 12, 12, 16))
    number, step = 10 ** chance.randint(1, 8) * chance.randint(1, 9), chance.choice((1, 1, 3, 40, 700))
    day, gap = date(2025, 6, 1) - timedelta(chance.randrange(4000)), chance.choice((0.2, 1, 4, 20))
    for n in range(chance.choice((6, 15, 40, 80) if site.lean else (40, 80, 160, 260))):
        section, title = chance.choice([*site.sections, *site.subs]), site.tongue.headline(most)
        when = day - timedelta(int(n * gap))
        if "issues" in site.traits and n % 3 == 0:
            title = _issue(site, when, 400 - n)
        slug = site.tongue.slug(title) or "p"
        slug = "-".join(slug.split("-")[-chance.randint(1, 2) :]) if terse else slug
        number = max(1, number - chance.randint(1, step))
        fields = site.routes[section.path] | {"tag": slug, "n": number, "name": slug}
        fields |= {**_dated(when), **_drawn(site), **_numbered(chance, number, slug)}
        site.add(site.articles, other if n % 4 == 3 else scheme, Item("", title, ARTICLE, when, section), fields)


def _issue(site: Site, when: date, number: int) -> str:
    """What an issue is called: its month, or its number."""
    forms = [*site.tongue.phrases("months"), "No. {n}"]
    return site.tongue.day(site.once("issue", lambda: site.chance.choice(forms)), when, number)


def _dated(day: date) -> dict[str, object]:
    """Fields of a date."""
    year, month, number = str(day.year), f"{day.month:02d}", f"{day.day:02d}"
    return {"y": year, "m": month, "d": number, "ym": year + month, "md": month + number, "ymd": year + month + number}


def _numbered(chance: Random, number: int, slug: str) -> dict[str, object]:
    """Fields that tell a page from others: its number, its slug, one word, a hash."""
    made = "".join(chance.choice("bcdfglmnprst") + chance.choice("aeiou") for _ in range(chance.randint(2, 5)))
    word = chance.choice((made, slug.split("-")[0])) or made
    return {"id": number, "slug": slug, "word": word, "hash": f"{chance.getrandbits(48):012x}"}


def _add_listings(site: Site) -> None:
    """Tags, months, and pages that name all tags, sections or articles."""
    chance, tongue = site.chance, site.tongue
    tags, months = chance.choice(schemes.TAGS), chance.choice(schemes.MONTHS)
    for n, text in enumerate(tongue.words("tags")):
        site.add(site.tags, tags, Item("", text, SECTION, EPOCH), {"tag": fold(text) or text, "n": 300 + n})
    form = tongue.pick("months")
    for n in range(chance.randint(4, 30)):
        when = date(2024 - n // 12, 12 - n % 12, 1)
        site.add(site.months, months, Item("", tongue.day(form, when, 3 + n), SECTION, when), _dated(when))
    for n, (text, slug) in enumerate(tongue.pairs("indexes")):
        scheme = schemes.INDEXES[(n + site.number) % len(schemes.INDEXES)] if n else "/{name}/"
        site.add(site.indexes, scheme, Item("", text, SECTION, EPOCH), {"name": slug, "n": 60 + n})


def _add_people(site: Site) -> None:
    tongue, chance = site.tongue, site.chance
    scheme = site.family.person if site.family else chance.choice(schemes.PEOPLE)
    names = tongue.words("people") if tongue.name == "zh" else tongue.phrases("people")
    if site.kind == "forum":
        names += [_nickname(chance) for _ in range(chance.randint(10, 60))]
    for n, text in enumerate(names):
        name = fold(text) or f"u{n}"
        fields = {"name": name, "n": 11 + n, "sid": 5, "sec": "people", "path": f"people/{name}", **_drawn(site)}
        site.add(site.people, scheme, Item("", text, OTHER, EPOCH), fields)


def _nickname(chance: Random) -> str:
    """What a member of a forum calls himself."""
    made = "".join(chance.choice("bdgklmnprstvz") + chance.choice("aeiou") for _ in range(chance.randint(2, 4)))
    return made + chance.choice(("", "", "x", "77", "_r", "2004"))


def _add_tasks(site: Site, listing: str) -> None:
    """Pages of services, rules and duties, named by phrases, as many as a portal or an association has; below headings of their own."""
    chance, tongue = site.chance, site.tongue
    if "tasks" not in site.traits:
        return
    forms = [chance.choice(schemes.FIXED), *"/{path}/ /{path}.html /{path} /{top}/{name}/ /{name}/".split(), listing]
    scheme = site.family.fixed if site.family else chance.choice(forms)
    most, above = chance.choice((2, 3, 5, 8)), "services"
    for n in range(chance.choice((10, 20, 40) if site.kind in ("org", "blog") else (30, 60, 120, 220))):
        text = tongue.headline(chance.randint(2, most))
        slug = tongue.slug(text) or "s"
        above = slug if n % 7 == 0 else above
        fields = _other(site, slug, 7000 + n, date(2017, 2, 3)) | {"top": above, "path": f"{above}/{slug}"}
        site.add(site.tasks, scheme, Item("", text, OTHER, EPOCH), fields | {"sid": 2000 + n})


def _add_products(site: Site) -> None:
    """A catalogue: shelves, which are listings, and products, which are no articles however alike their URLs are."""
    chance, tongue = site.chance, site.tongue
    if "products" not in site.traits:
        return
    shelves, products = chance.choice(schemes.SHELVES), chance.choice(schemes.PRODUCTS)
    if site.family and chance.random() < 0.3:
        shelves, products = site.family.section, site.family.article
    for n in range(chance.randint(3, 14)):
        text = tongue.headline(chance.choice((2, 2, 3)))
        slug = tongue.slug(text) or f"c{n}"
        shelf: dict[str, object] = {"sec": slug, "path": f"product/{slug}", "top": "product", "sid": 70 + n}
        named = {"tag": slug, "n": n, "file": "list", **_drawn(site)}
        site.add(site.shelves, shelves, Item("", text, SECTION, EPOCH), shelf | named)
        for m in range(chance.randint(2, 8)):
            name = _model(site, m)
            fields = _other(site, tongue.slug(name) or f"p{m}", 200 + 20 * n + m, date(2016, 6, 7))
            site.add(site.products, products, Item("", name, OTHER, EPOCH), fields | shelf)


def _model(site: Site, number: int) -> str:
    """What a product is called: words, and on some the code of a model."""
    code = site.chance.choice(("", "", "XG ", "T-", "M")) + site.chance.choice(("", str(number + 100)))
    return f"{site.tongue.headline(site.chance.choice((2, 3, 5)))} {code}".strip()
