"""Ways in which a site breaks, as changes of what its server answers; the test of causes and
``benchmarks/fleet.py`` put them into sites.

Each way has two variants. Checks were written by looking at the first ones only.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from html import escape

from lxml import etree, html

from sitecrawl.text.dates import find_date
from tests.crawl.driver import Reply


@dataclass(frozen=True)
class Asked:
    """A request to a broken site: ``role`` is article, listing or other; ``title`` and ``text`` are
    the truth of an article."""

    url: str
    role: str
    today: date
    title: str = ""
    text: str = ""
    second: bool = False
    """Whether the second variant is asked for."""
    start: str = "/"
    """The start page."""


@dataclass(frozen=True)
class Failure:
    """No answer: why, as the spider says it."""

    why: str


Answer = Reply | Failure
Change = Callable[[Answer, Asked], Answer]


@dataclass(frozen=True)
class Break:
    """A way to break: what the answers become, and the causes that name it."""

    change: Change
    causes: tuple[str, ...]
    needs: str = ""
    """What a site must have: ``foreign`` letters in its articles, or a ``feed``."""
    roles: frozenset[str] = field(default=frozenset(("article", "listing", "other")))


# ---- helpers
def page(title: str, inner: str, head: str = "") -> bytes:
    """A page that is no article of the site."""
    return f"<!doctype html><html><head><meta charset=utf-8><title>{title}</title>{head}</head><body>{inner}</body></html>".encode()


def instead(first: bytes, second: bytes, status: int = 200) -> Change:
    """One page in place of all."""
    return lambda answer, asked: Reply(second if asked.second else first, status)


def fails(first: str, second: str) -> Change:
    return lambda answer, asked: Failure(second if asked.second else first)


def root_of(answer: Reply) -> html.HtmlElement:
    return html.document_fromstring(answer.body or b"<p>", parser=html.HTMLParser(encoding="utf-8"))


def written(answer: Reply, root: html.HtmlElement) -> Reply:
    body = etree.tostring(root, encoding="unicode", method="html", doctype="<!doctype html>")
    return replace(answer, body=body.encode("utf-8", "replace"))


def _folded(text: str | None) -> str:
    return " ".join((text or "").split())


def _letters(text: str | None) -> str:
    """The letters and digits of a text, since a truth has other blanks and signs than its page."""
    return "".join(filter(str.isalnum, text or "")).casefold()


def body_texts(root: html.HtmlElement, asked: Asked) -> list[tuple[html.HtmlElement, str]]:
    """The places of the article's text: an element, and whether its ``text`` or its ``tail`` is
    part of it."""
    truth, title = _letters(asked.text), _letters(asked.title)
    places = [(node, name) for node in root.body.iter(etree.Element) for name in ("text", "tail")]
    said = [
        (place, _letters(getattr(*place)))
        for place in places
        if place[0].tag not in ("script", "style")
    ]
    parts = [(place, text) for place, text in said if text and text in truth and text not in title]
    lines = [at for at, (_, text) in enumerate(parts) if len(text) > 8]
    return [place for place, _ in parts[lines[0] : lines[-1] + 1]] if lines else []


def body_nodes(root: html.HtmlElement, asked: Asked) -> list[html.HtmlElement]:
    """The elements whose own text is a line of the article's; other lines of it are taken off the
    page."""
    places = body_texts(root, asked)
    for place in places:
        if place[1] == "tail":
            setattr(*place, None)
    return [node for node, name in places if name == "text"]


def _emptied(root: html.HtmlElement, asked: Asked, *, keep: int = 0) -> None:
    """Take the article's text off the page but its first lines."""
    for place in body_texts(root, asked)[keep:]:
        setattr(*place, None)


# ---- what happens to articles
def headlines(answer: Answer, asked: Asked) -> Answer:
    """Every headline is the site's name."""
    root = root_of(answer)
    name = "The Daily Example" if not asked.second else "Home | My Site"
    for node in root.iter(
        "title", "h1", "h2", "h3", "a", "b", "strong", "font", "span", "div", "p", "td"
    ):
        if _letters(asked.title) and _letters("".join(map(str, node.itertext()))) == _letters(
            asked.title
        ):
            for child in list(node):
                node.remove(child)
            node.text = name
    for node in root.iter("title"):
        node.text = name
    for node in root.xpath("//meta[contains(@property, 'title') or contains(@name, 'title')]"):
        node.set("content", name)
    for node in root.xpath("//script[contains(@type, 'json')]"):
        node.drop_tree()
    found = written(answer, root)
    return replace(found, body=found.body.replace(escape(asked.title).encode(), name.encode()))


def garbled(answer: Answer, asked: Asked) -> Answer:
    """UTF-8 read as Windows-1252 or Latin-1, and written as UTF-8 once more."""
    text = written(answer, root_of(answer)).body.decode("utf-8")
    text = re.sub(r"charset\s*=\s*[\"']?[\w-]+", "charset=utf-8", text)
    wrong = "latin-1" if asked.second else "cp1252"
    twice = text.encode("utf-8").decode(wrong, "replace" if asked.second else "ignore")
    return replace(answer, body=twice.encode("utf-8"), kind="text/html; charset=utf-8")


def paywall(answer: Answer, asked: Asked) -> Answer:
    """No text without a subscription, or two lines of it."""
    root = root_of(answer)
    _emptied(root, asked, keep=2 if asked.second else 0)
    box = "<div class=paywall><p>Subscribe to read on.</p><a href=/subscribe>Offers</a></div>"
    root.body.append(html.fragment_fromstring(box))
    return written(answer, root)


def scripted(answer: Answer, asked: Asked) -> Answer:
    """Scripts draw the body."""
    root = root_of(answer)
    shell = '<div><div id="app"></div><script src="/static/app.js"></script></div>'
    if asked.second:
        _emptied(root, asked)
    else:
        for child in list(root.body):
            child.drop_tree()
        root.body.text = ""
    root.body.append(html.fragment_fromstring(shell))
    return written(answer, root)


def soft_missing(answer: Answer, asked: Asked) -> Answer:
    """Status 200 for a page that says that nothing is there, or the way home."""
    if asked.second:
        return Reply(status=301, to=asked.start)
    inner = "<h1>Sorry!</h1><p>We looked everywhere, but there is nothing at this address. Try the search, or go home.</p>"
    return Reply(page("Nothing here", inner + "<a href=/>Home</a>"))


def redesigned(answer: Answer, asked: Asked) -> Answer:
    """Other elements and other names of classes."""
    text = written(answer, root_of(answer)).body.decode("utf-8")
    text = re.sub(
        r'(class|id)="([^"]*)"',
        lambda it: f'{it[1]}="{" ".join("n" + word[::-1] for word in it[2].split())}"',
        text,
    )
    swaps = [("article", "section"), ("h1", "h2")] if asked.second else [("p", "div"), ("ul", "ol")]
    for old, new in swaps:
        text = re.sub(rf"<(/?){old}\b", rf"<\g<1>{new}", text)
    lead = (
        "<div class=top><div class=inner>" if asked.second else "<div class=shell><main class=page>"
    )
    tail = "</div></div>" if asked.second else "</main></div>"
    text = re.sub(r"<body[^>]*>", lambda it: it[0] + lead, text).replace(
        "</body>", tail + "</body>"
    )
    return replace(answer, body=text.encode("utf-8"))


_DAY = re.compile(r"\b(?:19|20)\d\d([-/.年] ?)\d{1,2}([-/.月] ?)\d{1,2}(日?)")


def same_dates(answer: Answer, asked: Asked) -> Answer:
    """Every article is dated the day of the visit, or two years from now."""
    day = asked.today + timedelta(days=700 if asked.second else 0)
    root = root_of(answer)
    for node in root.xpath(
        "//script[contains(@type, 'json')] | //meta[contains(@*, 'date') or contains(@*, 'time')] | //time"
    ):
        node.drop_tree()
    for node in root.body.iter(etree.Element):
        for name in ("text", "tail"):
            line = getattr(node, name) or ""
            if len(line) <= 80 and (found := find_date(line)):
                setattr(node, name, f"{line[: found[1]]}{day}{line[found[2] :]}")
    said = written(answer, root).body.decode("utf-8")
    said = _DAY.sub(lambda it: f"{day.year}{it[1]}{day.month:02}{it[2]}{day.day:02}{it[3]}", said)
    stamp = f'<meta property="article:published_time" content="{day}T08:00:00Z"></head>'
    return replace(answer, body=said.replace("</head>", stamp, 1).encode("utf-8"))


_PROSE = {
    "en": "The council met on Tuesday evening and talked for two hours about the new bridge, which nobody had asked for. "
    "In the end they agreed to look at the plans again in the spring, when the figures of the survey will be known. "
    "People who live near the river said that they would rather have a ferry, as there had been in the old days. ",
    "es": "El ayuntamiento se reunió el martes por la tarde y habló durante dos horas del nuevo puente que nadie había pedido. "
    "Al final acordaron volver a mirar los planos en primavera, cuando se conozcan las cifras del estudio de la zona. "
    "Los vecinos que viven cerca del río dijeron que preferían una barca como la que había antes en el pueblo. ",
}


def other_language(answer: Answer, asked: Asked) -> Answer:
    """The articles are in English, or in Spanish where they were in English."""
    root = root_of(answer)
    code = "es" if sum(sign.isascii() for sign in asked.text) > 0.97 * len(asked.text) else "en"
    for at, node in enumerate(body_nodes(root, asked)):
        node.text = _PROSE[code] if not at or len(_letters(node.text)) > 30 else ""
    root.set("lang", code)
    return written(answer, root)


def one_text(answer: Answer, asked: Asked) -> Answer:
    """Every article shows the text of one."""
    root = root_of(answer)
    for at, node in enumerate(body_nodes(root, asked)):
        node.text = "" if at else 4 * _PROSE["en"]
    for node in root.iter(etree.Element):
        if node.tag in ("h1", "title") or (
            asked.title and _letters(node.text) == _letters(asked.title)
        ):
            node.text = "A bridge for nobody"
    return written(answer, root)


def only_articles(change: Change) -> Change:
    return lambda answer, asked: change(answer, asked) if asked.role == "article" else answer


def only_listings(change: Change) -> Change:
    return lambda answer, asked: change(answer, asked) if asked.role == "listing" else answer


# ---- what happens to listings
def half_gone(answer: Answer, asked: Asked) -> Answer:
    """Two of three entries are no longer listed, the newest are; the second variant keeps one of
    four."""
    root, seen = root_of(answer), set[str]()
    links = [node for node in root.iter("a") if node.get("data-article")]
    order = list(dict.fromkeys(node.get("data-article") for node in links))
    seen.update(order[: max(2, len(order) // (4 if asked.second else 3))])
    for node in links:
        if node.get("data-article") not in seen:
            node.drop_tree()
    return written(answer, root)


def links_by_script(answer: Answer, asked: Asked) -> Answer:
    """Entries open by a script; the second variant lists nothing until a script runs."""
    root = root_of(answer)
    for node in [node for node in root.iter("a") if node.get("data-article")]:
        if asked.second:
            node.drop_tree()
        else:
            node.set("href", "javascript:void(0)")
            node.set("onclick", "openStory(this)")
    return written(answer, root)


def moved(answer: Answer, asked: Asked) -> Answer:
    """The site lives at another domain: a redirect, or a page that says so."""
    if not asked.second:
        return Reply(
            status=301, to="http://www.new-home-of-it.example/" + asked.url.split("/", 3)[-1]
        )
    inner = "<h1>We have moved</h1><p>You find us at our new address: <a href=http://www.new-home-of-it.example/>new-home-of-it.example</a></p>"
    return Reply(page("We have moved", inner))


# ---- what stands before everything
CONSENT = page(
    "Before you continue",
    "<h1>We value your privacy</h1><p>We and our 812 partners store cookies on your device and process personal data to show "
    "you personalised ads. You can accept this or manage your choices.</p><button>Accept all</button><button>Reject all</button>",
)
CONSENT_TWO = page(
    "Datenschutz-Einstellungen",
    "<h2>Ihre Einwilligung</h2><p>Wir verwenden Cookies und ähnliche Verfahren. Mit Klick auf Zustimmen willigen Sie in die Verarbeitung "
    "Ihrer Daten ein, oder nutzen Sie unser Pur-Abo.</p><a href='#'>Zustimmen und weiter</a>",
)
PARKED = page(
    "example-news.com",
    "<h1>example-news.com</h1><p>This domain may be for sale. Buy this domain.</p><ul>"
    + "".join(
        f"<li><a href='/find?q={word}'>{word}</a></li>"
        for word in ("Loans", "Hotels", "Insurance", "Shoes")
    )
    + "</ul><p>Related searches. Privacy policy.</p>",
)
PARKED_TWO = page(
    "Diese Website steht zum Verkauf",
    "<h1>Die Domain steht zum Verkauf!</h1><p>Diese Domain wurde vom Inhaber geparkt. Weiterführende Links: </p><a href='/x?k=1'>Kredit</a> "
    "<a href='/x?k=2'>Reisen</a>",
)
LOGIN = page("Log in", "<h1>Please log in</h1><form><input name=user><input type=password></form>")
LOGIN_TWO = page(
    "Zugang für Mitglieder",
    "<h1>Anmelden</h1><form><input name=u><input type=password><button>OK</button></form>",
)
CHALLENGE = page(
    "Just a moment...",
    "<h1>Checking your browser</h1><p>Please wait while we verify that you are not a robot.</p><script src=/c.js></script>",
)
CHALLENGE_TWO = page(
    "Access denied",
    "<h1>Are you human?</h1><p>Please solve the captcha to go on.</p><div class=g-recaptcha></div>",
)
CLOSED = page(
    "Maintenance",
    "<h1>We'll be back soon</h1><p>The site is down for maintenance. Please try again later.</p>",
)
CLOSED_TWO = page(
    "Wartungsarbeiten",
    "<h1>Wartung</h1><p>Unsere Seiten sind wegen Wartungsarbeiten vorübergehend nicht erreichbar.</p>",
)


def answered(status: int, other: int = 0) -> Change:
    return lambda answer, asked: Reply(b"<p>no</p>", other if asked.second and other else status)


TLS = "cannot be reached ([<twisted.python.failure.Failure OpenSSL.SSL.Error: [('SSL routines', '', 'certificate verify failed')]>])"
BREAKS: dict[str, Break] = {
    "headlines are the site's name": Break(only_articles(headlines), ("headlines",)),
    "double-encoded text": Break(garbled, ("garbled",), needs="foreign"),
    "paywall": Break(only_articles(paywall), ("bodies",)),
    "bodies by scripts": Break(only_articles(scripted), ("scripts",)),
    "soft 404": Break(only_articles(soft_missing), ("missing",)),
    "500 to all": Break(
        fails("robots.txt cannot be reached (the server answered 500)", "the server answered 502"),
        ("server",),
    ),
    "articles answer 500": Break(only_articles(answered(500, 503)), ("losses",)),
    "articles answer 404": Break(only_articles(answered(404, 410)), ("losses",)),
    "consent wall": Break(instead(CONSENT, CONSENT_TWO), ("consent",)),
    "parked domain": Break(instead(PARKED, PARKED_TWO), ("parked",)),
    "robots.txt forbids": Break(
        fails("forbidden by robots.txt", "forbidden by robots.txt"), ("robots",)
    ),
    "redesign": Break(redesigned, ("relearned", "drifting")),
    "site moved": Break(moved, ("moved",)),
    "dates alike or in the future": Break(only_articles(same_dates), ("dates",)),
    "other language": Break(only_articles(other_language), ("language",)),
    "listings cut": Break(only_listings(half_gone), ("listings",)),
    "listings by scripts": Break(only_listings(links_by_script), ("no-articles", "listings")),
    "no such host": Break(
        fails("no such host: check the address", "no answer in time"), ("network",)
    ),
    "certificate": Break(fails(TLS, "cannot be reached (Connection refused)"), ("network",)),
    "login wall": Break(instead(LOGIN, LOGIN_TWO), ("login",)),
    "feed only": Break(only_listings(links_by_script), ("feed-only",), needs="feed"),
    "403 to our agent": Break(answered(403, 429), ("blocked",)),
    "robot check": Break(instead(CHALLENGE, CHALLENGE_TWO), ("blocked",)),
    "maintenance": Break(instead(CLOSED, CLOSED_TWO), ("server",)),
    "start page gone": Break(only_listings(answered(404, 410)), ("start-gone",)),
    "one text for all": Break(only_articles(one_text), ("repeats", "headlines")),
}
"""Every way to break by its name."""
