"""Fields of an article from a single page: ``READERS`` by field name. Authors and source come from
metadata first, then the by-line."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import compress, groupby, islice
from operator import methodcaller
from typing import Any, Protocol, cast

from lxml import etree

from sitecrawl.dom.blocks import ASIDE, BITS, bits_of
from sitecrawl.dom.class_names import names_one_of, words_of, words_of_picture
from sitecrawl.dom.document import Document
from sitecrawl.dom.linked_data import linked_text
from sitecrawl.dom.page import Page
from sitecrawl.dom.render import Content, absolute
from sitecrawl.dom.tree import SILENT
from sitecrawl.extract import details
from sitecrawl.extract.authors import find_authors
from sitecrawl.extract.published import Dated, find_relative, modified_raw
from sitecrawl.items.kinds import Headline
from sitecrawl.text.chars import fold, line_of, unescaped
from sitecrawl.text.dates import parse_date
from sitecrawl.text.language import language_of
from sitecrawl.urls.scope import host_of

_names_cloud = names_one_of(frozenset(("cloud", "tagcloud")))
_MAY_LEAD_TO_TAG = re.compile("/(?:tag|label|topic|keyword|etiquet|schlagw|tema)|tag=")
_HREF = methodcaller("get", "href", "")
_TAG_URL = re.compile(
    r"[/?&](?:tags?|tagged|labels?|topics?|keywords?|etiquetas?|etiquettes?|schlagw[oö]rte?r?|temas?|tagi)[/=]",
    re.I,
)
_TAG_LIST = re.compile(
    r"(?<![a-z])(?:tags?|tag-?list|tagged|keywords?|labels?|topics?|etiquetas?)(?![a-z])", re.I
)
_SMALL_PICTURES = words_of("small pictures")
_BADGE = re.compile(r"(?i)shields\.io|badge\.svg|spacer\.")
_PLACEHOLDER = re.compile(
    r"placeholder|(?:^|[_-])(?:blank|spacer)\.", re.I
)  # in the name of a picture's file
_IMAGES = "og:image twitter:image og:image:url og:image:secure_url twitter:image:src image thumbnailurl".split()
_NO_URL = re.compile(
    r"[{}<>\s\[\]]|%7[bd]|^(?:undefined|null|none|nil|false|true|nan|n/?a|\w+)$|^(?:#|javascript:)|//(?:undefined|null)",
    re.I,
)
"""What is no URL though it stands where one should: a bare word, or a variable not filled in."""
_SMALL = re.compile(r"[0-3]?\d(?:\.\d+)?(?:px)?")  # up to 39 pixels: an icon
_SOURCE_WORDS = "来源|來源|稿源|信息来源|出处|出典|출처"
SOURCE_LABEL, _WHOLE_TEXT = re.compile(_SOURCE_WORDS), etree.XPath("string()", smart_strings=False)
# of what stands behind the source
_NEXT_LABEL = "(?:作者|记者|编辑|责编|责任编辑|发布|发表|时间|日期|更新|浏览|点击|阅读|审核)[^\\s：:]{0,4}[:：]"
_BUTTON = "(?:举报|收藏|打印|分享|关注|(?:调整)?字[体号])(?!\\w)"
_SOURCE = re.compile(
    rf"(?:{_SOURCE_WORDS})\s*[:：]\s*(?!{_NEXT_LABEL})([^\s|：:,，；;（(]{{2,30}}?)(?=[\s|,，；;（(]|$|{_NEXT_LABEL}|{_BUTTON})"
)


def find_source(page: Page, near: Sequence[str]) -> str | None:
    """The source an article names (来源) in the texts ``near`` its headline; None when there is
    none."""
    found = next(filter(None, map(_SOURCE.search, near)), None)
    return found[1] if found else page.metadata.first("source", "mediaid", "contentsource")


def _may_name_source(page: Page) -> bool:
    """Whether a word that announces a source is anywhere on the page. Only then headline and texts
    near it are worth their cost."""
    text = cast(str, _WHOLE_TEXT(page.root))
    return any(letter in text for letter in "源出출") and SOURCE_LABEL.search(text) is not None


def near_element(
    document: Document, element: int, *, reach: int = 100, blocks: int = 10, brief: int = 200
) -> list[str]:
    """Texts of less than ``brief`` characters around an element, where a by-line is: three blocks
    above its block, then ``blocks`` blocks from its block on. At most ``reach`` chunks of text
    before and after its first chunk are read."""
    own = document.first[element]

    def block(chunk: int) -> int:
        number = document.owners[chunk]
        while number and document.inline[number]:
            number = document.parents[number]
        return number

    after = (
        list(run) for _, run in groupby(range(own, min(own + reach, len(document.chunks))), block)
    )
    before = (
        list(run)[::-1] for _, run in groupby(range(own - 1, max(-1, own - reach - 1), -1), block)
    )
    runs, above = list(islice(after, blocks)), list(islice(before, 4))
    if runs and above and block(own - 1) == block(own):  # its block begins above it
        runs[0] = above.pop(0) + runs[0]
    nearest = above[: 3 if runs else 4]  # one more if no text stands from the element on
    runs = nearest[::-1] + runs
    return [
        text
        for text in (line_of(document.chunks[run[0] : run[-1] + 1]) for run in runs)
        if len(text) < brief
    ]


class Clues(Protocol):
    """Information about a page for the readers of fields, which an answer by template computes when
    asked. ``title`` is the headline of the article, wherever it comes from, ``headline`` and
    ``dated`` are the page's, ``changed`` is the day of the last change that it prints; ``content``
    is the body as it is shown, ``near`` are texts around the headline, ``below`` those behind the
    body."""

    @property
    def page(self) -> Page: ...
    @property
    def title(self) -> str: ...
    @property
    def headline(self) -> Headline: ...
    @property
    def dated(self) -> Dated | None: ...
    @property
    def changed(self) -> str | None: ...
    @property
    def content(self) -> Content: ...
    @property
    def near(self) -> Sequence[str]: ...
    @property
    def below(self) -> Sequence[str]: ...


def canonical_url(page: Page) -> str | None:
    """The URL that the page calls its own; None when it names none, one of another scheme, or what
    is no URL, as the name of a variable that a program did not fill in."""
    for href in (page.metadata.links.get("canonical"), page.metadata.first("og:url")):
        url = absolute(href, page.base_url) if href and not _NO_URL.search(href) else None
        if url and _names_host(url, page.url):
            return url
    return None


def _names_host(url: str, own: str) -> bool:
    """Whether the host of a URL may be one: it has a dot, or is that of the page's ``own`` URL. A
    relative URL has none."""
    host = host_of(url)
    return "." in host or host == host_of(own)


def main_image(clues: Clues) -> dict[str, str] | None:
    """The image that the metadata name, else the first one of the body, as ``{"url": ...}``; not one
    that stands for a missing image."""
    page = clues.page
    linked = page.metadata.linked
    hrefs = [page.metadata.first(*_IMAGES), page.metadata.links.get("image_src")]
    linked = linked or page.metadata.linked_page
    if linked:
        hrefs.insert(0, _image_url(linked.get("image")))
        hrefs += [_image_url(linked.get(key)) for key in ("primaryImageOfPage", "thumbnailUrl")]
    for href in filter(None, hrefs):
        url = absolute(unescaped(href), page.base_url)
        if url and url != page.base_url and not _PLACEHOLDER.search(url.rpartition("/")[2]):
            return {"url": url}
    in_body = images_of(clues, most=1)
    return {"url": in_body[0]["url"]} if in_body else None


def _image_url(value: Any) -> str:
    """The URL in a JSON-LD value: a URL, an object, or a list of these."""
    for _ in range(3):
        if isinstance(value, list):
            value = value[0] if value else None
        elif isinstance(value, dict):
            value = value.get("url") or value.get("contentUrl")
    return value if isinstance(value, str) else ""


def images_of(clues: Clues, *, most: int = 50) -> list[dict[str, str]]:
    """The first ``most`` images inside the body as ``{"url", "alt"}``, without icons, avatars, tiny
    and repeated ones."""
    found, base = dict[str, dict[str, str]](), clues.page.base_url
    for image in clues.content.shown("img"):
        url = absolute(image.get("src") or "", base)
        is_small = any(_SMALL.fullmatch(image.get(name) or "") for name in ("width", "height"))
        is_icon = is_small or _is_icon(image.get("class") or "", url or "")
        if url and url != base and not is_icon and len(found) < most:
            found.setdefault(
                url, {"url": url} | ({"alt": fold(image.get("alt"))} if image.get("alt") else {})
            )
    return list(found.values())


def _is_icon(names: str, url: str) -> bool:
    """Whether a picture is an icon, a smiley or the picture of a person, by its class and its
    URL."""
    if _BADGE.search(url):
        return True
    return not _SMALL_PICTURES.isdisjoint(words_of_picture(names, url))


def tags_of(page: Page, *, most: int = 50, most_links: int = 500) -> list[str]:
    """Tags and keywords: links marked ``rel=tag`` by the article (of ``most_links`` links), else
    links to pages of tags, then article:tag and keywords of the metadata."""
    links = [a for a in page.related if "tag" in (a.get("rel") or "").casefold().split()]
    marked = [fold("".join(a.itertext())) for a in links[:most_links] if not _is_beside(a)]
    if not marked:
        marked = [fold("".join(a.itertext())) for a in _links_to_tags(page, most_links)]
    meta = page.metadata
    named = ",".join(meta.tags) or meta.first(
        "keywords", "news_keywords", "parsely-tags", "sailthru.tags"
    )
    keywords = linked_keywords(meta.linked.get("keywords")) or linked_keywords(named)
    tags = [
        tag.lstrip("# ") for tag in details.split_tags(marked) or keywords if 0 < len(tag) <= 60
    ]
    return list(dict.fromkeys(tags))[:most]


def _links_to_tags(page: Page, most: int) -> list[etree._Element]:
    """The links of the first list of tags: they lead to pages of tags by their URLs, and stand in one
    element whose class or id speaks of tags, in no column and no list of other stories."""
    found = dict[etree._Element, list[etree._Element]]()
    every = list(page.root.iter("a"))
    maybe = compress(every, map(_MAY_LEAD_TO_TAG.search, map(_HREF, every)))
    for link in islice(maybe, most):
        if not _TAG_URL.search(link.get("href") or ""):
            continue
        for around in islice(link.iterancestors(), 3):
            names = f"{around.get('class') or ''} {around.get('id') or ''}"
            if _TAG_LIST.search(names):
                found.setdefault(around, []).append(link)
                break
    for around, links in found.items():
        if not _is_beside(around) and not bits_of(around) & ASIDE & ~BITS["foot"]:
            return links
    return []


def _is_beside(link: etree._Element, *, levels: int = 60) -> bool:
    """Whether a tag is in a column or a cloud of the whole site's tags instead of beside the
    article, by ``levels`` elements around it."""
    for part in islice(link.iterancestors(), levels):
        if part.tag in ("article", "main"):
            return False
        names = f"{part.get('class') or ''} {part.get('id') or ''}"
        if (
            part.tag == "aside"
            or part.tag in SILENT
            or _names_cloud(names)
            or bits_of(part) & BITS["side"]
        ):
            return True
    return False


def linked_keywords(value: Any) -> list[str]:
    """Keywords as a list, from a list or a string with commas.

    >>> linked_keywords("news, 城市，bridge"), linked_keywords('["news", "bridge"]')
    (['news', '城市', 'bridge'], ['news', 'bridge'])
    """
    given = value if isinstance(value, list) else [value]
    return details.split_tags([text for item in given if (text := linked_text(item))])


def breadcrumbs_of(page: Page, *, most: int = 50) -> list[dict[str, str]]:
    """Links of the first breadcrumb region that has any, else those of the JSON-LD, as ``{"name",
    "url"}``."""
    links = [(fold("".join(a.itertext())), a.get("href") or "") for a in page.crumbs[:most]]
    crumbs = list[dict[str, str]]()
    for name, href in links or page.metadata.crumbs[:most]:
        url = absolute(href, page.base_url) if href else None
        if name:
            crumbs.append({"name": name} | ({"url": url} if url else {}))
    return crumbs


def _day_of_page(page: Page, key: str) -> str | None:
    """A day that the JSON-LD of a page without an article tells of the page."""
    told = page.metadata.linked_page
    return parse_date(linked_text(told.get(key))) if told else None


READERS: dict[str, Callable[[Clues], Any]] = {
    "canonicalUrl": lambda clues: canonical_url(clues.page),
    "headline": lambda clues: clues.headline.text,
    "datePublished": lambda clues: (
        clues.dated.value if clues.dated else _day_of_page(clues.page, "datePublished")
    ),
    "datePublishedRaw": lambda clues: (
        clues.dated.raw.strip() if clues.dated else find_relative(clues.near)
    ),
    "id": lambda clues: details.page_id(clues.page),
    "dateModified": lambda clues: (
        parse_date(modified_raw(clues.page.metadata))
        or _day_of_page(clues.page, "dateModified")
        or clues.changed
    ),
    "dateModifiedRaw": lambda clues: modified_raw(clues.page.metadata),
    "authors": lambda clues: find_authors(clues, clues.below),
    "inLanguage": lambda clues: language_of(
        clues.page.metadata.language, f"{clues.title} {clues.content.text[:800]}"
    ),
    "description": lambda clues: details.metadata_text(
        clues.page, "description", "og:description", "description", "twitter:description"
    ),
    "mainImage": main_image,
    "images": images_of,
    "videos": lambda clues: details.media_of(clues.page, clues.content.players, kind="video"),
    "audios": lambda clues: details.media_of(clues.page, clues.content.players, kind="audio"),
    "breadcrumbs": lambda clues: breadcrumbs_of(clues.page),
    "tags": lambda clues: tags_of(clues.page),
    "articleSection": lambda clues: details.metadata_text(
        clues.page, "articleSection", "article:section", "section"
    ),
    "siteName": lambda clues: details.site_name(clues.page),
    "hostname": lambda clues: host_of(clues.page.url) or None,
    "license": lambda clues: details.license_of(clues.page),
    "isAccessibleForFree": lambda clues: details.is_free(clues.page),
    "source": lambda clues: find_source(
        clues.page, clues.near if _may_name_source(clues.page) else ()
    ),
}
"""Readers of fields from one page alone, by the name of the row in the table of item fields. A
reader pays only for the clues it uses."""
