"""Details of an article for machines: a stable id, videos and audios, facts about the authors,
separate tags."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, cast

from lxml import etree

from sitecrawl.dom.linked_data import linked_name, linked_records, linked_text
from sitecrawl.dom.page import Page
from sitecrawl.dom.render import absolute
from sitecrawl.text.chars import fold, unescaped
from sitecrawl.text.dates import ANNOUNCED, CHANGED, find_date
from sitecrawl.urls.canonical import url_key

People = list[dict[str, str]]

_PLAYER = re.compile(r"\b(?:embed|player|video|iframe)\b", re.I)
_AUDIO = re.compile(r"\b(?:audio|podcast|episode|sound|track)s?\b", re.I)
_TAG_SEPARATOR = re.compile(r"[,;|，；、]")
_SENTENCE_END = re.compile(r"[.!?。]\s")
_LIST = re.compile(r"^\s*\[(.*)\]\s*$", re.S)  # a list as programs write it
_MARKUP = re.compile(r"</?(?:p|br|div|span|a|b|i|em|strong|font|img)(?:\s[^<>]{0,300})?/?>", re.I)
"""Elements of a text that some CMSs copy into its description."""
_HAN_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+(?:[\s_/]+[\u3040-\u30ff\u3400-\u9fff]+)+")
"""Words of scripts without blanks between words: there blanks separate tags."""
_LINKS_WITH = cast(
    Callable[..., list[etree._Element]],
    etree.XPath("descendant::a[position() <= $most][contains(., $start)]"),
)


def page_id(page: Page) -> str | None:
    """Id of a page, equal for all its URLs: http and https, with and without ``www.``, with
    tracking parameters."""
    return (
        hashlib.sha256(url_key(page.url).encode("utf-8", "replace")).hexdigest()[:24]
        if page.url
        else None
    )


def media_of(
    page: Page, players: Sequence[etree._Element], *, kind: str, most: int = 50
) -> list[dict[str, str]]:
    """The first ``most`` videos or audios (``kind`` is ``video`` or ``audio``) as ``{"url"}``, from
    the body's ``players`` and the metadata."""
    found = [url for part in players for url in _player_urls(part, kind)]
    found += _declared_urls(page, kind)
    urls = dict.fromkeys(filter(None, (absolute(url, page.base_url) for url in found)))
    return [{"url": url} for url in islice(urls, most)]


def metadata_text(page: Page, linked: str, *names: str) -> str | None:
    """A text of the metadata: the key ``linked`` of the JSON-LD, else the first of the meta
    elements ``names``."""
    text = linked_text(page.metadata.linked.get(linked)) or page.metadata.first(*names) or ""
    is_markup = (
        text.startswith("<") or "</" in text or "/>" in text
    )  # else it may speak of elements
    return fold(_MARKUP.sub(" ", text) if is_markup else text) or None


def site_name(page: Page) -> str | None:
    """Name of the site, else of its publisher, from the metadata: meta elements, then JSON-LD."""
    named = page.metadata.first("og:site_name", "sitename", "application-name")
    metadata = page.metadata
    return fold(named) or metadata.site or linked_text(metadata.linked.get("publisher")) or None


def license_of(page: Page) -> str | None:
    """URL of the license of the text: JSON-LD, else ``rel=license``."""
    linked: Any = page.metadata.linked.get("license")
    linked = linked.get("url") or linked.get("@id") if isinstance(linked, dict) else linked
    named = (
        link.get("href") for link in page.related if "license" in (link.get("rel") or "").split()
    )
    marked = (
        linked
        if isinstance(linked, str)
        else page.metadata.links.get("license") or next(named, None)
    )
    return absolute(marked, page.base_url) if marked else None


_WHOLE = 0.7  # share of the words that the metadata tell, from which a body is whole
_MOST_DIGITS = 7
_SELECTED = re.compile(r"[.#][\w-]{1,80}")  # a class or an id in a selector of CSS
_PAID_CHARS = 400  # characters of the part to be paid for that show that the page holds it
_MOST_PAID = 20  # elements of that part that are looked at
_TEASER_CHARS = 400  # the same in languages of which each character counts as a word
_UNSPACED = ("zh", "ja")
_TEASER_WORDS = 200  # words below which a body without any measure is a beginning


def is_free(page: Page) -> bool | None:
    """Whether the article can be read without paying; None if the page does not say (schema.org
    ``isAccessibleForFree``)."""
    linked = page.metadata.linked
    parts = [part.get("isAccessibleForFree") for part in linked_records(linked.get("hasPart"))]
    told = linked.get("isAccessibleForFree", page.metadata.first("isaccessibleforfree"))
    for value in (told, *parts):
        word = str(value).casefold().rpartition("/")[2]
        if word in ("true", "false"):
            return word == "true"
    tier = page.metadata.first("article:content_tier")
    return tier == "free" if tier else None


def printed_change(near: Sequence[str], *, reach: int = 60) -> str | None:
    """The day of the last change that a text beside the headline prints behind a word for it, at most
    ``reach`` characters behind.

    >>> printed_change(["3 May 2024", "Updated: 9 May 2024"])
    '2024-05-09'
    """
    text = "\n".join(near)
    for said in CHANGED.finditer(text):
        behind, _, _ = text[said.end() : said.end() + reach].partition("\n")
        found = find_date(behind)
        between = behind[: found[1]] if found else ""
        if found and not ANNOUNCED.search(between) and not _SENTENCE_END.search(between):
            return found[0]
    return None


def is_teaser(page: Page, words: int) -> bool:
    """Whether a body of so many words is only the beginning of an article that must be paid for.

    The page says so (schema.org ``isAccessibleForFree``), and neither has it the number of words
    that its metadata tell, nor much text in the elements that these call the part to be paid for.
    """
    if is_free(page) is not False:
        return False
    linked = page.metadata.linked
    told = str(linked.get("wordCount") or "")
    if told.isdecimal() and len(told) <= _MOST_DIGITS:
        return words < _WHOLE * int(told)
    selectors = [part.get("cssSelector") for part in linked_records(linked.get("hasPart"))]
    names = [name for selector in selectors for name in _SELECTED.findall(str(selector)[:200])]
    held = [at for name in names for at in page.document.named.get(name, ())]
    if any(len(page.document.text(at)) >= _PAID_CHARS for at in held[:_MOST_PAID]):
        return False
    is_unspaced = page.metadata.language[:2].casefold() in _UNSPACED
    return words < (_TEASER_CHARS if is_unspaced else _TEASER_WORDS)


def _player_urls(part: etree._Element, kind: str) -> list[str]:
    if part.tag == "iframe":
        source = part.get("src") or part.get("data-src") or ""
        is_kind = ("audio" if _AUDIO.search(source) else "video") == kind
        return [source] if _PLAYER.search(source) and is_kind else []
    if part.tag != kind:
        return []
    own = (
        [part.get("src")] if part.get("src") else [node.get("src") for node in part.iter("source")]
    )
    return [source for source in own[:1] if source]


def _declared_urls(page: Page, kind: str) -> list[str]:
    entries = linked_records(page.metadata.linked.get(kind))
    urls = [entry.get("contentUrl") or entry.get("embedUrl") for entry in entries]
    named = page.metadata.first(f"og:{kind}:secure_url", f"og:{kind}:url", f"og:{kind}")
    return [unescaped(url) for url in (*urls, named) if isinstance(url, str) and url]


def with_details(page: Page, names: Sequence[str], *, texts: Sequence[str] = ()) -> People:
    """Authors as ``{"name", "nameRaw", "url"}``: ``nameRaw`` is the one of ``texts`` with the name,
    if it says more, ``url`` their page."""
    authors = linked_records(page.metadata.linked.get("author"))
    declared = {
        linked_name(one) or "": one["url"] for one in authors if isinstance(one.get("url"), str)
    }
    links = _links_named(page, [name for name in names if not declared.get(name)])
    found = []
    for name in names:
        record = {"name": name}
        raw = next((text for text in texts if name in text and text != name), None)
        url = absolute(declared.get(name) or links.get(name) or "", page.base_url) or ""
        is_page = url not in ("", page.url) and not url.startswith("mailto:")
        found.append(record | ({"nameRaw": raw} if raw else {}) | ({"url": url} if is_page else {}))
    return found


def _links_named(page: Page, names: Sequence[str], *, most: int = 2_000) -> dict[str, str]:
    """URLs of the links whose text is one of ``names``, by name, the last of several, among the
    first ``most`` links."""
    links = list[etree._Element]()
    for start in {name.split()[0] for name in names if name.strip()}:
        with suppress(ValueError):  # a name that XML cannot hold stands in no link
            links += _LINKS_WITH(page.root, start=start, most=most)
    return {fold("".join(link.itertext())): link.get("href") or "" for link in links}


def split_tags(tags: Sequence[str]) -> list[str]:
    """Tags as a list, also if the page has all in one string.

    >>> split_tags(["bridge, harbour；城市"]), split_tags(["Rock, paper", "scissors"]), split_tags(["福彩 责任"])
    (['bridge', 'harbour', '城市'], ['Rock, paper', 'scissors'], ['福彩', '责任'])
    """
    parts = _TAG_SEPARATOR.split(_LIST.sub(r"\1", tags[0])) if len(tags) == 1 else tags
    if len(parts) == 1 and (_HAN_WORDS.fullmatch(parts[0].strip()) or " #" in parts[0]):
        parts = re.split(r"[\s_/]+", parts[0]) if " #" not in parts[0] else parts[0].split(" #")
    return [tag for tag in (fold(part).strip("\"' ") for part in parts) if tag]
