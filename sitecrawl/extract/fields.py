"""Fields of an article from a single page: ``READERS`` by field name. Authors and source come from
metadata first, then the by-line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, islice
from operator import methodcaller
from typing import Any, Protocol, cast

from lxml import etree

from sitecrawl.dom.blocks import ASIDE, BITS, bits_of
from sitecrawl.dom.class_names import names_one_of, words_of, words_of_picture
from sitecrawl.dom.document import Document
from sitecrawl.dom.linked_data import linked_text
from sitecrawl.dom.page import Metadata, Page
from sitecrawl.dom.render import Content, absolute
from sitecrawl.dom.tree import SILENT, string_of
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
_names_tags = names_one_of(words_of("labels", "taxonomies", "topics"))
_SMALL_PICTURES = words_of("small pictures")
_BADGE = re.compile(r"(?i)shields\.io|badge\.svg|spacer\.")
_PLACEHOLDER = re.compile(r"placeholder|(?:^|[_-])(?:blank|spacer)\.", re.I)
"""In the name of a picture's file."""
_IMAGES = "og:image twitter:image og:image:url og:image:secure_url twitter:image:src image thumbnailurl".split()
_NO_URL = re.compile(
    r"[{}<>\s\[\]]|%7[bd]|^(?:undefined|null|none|nil|false|true|nan|n/?a|\w+)$|^(?:#|javascript:)|//(?:undefined|null)",
    re.I,
)
"""What is no URL though it stands where one should: a bare word, or a variable not filled in."""
_KEYWORDS = ("keywords", "news_keywords", "parsely-tags", "sailthru.tags")
_LONGEST_TAG = 60  # characters
_MOST_TAGS = 20  # of an article in a row without a name; more are those of the site
_LONGEST_TAG_LABEL = 20  # characters of what announces them, and of signs between them
_MOST_LINKS = 500  # of a page that may be tags
_REACH = 100  # chunks of text before and behind an element, in which a by-line may stand
_MOST_ABOVE = 3  # blocks above the one of the element
_MOST_BELOW = 10  # blocks from its own on
_BRIEF = 200  # characters; longer texts are prose
_SMALL = re.compile(r"[0-3]?\d(?:\.\d+)?(?:px)?")  # up to 39 pixels: an icon
_SOURCE_WORDS = "来源|來源|稿源|信息来源|出处|出典|출처"
SOURCE_LABEL = re.compile(_SOURCE_WORDS)
_WHOLE_TEXT = etree.XPath("string()", smart_strings=False)
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


@dataclass(slots=True)
class _Run:
    """Neighbouring chunks of text of one block."""

    block: int
    first: int
    last: int


def near_element(document: Document, element: int) -> list[str]:
    """Brief texts around an element, where a by-line is: three blocks above its block, then those
    from its block on."""
    own = document.first[element]
    end = min(own + _REACH, len(document.chunks))
    below = _runs_of(document, range(own, end), most=_MOST_BELOW)
    above = _runs_of(document, range(own - 1, max(-1, own - _REACH - 1), -1), most=_MOST_ABOVE + 1)
    if below and above and above[0].block == below[0].block:  # its block begins above it
        below[0].first = above.pop(0).first
    # one more if no text stands from the element on
    nearest = above[:_MOST_ABOVE] if below else above
    texts = [
        line_of(document.chunks[run.first : run.last + 1]) for run in (*reversed(nearest), *below)
    ]
    return [text for text in texts if len(text) < _BRIEF]


def _runs_of(document: Document, chunks: range, *, most: int) -> list[_Run]:
    """The runs of the first ``most`` blocks of some chunks, in the order of these."""
    found = list[_Run]()
    run = _Run(-1, -1, -1)
    for chunk in chunks:
        block = document.owners[chunk]
        while block and document.inline[block]:
            block = document.parents[block]
        if block != run.block:
            if len(found) == most:
                break
            run = _Run(block, chunk, chunk)
            found.append(run)
        elif chunk > run.last:
            run.last = chunk
        else:
            run.first = chunk
    return found


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
    for href in filter(None, _declared_images(page.metadata)):
        url = absolute(unescaped(href), page.base_url)
        if url and url != page.base_url and not _PLACEHOLDER.search(url.rpartition("/")[2]):
            return {"url": url}
    in_body = images_of(clues, most=1)
    return {"url": in_body[0]["url"]} if in_body else None


def _declared_images(metadata: Metadata) -> Iterator[str | None]:
    """The URLs of images in the metadata, the surest first."""
    linked = metadata.linked or metadata.linked_page
    if "image" in linked:
        yield _image_url(linked["image"])
    yield metadata.first(*_IMAGES)
    yield metadata.links.get("image_src")
    for key in ("primaryImageOfPage", "thumbnailUrl"):
        if key in linked:
            yield _image_url(linked[key])


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
    base = clues.page.base_url
    found = dict[str, dict[str, str]]()
    for image in clues.content.shown("img"):
        if len(found) == most:
            break
        url = absolute(image.get("src") or "", base)
        if not url or url == base or url in found or _is_small(image):
            continue
        if _is_icon(image.get("class") or "", url):
            continue
        found[url] = {"url": url}
        if image.get("alt"):
            found[url]["alt"] = fold(image.get("alt"))
    return list(found.values())


def _is_small(image: etree._Element) -> bool:
    sizes = (image.get("width"), image.get("height"))
    return any(size is not None and _SMALL.fullmatch(size) for size in sizes)


def _is_icon(names: str, url: str) -> bool:
    """Whether a picture is an icon, a smiley or the picture of a person, by its class and its
    URL."""
    if _BADGE.search(url):
        return True
    return not _SMALL_PICTURES.isdisjoint(words_of_picture(names, url))


def tags_of(page: Page, *, most: int = 50) -> list[str]:
    """Tags and keywords: links marked ``rel=tag`` by the article, else links to pages of tags, else
    those of the metadata."""
    marked = [link for link in page.related if "tag" in (link.get("rel") or "").casefold().split()]
    links = [link for link in marked[:_MOST_LINKS] if not _is_beside(link)]
    texts = [fold("".join(link.itertext())) for link in links or _links_to_tags(page)]
    tags = details.split_tags(texts) or _keywords(page.metadata)
    cleaned = (tag.lstrip("# ") for tag in tags if 0 < len(tag) <= _LONGEST_TAG)
    return list(dict.fromkeys(cleaned))[:most]


def _keywords(metadata: Metadata) -> list[str]:
    """The keywords of the JSON-LD, else those of meta elements."""
    named = ",".join(metadata.tags) or metadata.first(*_KEYWORDS)
    return linked_keywords(metadata.linked.get("keywords")) or linked_keywords(named)


def _links_to_tags(page: Page) -> list[etree._Element]:
    """The links of the first list of tags: they lead to pages of tags by their URLs, and stand in one
    element whose class or id speaks of tags, or that holds nothing else in the article; in no column
    and no list of other stories."""
    found = dict[etree._Element, list[etree._Element]]()
    every = list(page.root.iter("a"))
    maybe = compress(every, map(_MAY_LEAD_TO_TAG.search, map(_HREF, every)))
    for link in islice(maybe, _MOST_LINKS):
        if _TAG_URL.search(link.get("href") or ""):
            found.setdefault(_list_of_tags(link), []).append(link)
    for around in sorted(found, key=_speaks_of_tags, reverse=True):
        if not _speaks_of_tags(around) and not _is_row(around, found[around]):
            continue
        if not _is_beside(around) and not bits_of(around) & ASIDE & ~BITS["foot"]:
            return found[around]
    return []


def _list_of_tags(link: etree._Element, *, levels: int = 3) -> etree._Element:
    """The nearest of the elements around a link whose class or id speaks of tags, else the nearest
    with several child elements."""
    around = list(islice(link.iterancestors(), levels))
    rows = [part for part in around if len(part) > 1]
    return next(filter(_speaks_of_tags, around), (rows or around)[0])


def _speaks_of_tags(around: etree._Element) -> bool:
    return _names_tags(f"{around.get('class') or ''} {around.get('id') or ''}")


def _is_row(around: etree._Element, links: list[etree._Element]) -> bool:
    """Whether an element in an article holds only some links and a label."""
    if not 1 < len(links) <= _MOST_TAGS:
        return False
    in_article = any(part.tag in ("article", "main") for part in around.iterancestors())
    linked = sum([len(string_of(link)) for link in links])
    is_filled = len("".join(string_of(around).split())) <= linked + _LONGEST_TAG_LABEL
    return in_article and is_filled


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
    return details.split_tags(list(filter(None, map(linked_text, given))))


def breadcrumbs_of(page: Page, *, most: int = 50) -> list[dict[str, str]]:
    """Links of the first breadcrumb region that has any, else those of the JSON-LD, as ``{"name",
    "url"}``."""
    links = [(fold("".join(a.itertext())), a.get("href") or "") for a in page.crumbs[:most]]
    crumbs = list[dict[str, str]]()
    for name, href in links or page.metadata.crumbs[:most]:
        if not name:
            continue
        crumbs.append({"name": name})
        url = absolute(href, page.base_url) if href else None
        if url:
            crumbs[-1]["url"] = url
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
