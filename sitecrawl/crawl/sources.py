"""Ways in which a page names other pages besides links, one function each: scripts, frames, image
maps, choices of a list, forms, attributes that hold URLs, and ``hreflang`` links of its head."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import chain, islice, product
from urllib.parse import urlencode

from lxml import etree

from sitecrawl.dom.class_names import words_of
from sitecrawl.dom.page import Page
from sitecrawl.dom.render import absolute
from sitecrawl.dom.tree import by_tag, string_of
from sitecrawl.limits import LIMITS
from sitecrawl.links.anchors import TEXT_BIT, text_facts
from sitecrawl.links.vocabulary import LOAD_MORE
from sitecrawl.text.chars import fold
from sitecrawl.urls.canonical import is_page
from sitecrawl.urls.pattern import url_pattern
from sitecrawl.urls.scope import host_of

# a call whose arguments are all literals: others are known only when the script runs
_CALL = re.compile(
    r"(?:^|[\s:;])(\w+)\s*\(\s*((?:'[^'()]*'|\"[^\"()]*\"|\d+)(?:\s*,\s*(?:'[^'()]*'|\"[^\"()]*\"|\d+))*)\s*\)"
)
# inner braces nest no further: a function that only opens a page is that short
_FUNCTION = re.compile(r"\bfunction\s+(\w+)\s*\(([\w\s,]*)\)\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")
_TERM = r"(?:'[^']*'|\"[^\"]*\"|\w+)"
_LEADS = re.compile(  # what a script opens, if it is a sum of literals and names
    rf"\b(?:location(?:\.href)?\s*=|location\.(?:replace|assign)\s*\(|open\s*\()\s*({_TERM}(?:\s*\+\s*{_TERM})*)\s*[;,)\n}}]?"
)
_TERMS = re.compile(_TERM)
_FRAGMENT = re.compile(
    r"[^#]*#!?/."
)  # a part of a page's data that its scripts draw without a request
_PAGER = re.compile(
    r"^(?:javascript:.*\b\d|#.*page)", re.I
)  # a call with a number, or a page in the fragment
_LOAD_MORE, _NO_LINK = re.compile(LOAD_MORE, re.I), re.compile(r"\s*(?:#|javascript:|$)", re.I)
# classes of pagers. Those of single controls stand in galleries too, and "page" on the body of many
# sites
_PAGERS = words_of("pagers", "pages") - {"page", "next", "prev", "previous"}
_NO_PAGERS = words_of("pictures", "pictures without a hint") | {"disabled"}
_WORD = re.compile("[a-z]+")
_DRAWN_PAGER = re.compile(  # pages (from 0, or 1 after a name), this page, and its file
    r"\bcreatePage\w*\((\s*['\"][^'\"]*['\"]\s*,)?\s*(\w+)\s*,\s*(\w+)\s*,(?:[^,()]*,)??\s*['\"]([\w-]+)['\"]\s*,\s*['\"](s?html?|jsp)\b"
)
_NEXT_FILE = re.compile(
    r"(?<![\w-])([\w-]{1,40})['\"+\s]*_['\"+\s]*nextPage['\"+.\s]*(s?html?|jsp)\b"
)
_NUMBER = re.compile(r"\b([a-zA-Z]\w*)\s*=\s*(\d{1,6})\b(?!\s*[-+*/.]\s*\w)")
_SCRIPTED = frozenset(
    "onclick onchange data-href data-url data-link href".split()
)  # from these scripts take a URL
_OTHER = frozenset(
    "to routerlink ng-href xlink:href href".split()
)  # these hold a URL, and so does any ``data-...``
# a quoted text that starts as a URL does, or ends as a page does: other texts of scripts are rarely
# URLs; atomic (?>), as retries take quadratic time
_QUOTED = re.compile(
    r"['\"]((?>(?:https?:/)?/[^'\"\s]+|[\w./-]+\.(?:s?html?|php|aspx?|jsp)\b[^'\"\s]*))['\"]", re.I
)
_PAGE_LIKE = re.compile(r"\s*(?:\?\w|\S*(?:/|\.(?:s?html?|php|aspx?|jsp)\b))", re.I)
_MADE = re.compile(
    r"[{}<>$*|^`\\]"
)  # characters that occur in patterns and templates but not in URLs
_TYPED = frozenset(
    "text search email password number tel url date month week time datetime-local file".split()
)
"""Types of form fields that need input."""


class HintKind(StrEnum):
    """What a page says of a URL."""

    SHOWN = "shown"  # the page leads its readers there
    HIDDEN = "hidden"  # the URL is data for the page's scripts
    LANGUAGE = "language"  # the same page in another language
    UNREAD = "unread"  # a script call that cannot be turned into a URL


Hint = tuple[str, HintKind]  # a URL that a page names other than by a link


class HintSources:
    """What of a page may name others, in document order: elements by tag, names and values of
    attributes; and the text of its scripts."""

    def __init__(self, page: Page) -> None:
        kinds = "a", "area", "form", "iframe", "link", "object", "option", "script"
        self.page, self.elements = page, by_tag(page.root.iter(*kinds))
        self.scripts = "\n".join([node.text or "" for node in self.elements["script"]])[
            : LIMITS.jsonld_chars
        ]
        nodes, wanted = list(page.root.iter("*")), _SCRIPTED | _OTHER
        self.attributes = [  # in XPath each kind of attribute takes as long as all of them do here
            (name, value)
            for node, pairs in zip(nodes, map(etree._Element.items, nodes), strict=True)
            for name, value in pairs
            if name in wanted
            or "-" in name
            or value.startswith(("[{", "{"))  # as in `:posts="[{...}]"`
            if name != "href"
            or "-" in str(node.tag)
            or (node.tag == "a" and value.lstrip().startswith("javascript:"))
        ]


def page_urls(hrefs: Iterable[str], page: Page) -> list[str]:
    """The URLs of references that may be pages, without duplicates."""
    urls = (absolute(href, page.base_url) for href in islice(hrefs, LIMITS.links))
    return [url for url in dict.fromkeys(urls) if url and is_page(url)]


def frames(page: Page, *, most: int = 20) -> list[str]:
    """The pages of a frameset, and of the ``iframe`` elements of a page without links, up to a
    limit."""
    kinds = ["frame"] if next(page.root.iter("a"), None) is not None else ["frame", "iframe"]
    return page_urls(islice((node.get("src") or "" for node in page.root.iter(kinds)), most), page)


def languages(of: HintSources) -> Iterator[Hint]:
    """The versions of a page in other languages, from its head."""
    nodes = (
        node
        for node in of.elements["link"]
        if "alternate" in (node.get("rel") or "") and node.get("hreflang")
    )
    return (
        (url, HintKind.LANGUAGE)
        for url in page_urls((node.get("href") or "" for node in nodes), of.page)
    )


def script_data(of: HintSources, *, listed_from: int = 3) -> Iterator[Hint]:
    """URLs in a page's data for scripts: in attributes, and in scripts and attributes that list at
    least ``listed_from`` pages of one pattern."""
    values = (value.replace("\\/", "/") for _, value in of.attributes if '"' in value)
    texts = [
        of.scripts.replace("\\/", "/"),
        *(value for value in values if '"/' in value or '"http' in value),
    ]
    quoted = (
        href
        for href in _QUOTED.findall("\n".join(texts)[: LIMITS.text_chars])
        if not _MADE.search(href)
    )
    groups: dict[tuple[str, str], list[str]] = {}
    for url in page_urls(quoted, of.page):
        groups.setdefault((host_of(url), url_pattern(url)), []).append(url)
    listed = chain.from_iterable(urls for urls in groups.values() if len(urls) >= listed_from)
    others = (value for name, value in of.attributes if name.startswith("data-") or name in _OTHER)
    hrefs = (value for value in others if value.startswith(("/", "http")))
    return ((url, HintKind.HIDDEN) for url in dict.fromkeys([*page_urls(hrefs, of.page), *listed]))


# ---- links that are scripts
def scripted_links(of: HintSources, *, several: int = 3) -> Iterator[Hint]:
    """The URLs that short functions of a page compose for its links, and the calls that cannot be
    read. Calls of one function with different arguments count as pages from a certain number on."""
    calls = list(dict.fromkeys(islice(_calls(of.attributes), LIMITS.links)))
    counts = Counter(name for name, _ in calls)
    functions = _functions(of.scripts) if calls else {}
    hrefs = [
        _address(functions[name], arguments) if name in functions else ""
        for name, arguments in calls
    ]
    yield from ((url, HintKind.SHOWN) for url in page_urls(filter(None, hrefs), of.page))
    for (name, arguments), href in zip(calls, hrefs, strict=True):
        if not href and counts[name] >= several:
            yield f"{name}{arguments}", HintKind.UNREAD
    drawn = {href for node in of.elements["a"] if _FRAGMENT.match(href := node.get("href") or "")}
    yield from ((href, HintKind.UNREAD) for href in drawn if len(drawn) >= several)


def turns_by_script(page: Page) -> bool:
    """Whether a page has further pages that only scripts or sent forms can load: a control that
    names no URL loads more, or turns pages."""
    is_front = page.url.strip("/").count("/") <= 2
    # each form is read once, though each of its buttons may turn pages
    posted = (
        form
        for form in page.root.iter("form")
        if (form.get("method") or "").strip().casefold() == "post"
    )
    sent, controls = {form for form in posted if _fields(form) is not None}, _controls(page)
    return any(
        _LOAD_MORE.search(text) or _turns(node, text, sent=sent, is_front=is_front)
        for node, text in controls
    )


def _controls(page: Page, *, longest: int = 40) -> Iterator[tuple[etree._Element, str]]:
    """The elements that a reader clicks or chooses and that name no URL, each with its text."""
    nodes = chain(
        page.root.iter("a", "button", "input", "option"), page.root.iterfind(".//*[@onclick]")
    )
    for node in (node for node in nodes if _NO_LINK.match(node.get("href") or "")):
        named = any(
            value.startswith(("/", "http", "?")) or _QUOTED.search(value) for value in node.values()
        )
        text = ((node.get("value") if node.tag == "input" else None) or string_of(node)).strip(
            " \t\r\n[]()"
        )
        if not named and len(text) <= longest:
            yield node, text


def _turns(node: etree._Element, text: str, *, sent: set[etree._Element], is_front: bool) -> bool:
    """Whether a control with the words for the next page, or its number, turns pages: it sends the
    page or a form without input (``sent``), stands in a pager, or is one of the numbers of a list.
    Elsewhere such controls turn pictures, above all on a front page."""
    action, above = node.get("href") or node.get("onclick") or "", node.getparent()
    if text.isdigit() and not is_front and _PAGER.match(action):
        return True
    if above is None or not (text == "2" or text_facts(fold(text))[2] & TEXT_BIT["t_next"]):
        return False
    if node.tag == "option":
        before = node.getprevious()
        return (
            above.get("onchange") is not None
            and before is not None
            and string_of(before).strip() == "1"
        )
    around = " ".join(one.get("class") or "" for one in islice(node.iterancestors(), 3))
    names = frozenset(_WORD.findall(around.casefold()))
    is_sent = next(node.iterancestors("form"), None) in sent or "__doPostBack(" in action
    return is_sent or bool(names & _PAGERS and names.isdisjoint(_NO_PAGERS))


def _calls(attributes: list[tuple[str, str]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Names and arguments of the functions that links and buttons call. Arguments that are URLs are
    read by :func:`references`."""
    for text in (value for name, value in attributes if name in ("onclick", "href")):
        for match in islice(_CALL.finditer(text), 3):
            arguments = tuple(term.strip("'\"") for term in _TERMS.findall(match[2]))
            if not any("/" in argument for argument in arguments):
                yield match[1], arguments


def _functions(text: str) -> dict[str, tuple[list[str], str]]:
    """Parameters and target (a sum of texts and parameters) of the functions of a script that open
    another page."""
    bodies = ((match[1], match[2], _LEADS.search(match[3])) for match in _FUNCTION.finditer(text))
    return {
        name: ([one.strip() for one in names.split(",")], target[1])
        for name, names, target in bodies
        if target
    }


def _address(function: tuple[list[str], str], arguments: tuple[str, ...]) -> str:
    """The URL that a function call opens; empty if it depends on more than its arguments.

    >>> _address((["id"], "'/show.do?id=' + id"), ("12",)), _address((["id"], "base + id"), ("12",)), _address(([], "'/a\\"'"), ())
    ('/show.do?id=12', '', '/a"')
    """
    names, target = function
    values, terms = dict(zip(names, arguments, strict=False)), _TERMS.findall(target)
    known = all(term[0] in "'\"" or term.isdigit() or term in values for term in terms)
    return (
        "".join(values.get(term, term if term.isdigit() else term[1:-1]) for term in terms)
        if known
        else ""
    )


# ---- elements that lead to pages
def references(of: HintSources) -> Iterator[Hint]:
    """URLs to which a page leads without ``<a href>``: frames, image maps, lists, forms without
    input, drawn pagers, scripted elements, ``rel=next``."""
    hrefs = [of.page.metadata.links.get("next")]
    for tag, attribute in (("iframe", "src"), ("area", "href"), ("object", "data")):
        hrefs += [node.get(attribute) for node in of.elements[tag]]
    hrefs += [
        value
        for node in of.elements["option"]
        if _PAGE_LIKE.match(value := node.get("value") or "")
    ]
    hrefs += _drawn_pages(of.scripts) if "Page" in of.scripts else []
    for name, text in (pair for pair in of.attributes if pair[0] in _SCRIPTED):
        hrefs += (
            [text]
            if "-" in name and not any(mark in text for mark in "'\"(")
            else _QUOTED.findall(text)
        )
    return (
        (url, HintKind.SHOWN)
        for url in page_urls(chain(filter(None, hrefs), _submissions(of)), of.page)
    )


def _drawn_pages(scripts: str) -> Iterator[str]:
    """The next pages of pagers that scripts of TRS draw, by a call or written out; many authorities
    of China publish in it."""
    numbers = dict(_NUMBER.findall(scripts))
    written = (("", "countPage", "currentPage", *file) for file in _NEXT_FILE.findall(scripts))
    for named, *known, stem, ending in chain(_DRAWN_PAGER.findall(scripts), written):
        count, this = (numbers.get(one, one) for one in known)
        if (
            (count + this).isdecimal()
            and len(count + this) <= 12
            and int(this) + 1 < int(count) + bool(named)
        ):
            yield f"{stem}_{int(this) + 1}.{ending}"


def _submissions(of: HintSources) -> Iterator[str]:
    """URLs of forms that need no input: one for each choice of a list and each button."""
    for form in of.elements["form"]:
        fields = _fields(form)
        if (form.get("method") or "get").strip().casefold() == "get" and fields is not None:
            action = (form.get("action") or of.page.url).partition("#")[0].partition("?")[0]
            for pairs in product(*fields):
                query = urlencode(
                    [pair for pair in pairs if pair], encoding=of.page.encoding, errors="replace"
                )
                yield f"{action}?{query}" if query else action


def _fields(form: etree._Element) -> list[list[tuple[str, str] | None]] | None:
    """The possible values of each field of a form, several for one list or one button only; None if
    a field needs input."""
    fixed, pushed, chosen = list[list[tuple[str, str] | None]](), list[tuple[str, str] | None](), 0
    for node in form.iter("input", "button", "select", "textarea"):
        name, kind = node.get("name") or "", (node.get("type") or "").strip().casefold()
        if node.tag == "textarea" or (node.tag == "input" and (kind or "text") in _TYPED):
            return None
        if node.tag == "select":
            values = [
                option.get("value", option.text or "").strip() for option in node.iter("option")
            ]
            fixed.append(
                [(name, value) for value in values[: None if not chosen else 1] if name] or [None]
            )
            chosen += len(values) > 1
        elif node.tag == "button" or kind in (
            "submit",
            "image",
            "button",
            "reset",
        ):  # counts if it is clicked
            pushed.append((name, node.get("value") or "") if name and kind != "reset" else None)
        elif name and (kind not in ("checkbox", "radio") or node.get("checked") is not None):
            fixed.append([(name, node.get("value") or "")])
    return [*fixed, pushed or [None]]


def hints(page: Page) -> Iterator[Hint]:
    """What a listing page names in each of these ways, in document order. Feeds and frames are
    requested separately."""
    sources, ways = HintSources(page), (scripted_links, references, languages, script_data)
    return chain.from_iterable(way(sources) for way in ways)
