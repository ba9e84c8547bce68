"""JSON-LD: what a page tells machines of its article, its place in the site, and the site, as
objects of schema.org."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from sitecrawl.limits import LIMITS
from sitecrawl.text.chars import fold, mend_escapes, unescaped
from sitecrawl.text.names import squeeze

Object = dict[str, Any]

_ARTICLE = re.compile(r"(article|posting|report|newsitem|blogpost|review|recipe|qapage)$", re.I)
_OTHER_WORK = re.compile(r"(?:^|/)(?:HowTo|VideoObject|AudioObject|PodcastEpisode|CreativeWork)$")
"""Works that are the page's article where their name is in its title; else they are parts of it."""
_WEB_PAGE = re.compile(r"(?:^|/)(?:Medical)?(?:Web|Item)Page$")
_LIST_PAGE = re.compile(r"(?:Collection|Search|Profile|About|Contact|Checkout)\w*Page$")
_PAGE_KEYS = (
    "datePublished",
    "dateModified",
    "author",
    "image",
    "primaryImageOfPage",
    "description",
)
"""What a page without an article says of itself and is true of the article as well."""
_ORGANISATION = re.compile(r"(?:Organization|Corporation|Business|Brand|WebSite|Association)$")
_RESOLVED = {"author", "image", "publisher", "primaryImageOfPage"}
"""What may be told by the id of another object."""
_FOLLOWED = ("@graph", "mainEntity", "mainEntityOfPage", "breadcrumb")
_MOST_NAMES = 100  # authors of one article that are read
_CONTROL = re.compile(r"[\x00-\x1f]+")  # raw line ends in strings, also frequent
_BEGIN = re.compile(r"\{|(?<!CDATA)\[(?=\s*\{)")
_DECODER = json.JSONDecoder(strict=False)
_VALUE = re.compile(
    r'^([ \t]*"[@\w]+"[ \t]*:[ \t]*")((?:(?!"\s*[,:]).)*)(?="[ \t]*+,?[ \t]*+$)', re.M
)
_BARE_QUOTE = re.compile(r'(?<!\\)"')
"""A text that is alone with its key in a line, and the quotes within that its writer forgot to
escape."""
_TRAILING_COMMA = re.compile(r",\s*([}\]])")  # invalid JSON, but frequent in JSON-LD


@dataclass(slots=True)
class LinkedData:
    """``article`` is the object that describes the page's article, empty without one;
    ``is_article`` is False if it is of a work that is no text. ``page`` is what the page says of
    itself where no object describes an article: static pages have it, too. ``crumbs`` are name
    and URL of the steps from the home page, ``site`` is the site's name."""

    article: Object = field(default_factory=dict)
    is_article: bool = False
    page: Object = field(default_factory=dict)
    crumbs: list[tuple[str, str]] = field(default_factory=list)
    site: str = ""


def read_linked_data(scripts: list[str], title: str) -> LinkedData:
    """What the JSON-LD of a page says. It is repaired if trailing commas, control characters or
    quotes that are not escaped are its only defects. ``title`` tells the page's own article from
    others."""
    objects = [item for script in scripts for item in _objects(load_json(script))]
    if not objects:
        return LinkedData()
    article = _article_of(objects, title)
    found = LinkedData(article, is_article=bool(article))
    if not article:
        found.article = _other_work_of(objects, title)
    if not found.article:
        found.page = _page_of(objects)
    if "creator" in found.article and not found.article.get("author"):
        found.article["author"] = found.article["creator"]
    known = {str(item["@id"]): item for item in objects if "@id" in item and len(item) > 1}
    for told in (found.article, found.page):
        for key in _RESOLVED & told.keys():
            told[key] = _resolved(told[key], known)
    found.crumbs = _crumbs_of(_first_of(objects, "BreadcrumbList"))
    found.site = linked_text(_first_of(objects, "WebSite").get("name")) or ""
    return found


def linked_text(value: Any) -> str | None:
    """A JSON-LD value as text: a string, the name or value of an object, the first of a list.

    >>> linked_text([{"@type": "Person", "name": " Ann "}])
    'Ann'
    """
    for _ in range(5):
        if isinstance(value, list):
            value = value[0] if value else None
        elif isinstance(value, dict):
            value = value.get("name") or value.get("@value") or value.get("url")
        else:
            break
    return fold(unescaped(value)) or None if isinstance(value, str) else None


def linked_time(value: Any) -> str | None:
    """A JSON-LD value as the text of a time, which may be a number of seconds."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value) if isinstance(value, int) else linked_text(value)


def linked_records(value: Any) -> list[Object]:
    """The objects of a JSON-LD value, one or many."""
    return [entry for entry in _listed(value) if isinstance(entry, dict)]


def linked_names(value: Any) -> list[str]:
    """Names of a JSON-LD author value, one or many."""
    people, organisations = linked_people(value)
    return people + organisations


def linked_people(value: Any) -> tuple[list[str], list[str]]:
    """Names of people and names of organisations in a JSON-LD author value.

    >>> linked_people([{"@type": "Organization", "name": "The Example"}, {"givenName": "Ann", "familyName": "Onym"}])
    (['Ann Onym'], ['The Example'])
    """
    people = list[str]()
    organisations = list[str]()
    for entry in _flat(value):
        is_organisation = isinstance(entry, dict) and _has_type(entry, _ORGANISATION)
        named = organisations if is_organisation else people
        names = entry.get("name") if isinstance(entry, dict) else None
        several = names if isinstance(names, list) else [entry]
        named += filter(None, map(linked_name, several))
    return people, organisations


def linked_name(entry: Any) -> str | None:
    """The name of a person or an organisation: its name, else its given and its family name."""
    if not isinstance(entry, dict):
        return linked_text(entry)
    name = linked_text(entry.get("name"))
    if name:
        return name
    parts = (linked_text(entry.get(key)) for key in ("givenName", "additionalName", "familyName"))
    return " ".join(filter(None, parts)) or None


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _flat(value: Any, *, levels: int = 3) -> list[Any]:
    """The entries of a value that may be a list of lists, or a list in an object (``@list``)."""
    entries = _listed(value)
    for _ in range(levels):
        if not any(isinstance(entry, list) or _is_list(entry) for entry in entries):
            break
        inner = (entry["@list"] if _is_list(entry) else entry for entry in entries)
        entries = [one for entry in inner for one in _listed(entry)]
    return entries[:_MOST_NAMES]


def _is_list(entry: Any) -> bool:
    return isinstance(entry, dict) and "@list" in entry


def _has_type(item: Object, wanted: re.Pattern[str]) -> bool:
    return any(wanted.search(str(kind)) for kind in _listed(item.get("@type")))


def _is_of(item: Object, kind: str) -> bool:
    return any(str(one).rpartition("/")[2] == kind for one in _listed(item.get("@type")))


def _first_of(objects: list[Object], kind: str) -> Object:
    return next((item for item in objects if _is_of(item, kind)), {})


def _article_of(objects: list[Object], title: str) -> Object:
    """The object that describes the page's article: the first of several with a headline, one with
    a headline in the page's ``title`` before others; empty without one."""
    shown = squeeze(title)
    articles = [item for item in objects if _has_type(item, _ARTICLE)]
    named = [item for item in articles if item.get("headline")] or articles
    titled = [item for item in named if squeeze(str(item.get("headline"))) in shown]
    return dict(next(iter(titled or named), {}))


def _other_work_of(objects: list[Object], title: str) -> Object:
    """The video or manual that the page's ``title`` names; empty without one."""
    shown = squeeze(title)
    for item in objects:
        name = squeeze(linked_text(item.get("headline") or item.get("name")) or "")
        if name and name in shown and _has_type(item, _OTHER_WORK):
            work = dict(item)
            work.setdefault("datePublished", item.get("uploadDate"))
            return work
    return {}


def _page_of(objects: list[Object]) -> Object:
    """What a page says of itself that is true of its article as well."""
    for item in objects:
        if _has_type(item, _WEB_PAGE) and not _has_type(item, _LIST_PAGE):
            return {key: item[key] for key in _PAGE_KEYS if key in item}
    return {}


def _resolved(value: Any, known: dict[str, Object]) -> Any:
    """A value in which objects that are only an ``@id`` say what the object with that id says."""
    entries = [
        known.get(str(entry.get("@id")), entry)
        if isinstance(entry, dict) and not entry.keys() - {"@id", "@type"}
        else entry
        for entry in _listed(value)
    ]
    return entries if isinstance(value, list) else entries[0]


def _crumbs_of(found: Object, *, most: int = 50) -> list[tuple[str, str]]:
    """Name and URL of the steps of a BreadcrumbList, in the order of their positions."""
    steps = linked_records(found.get("itemListElement"))[:most]
    steps.sort(key=_position)
    crumbs = list[tuple[str, str]]()
    for step in steps:
        item = step.get("item")
        place = item if isinstance(item, dict) else {}
        name = linked_text(step.get("name")) or linked_text(place.get("name"))
        url = item if isinstance(item, str) else place.get("@id") or place.get("url")
        if name and not name.startswith(("http:", "https:")):
            crumbs.append((name, unescaped(url) if isinstance(url, str) else ""))
    return crumbs


def _position(step: Object) -> float:
    with suppress(ValueError):
        return float(str(step.get("position")))
    return 0.0


def load_json(script: str) -> Any:
    """The first JSON document in a script, which may stand in a comment or a CDATA section; None if
    it is too long or cannot be repaired."""
    begin = _BEGIN.search(script) if len(script) <= LIMITS.jsonld_chars else None
    text = mend_escapes(script[begin.start() :]) if begin else ""
    for form in (str, _repaired):
        with suppress(ValueError, RecursionError):
            return _DECODER.raw_decode(form(text))[0]
    return None


def _repaired(text: str) -> str:
    quoted = _VALUE.sub(lambda found: found[1] + _BARE_QUOTE.sub(r"\"", found[2]), text)
    return _TRAILING_COMMA.sub(r"\1", _CONTROL.sub(" ", quoted))


def _objects(data: Any, *, most: int = 1000) -> Iterator[Object]:
    """Objects of a JSON-LD document, ``most`` at most: itself, entries of lists, of its graph, its
    main entity and its breadcrumbs."""
    queue = [data]
    for item in islice(queue, most):  # it grows while it is read
        if isinstance(item, list):
            queue.extend(item)
        elif isinstance(item, dict):
            yield item
            queue.extend(item[key] for key in _FOLLOWED if key in item)
