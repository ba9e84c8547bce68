"""Ways in which a page names other pages besides links, one function each: scripts, frames, image
maps, choices of a list, forms, attributes that hold URLs, and ``hreflang`` links of its head."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import chain, islice

from lxml import etree

from sitecrawl.crawl.forms import Sent, method_of, needs_input, submissions, turned_pages
from sitecrawl.crawl.script_urls import called_urls, chosen_urls, clicked_urls
from sitecrawl.dom.class_names import words_of
from sitecrawl.dom.page import Page
from sitecrawl.dom.render import absolute
from sitecrawl.dom.tree import by_tag, string_of
from sitecrawl.limits import LIMITS
from sitecrawl.links.anchors import TEXT_BIT, text_facts
from sitecrawl.links.vocabulary import LOAD_MORE
from sitecrawl.text.chars import fold
from sitecrawl.urls.canonical import is_page
from sitecrawl.urls.pattern import turns_pages, url_pattern
from sitecrawl.urls.scope import host_of

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
_WANTED = _SCRIPTED | _OTHER
_ASSETS = frozenset(
    "src srcset poster style class id title alt content action formaction xmlns cite background profile"
    " itemtype itemid vocab prefix about resource typeof".split()
)
"""Attributes that hold pictures, places to send forms to, or names, and no pages."""
# as in `:posts="[{...}]"`, `hx-get="/news?page=2"`
_URL_STARTS = ("[{", "{", "/", "http://", "https://", "?")
_CODE_FILE = re.compile(r"\.(?:css|m?js)(?:\?|$)")
_SENT = re.compile(r"(?:post|put|patch|delete)(?:-to)?$|(?:^|-)action$")  # they send something
_NAMES_URL = re.compile(r"(?:^|[-:_])(?:url|href|link|get|next|more|load|path|page|remote)$")
_RELATIVE = re.compile(r"(?:\?|\.{0,2}/|\w[\w-]*/)[\w./?=&%~+-]*")
# a quoted text that starts as a URL does, or ends as a page does: other texts of scripts are rarely
# URLs; atomic (?>), as retries take quadratic time
_QUOTED = re.compile(
    r"['\"]((?>(?:https?:/)?/[^'\"\s]+|\?\w+=[^'\"\s]*[^'\"\s=]|[\w./-]+\.(?:s?html?|php|aspx?|jsp)\b[^'\"\s]*))['\"]",
    re.I,
)
_PAGE_LIKE = re.compile(r"\s*(?:\?\w|\S*(?:/|\.(?:s?html?|php|aspx?|jsp)\b))", re.I)
_NAMED_STEP = re.compile(r'"(\w{1,40})"\s*:\s*"([\w%-]{6,200})"')
_STEP = re.compile(r"([^/.]+)((?:\.\w+)?/?)$")  # the last step of a path, and its ending
_ESCAPED, _PLAIN = (
    re.compile(r"\\(?:/|u002f|u0026|x2f)", re.I),
    {"\\/": "/", "\\u002f": "/", "\\x2f": "/", "\\u0026": "&"},
)
_MADE = re.compile(
    r"[{}<>$*|^`\\]"
)  # characters that occur in patterns and templates but not in URLs
_LONGEST_NUMBERS = 12  # digits of two numbers of pages
_FRAMES = 20  # frames of one page
_SEVERAL = 3  # URLs or calls of one form that are no chance
_CONTROL = 40  # characters of the text of a button


class HintKind(StrEnum):
    """What a page says of a URL."""

    SHOWN = "shown"  # the page leads its readers there
    CHOSEN = "chosen"  # it is one of the choices of a list: a further list, such as that of a year
    HIDDEN = "hidden"  # the URL is data for the page's scripts
    LANGUAGE = "language"  # the same page in another language
    UNREAD = "unread"  # a script call that cannot be turned into a URL


Hint = tuple[str, HintKind]  # a URL that a page names other than by a link


class HintSources:
    """What of a page may name others, in document order: elements by tag, names and values of
    attributes; and the text of its scripts."""

    def __init__(self, page: Page) -> None:
        kinds = "a", "area", "form", "iframe", "link", "object", "option", "script", "select"
        self.page, self.elements = page, by_tag(page.root.iter(*kinds))
        self.scripts = "\n".join([node.text or "" for node in self.elements["script"]])[
            : LIMITS.jsonld_chars
        ]
        self.attributes = list[tuple[str, str]]()
        self.loaded = list[str]()
        for node in page.root.iter("*"):
            self._take(str(node.tag), node.items())

    def _take(self, tag: str, attributes: list[tuple[str, str]]) -> None:
        """Add the attributes of an element that may hold URLs. In XPath each kind of them takes as
        long as all of them do here."""
        is_custom = "-" in tag
        for name, value in attributes:
            if name in _ASSETS:
                # elements such as `turbo-frame` load what their `src` names as a page
                if is_custom and name == "src":
                    self.loaded.append(value)
            elif name == "href":
                if is_custom or (tag == "a" and value.lstrip().startswith("javascript:")):
                    self.attributes.append((name, value))
            elif name in _WANTED or "-" in name or value.startswith(_URL_STARTS):
                self.attributes.append((name, value))


def posted_pages(page: Page) -> list[Sent]:
    """The further pages that the pagers of a page load by POST, up to a limit."""
    found = chain.from_iterable(turned_pages(form, page) for form in page.root.iter("form"))
    return [*islice(found, LIMITS.links)]


def _values(nodes: Iterable[etree._Element], name: str) -> Iterator[str]:
    """The values of an attribute of some elements."""
    return (node.get(name) or "" for node in nodes)


def page_urls(hrefs: Iterable[str], page: Page) -> list[str]:
    """The URLs of references that may be pages, without duplicates."""
    urls = (absolute(href, page.base_url) for href in islice(hrefs, LIMITS.links))
    return [url for url in dict.fromkeys(urls) if url and is_page(url)]


def frames(page: Page) -> list[str]:
    """The pages of a frameset, and of the ``iframe`` elements of a page without links, up to a
    limit."""
    kinds = ["frame", "iframe"] if next(page.root.iter("a"), None) is None else ["frame"]
    return page_urls(islice(_values(page.root.iter(kinds), "src"), _FRAMES), page)


def languages(of: HintSources) -> Iterator[Hint]:
    """The versions of a page in other languages, from its head."""
    alternates = [node for node in of.elements["link"] if "alternate" in (node.get("rel") or "")]
    named = [node for node in alternates if node.get("hreflang")]
    return ((url, HintKind.LANGUAGE) for url in page_urls(_values(named, "href"), of.page))


def script_data(of: HintSources) -> Iterator[Hint]:
    """URLs in a page's data for scripts: in attributes, and in scripts and attributes that list at
    least ``_SEVERAL`` pages of one pattern, or name a further page of a listing."""
    values = [_unescaped(value) for _, value in of.attributes if '"' in value]
    lists = [value for value in values if '"/' in value or '"http' in value]
    quoted = _QUOTED.findall("\n".join([_unescaped(of.scripts), *lists])[: LIMITS.text_chars])
    groups = defaultdict[tuple[str, str], list[str]](list)
    for url in page_urls((href for href in quoted if not _MADE.search(href)), of.page):
        groups[host_of(url), url_pattern(url)].append(url)
    held = page_urls(filter(None, map(_held_url, of.attributes)), of.page)
    found = [url for url in held if not _CODE_FILE.search(url)]
    for urls in groups.values():
        found += urls if len(urls) >= _SEVERAL else filter(turns_pages, urls)
    return ((url, HintKind.HIDDEN) for url in dict.fromkeys(found))


def composed_pages(of: HintSources) -> Iterator[Hint]:
    """Pages that data in scripts names by the last steps of their URLs only: under the name that
    also holds those of at least ``_SEVERAL`` links of the page."""
    linked = dict[str, tuple[str, str]]()
    for url in page_urls(_values(of.page.root.iter("a"), "href"), of.page):
        stem = _STEP.search(url.partition("?")[0])
        if stem is not None:
            linked[stem[1]] = url[: stem.start(1)], stem[2]
    named = defaultdict[str, list[str]](list)
    for name, value in _NAMED_STEP.findall(of.scripts):
        named[name].append(value)
    for values in named.values():
        forms = Counter(linked[value] for value in values if value in linked)
        (folder, ending), count = next(iter(forms.most_common(1)), (("", ""), 0))
        if count >= _SEVERAL:
            urls = page_urls((f"{folder}{value}{ending}" for value in values), of.page)
            yield from ((url, HintKind.HIDDEN) for url in urls)


def _unescaped(script: str) -> str:
    """A script with plain slashes and ampersands, as some frameworks escape them."""
    return _ESCAPED.sub(lambda found: _PLAIN[found[0].casefold()], script)


def _held_url(attribute: tuple[str, str]) -> str:
    """The URL that an attribute holds; empty if it holds none, or one to which its element sends
    something."""
    name, value = attribute
    if _SENT.search(name) or len(value) > LIMITS.url_chars:
        return ""
    if value.startswith(("/", "http://", "https://", "?")):
        return "" if " " in value.strip() else value
    return value if _NAMES_URL.search(name) and _RELATIVE.fullmatch(value) else ""


# ---- links that are scripts
def scripted_links(of: HintSources) -> Iterator[Hint]:
    """The URLs that short functions of a page compose for its links, and the calls that cannot be
    read. Calls of one function with different arguments count as pages from a certain number on."""
    actions = [value for name, value in of.attributes if name in ("onclick", "href")]
    calls = called_urls(actions, of.scripts)
    composed = [*calls.values(), *clicked_urls(actions)]
    yield from ((url, HintKind.SHOWN) for url in page_urls(filter(None, composed), of.page))
    counts = Counter(name for name, _ in calls)
    for (name, arguments), href in calls.items():
        if not href and counts[name] >= _SEVERAL:
            yield f"{name}{arguments}", HintKind.UNREAD
    drawn = {href for href in _values(of.elements["a"], "href") if _FRAGMENT.match(href)}
    if len(drawn) >= _SEVERAL:
        yield from ((href, HintKind.UNREAD) for href in drawn)


def turns_by_script(page: Page) -> bool:
    """Whether a page has further pages that only scripts or sent forms can load: a control that
    names no URL loads more, or turns pages."""
    is_front = page.url.strip("/").count("/") <= 2
    # each form is read once, though each of its buttons may turn pages
    posted = (form for form in page.root.iter("form") if method_of(form) == "post")
    sent = {form for form in posted if not needs_input(form) and not [*turned_pages(form, page)]}
    return any(
        _LOAD_MORE.search(text) or _turns(node, text, sent=sent, is_front=is_front)
        for node, text in _controls(page)
    )


def _controls(page: Page) -> Iterator[tuple[etree._Element, str]]:
    """The elements that a reader clicks or chooses and that name no URL, each with its text."""
    nodes = chain(
        page.root.iter("a", "button", "input", "option"), page.root.iterfind(".//*[@onclick]")
    )
    for node in (node for node in nodes if _NO_LINK.match(node.get("href") or "")):
        values = node.values()
        if any(value.startswith(("/", "http", "?")) or _QUOTED.search(value) for value in values):
            continue
        shown = node.get("value") if node.tag == "input" else None
        text = (shown or string_of(node)).strip(" \t\r\n[]()")
        if len(text) <= _CONTROL:
            yield node, text


def _turns(node: etree._Element, text: str, *, sent: set[etree._Element], is_front: bool) -> bool:
    """Whether a control with the words for the next page, or its number, turns pages: it sends the
    page or a form without input (``sent``), stands in a pager, or is one of the numbers of a list.
    Elsewhere such controls turn pictures, above all on a front page."""
    action = node.get("href") or node.get("onclick") or ""
    if text.isdigit() and not is_front and _PAGER.match(action):
        return True
    says_next = text == "2" or bool(text_facts(fold(text))[2] & TEXT_BIT["t_next"])
    if node.getparent() is None or not says_next:
        return False
    if node.tag == "option":
        return _follows_first(node)
    is_sent = next(node.iterancestors("form"), None) in sent or "__doPostBack(" in action
    return is_sent or _is_in_pager(node)


def _follows_first(option: etree._Element) -> bool:
    """Whether a choice stands behind the first page in a list that reacts to its reader."""
    before = option.getprevious()
    above = option.getparent()
    reacts = above is not None and above.get("onchange") is not None
    return reacts and before is not None and string_of(before).strip() == "1"


def _is_in_pager(node: etree._Element) -> bool:
    around = " ".join(one.get("class") or "" for one in islice(node.iterancestors(), 3))
    names = frozenset(_WORD.findall(around.casefold()))
    return bool(names & _PAGERS) and names.isdisjoint(_NO_PAGERS)


# ---- elements that lead to pages
def references(of: HintSources) -> Iterator[Hint]:
    """URLs to which a page leads without ``<a href>``: frames, image maps, lists, forms without
    input, drawn pagers, scripted elements, ``rel=next``."""
    hrefs = [of.page.metadata.links.get("next"), *of.loaded]
    for tag, attribute in (("iframe", "src"), ("area", "href"), ("object", "data")):
        hrefs += _values(of.elements[tag], attribute)
    options = _values(of.elements["option"], "value")
    hrefs += [value for value in options if _PAGE_LIKE.match(value)]
    hrefs += _drawn_pages(of.scripts) if "Page" in of.scripts else []
    hrefs += _scripted_urls(of)
    for form in of.elements["form"]:
        hrefs += islice(submissions(form, of.page), LIMITS.links)
    return ((url, HintKind.SHOWN) for url in page_urls(filter(None, hrefs), of.page))


def _scripted_urls(of: HintSources) -> Iterator[str]:
    """What attributes hold that scripts read: a URL, or code with URLs in it."""
    for name, text in of.attributes:
        if name not in _SCRIPTED:
            continue
        is_code = "-" not in name or any(mark in text for mark in "'\"(")
        yield from _QUOTED.findall(text) if is_code else [text]


def choices(of: HintSources) -> Iterator[Hint]:
    """The URLs that scripts compose for the choices of lists, such as the years of an archive."""
    for node in of.elements["select"]:
        urls = page_urls(filter(None, chosen_urls(node, of.scripts)), of.page)
        yield from ((url, HintKind.CHOSEN) for url in urls)


def _drawn_pages(scripts: str) -> Iterator[str]:
    """The next pages of pagers that scripts of TRS draw, by a call or written out; many authorities
    of China publish in it."""
    numbers = dict(_NUMBER.findall(scripts))
    written = (("", "countPage", "currentPage", *file) for file in _NEXT_FILE.findall(scripts))
    for named, *known, stem, ending in chain(_DRAWN_PAGER.findall(scripts), written):
        count, this = (numbers.get(one, one) for one in known)
        if not (count + this).isdecimal() or len(count + this) > _LONGEST_NUMBERS:
            continue
        following = int(this) + 1
        last = int(count) if named else int(count) - 1
        if following <= last:
            yield f"{stem}_{following}.{ending}"


def hints(page: Page) -> Iterator[Hint]:
    """What a listing page names in each of these ways, in document order. Feeds and frames are
    requested separately."""
    sources = HintSources(page)
    ways = (scripted_links, references, choices, languages, script_data, composed_pages)
    return chain.from_iterable(way(sources) for way in ways)
