"""Fields of an article from a single page: ``READERS`` by field name. Authors and source come from
metadata first, then the by-line."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import groupby, islice, pairwise, tee
from typing import Any, Protocol, cast
from urllib.parse import unquote

from lxml import etree

from sitecrawl.dom.blocks import ASIDE, BITS, ZONE, bits_of
from sitecrawl.dom.document import Document
from sitecrawl.dom.page import (
    AUTHOR_META,
    NAMES_PERSON,
    Page,
    is_forum,
    linked_names,
    linked_text,
    listed_behind,
)
from sitecrawl.dom.render import Content, absolute
from sitecrawl.dom.tree import INLINE, SILENT, runs_of
from sitecrawl.extract import details
from sitecrawl.extract.published import Dated, find_relative, modified_raw
from sitecrawl.items.kinds import Headline
from sitecrawl.text.chars import fold, line_of, unescaped
from sitecrawl.text.dates import ANNOUNCED, beside_date, find_date, parse_date
from sitecrawl.text.language import language_of
from sitecrawl.text.names import GENERIC, clean_names, squeeze
from sitecrawl.urls.scope import host_of

_BYLINE = re.compile(
    r"(?:^|[\s|·])(?:(?:作者\s*[:：]\s*)?(?:记者|記者|编辑)(?:[\s:：]|(?=[^\s／]{2,4}／\S{2,8}[報报][導导道]))|作者(?![^\s:：,，。]{1,20}[,，。])|(?:著者|執筆者?)(?=[\s:：／])|撰[文稿]人?|文[/／]|文(?=[:：])|责任编辑)\s*[:：]?\s*(?!来源|时间|日期|发布|发表|更新|浏览|点击|审核|简介|介绍|紹介|人?招募|要求|について)([^\s|：:,，；;（(／]{2,20}?)(?=[\s|：:,，；;（(／]|$|来源|时间|日期|发布|编辑|责任编辑|责编|审核)"
    r"|^(?:by|von|par|por|di|door|(?-i:[Aa][vf])|oleh(?=:|\s\w+\s\w)|autor|author|(?:posted|written|submitted) by|escrito por|scritto da|écrit par"
    r"|(?:автор|текст|tekst|texte|auteur|redacteur|szerző|penulis|yazar|yazan|συντάκτης|tác giả|글|بقلم|מאת)\s?(?=:))[:\s]+([^|,\d\n]{2,50}?)"
    r"(?=\s+(?:on|at|\d|(?-i:am|le|el|il))\b|\s*[|,·•\d]|$)",
    re.I,
)
_WRITERS = (
    "作者",
    "著者",
    "執筆",
    "记者",
    "記者",
    "撰文",
    "撰稿",
    "文/",
    "文／",
    "文:",
    "文：",
    "编辑",
)
"""Words before a name that may be anywhere in a text. Other words count at its beginning only, so
most texts need not be searched."""
_ICON = re.compile(
    r"(?i)avatar|emoji|emotic|smil(?:ey|ies)|(?<![a-z])(?:fav)?icons?(?![a-z])|shields\.io|badge\.svg|spacer\."
)
_PLACEHOLDER = re.compile(
    r"placeholder|(?:^|[_-])(?:blank|spacer)\.", re.I
)  # in the name of a picture's file
_IMAGES = "og:image twitter:image og:image:url og:image:secure_url twitter:image:src image thumbnailurl".split()
_SMALL = re.compile(r"[0-3]?\d(?:\.\d+)?(?:px)?")  # up to 39 pixels: an icon
_WRITER = re.compile(
    "writ|author|autor|auteur|écrit|verfasst|geschr|escrit|scritto|автор|作者|著者|執筆", re.I
)
_PERSON = re.compile(
    r"[^\W\d_a-z][^\d:：|]{1,40}$"
)  # what may be a name: no digits, and not begun with a small letter
_MAIL = re.compile(r"\S+(?:@| at )\S+\.\w+")  # a mail address, as archives write it, too
_MEMBER = re.compile(
    r"[^\W_][^:：]{1,40}$"
)  # what may be the name of a forum's member: not begun with a sign
_READING = re.compile(
    r"\d[ -]?min(?:ute)?s?\.? (?:read|lesezeit|de lect)|[阅閱][读讀][^。]{0,6}分[钟鐘]", re.I
)
_POST_NUMBER = re.compile(r"^#?\d+\W*")
_POST = re.compile(
    r"(?:^|\s)(?:h-?entry|post|entry|article)(?:\s|$)", re.I
)  # classes of the element of an article
_FOOT, _COLUMN = BITS["foot"] | ZONE["footer"], BITS["side"] | ZONE["aside"]
_BYLINE_LABEL = re.compile(
    r"(?:(?:written|posted|published) by|by|authors?|von|par|por|di|autor(?:in|e)?|auteur|作者|撰文|文)\s*[:：]?",
    re.I,
)
"""A by-line's label that is a text of its own: the name is the next text."""
_DATE_LABEL = re.compile(
    rf"\W*(?:{ANNOUNCED.pattern})\w*(?: on| at)?\W*", re.I
)  # what stands before a date
_SOURCE_WORDS = "来源|來源|稿源|信息来源|出处|出典|출처"
SOURCE_LABEL, _WHOLE_TEXT = re.compile(_SOURCE_WORDS), etree.XPath("string()", smart_strings=False)
# of what stands behind the source
_NEXT_LABEL = "(?:作者|记者|编辑|责编|责任编辑|发布|发表|时间|日期|更新|浏览|点击|阅读|审核)[^\\s：:]{0,4}[:：]"
_BUTTON = "(?:举报|收藏|打印|分享|关注|(?:调整)?字[体号])(?!\\w)"
_SOURCE = re.compile(
    rf"(?:{_SOURCE_WORDS})\s*[:：]\s*(?!{_NEXT_LABEL})([^\s|：:,，；;（(]{{2,30}}?)(?=[\s|,，；;（(]|$|{_NEXT_LABEL}|{_BUTTON})"
)


def find_authors(clues: Clues, below: Sequence[str] = ()) -> details.People:
    """Authors, from the metadata, from marked elements, and from the texts near the headline, else
    from those ``below`` the body. The headline is left out of these texts, because it may begin as
    a by-line does ("Von Hamburg nach Berlin"). "admin" or the name of the site is returned only if
    there is no other name."""
    page, meta, title = clues.page, clues.page.metadata, squeeze(clues.title)
    near = [text for text in clues.near if "：" in text or squeeze(text) != title]
    above = [text for text in near if text not in below]
    # the signature below an article has no date, as a comment has, and names more than an editor
    signed = [
        text
        for text in below[1:2]
        if any(word in text for word in _WRITERS[:-1]) and not find_date(text)
    ]

    def told_by(texts: Sequence[str]) -> Iterator[list[str]]:
        yield _marked_authors(page, texts) if texts else []
        yield _first_specific(_byline_names(texts))
        yield _beside_avatar(page, texts) or _name_before_date(texts, is_forum(page))

    def told() -> Iterator[list[str]]:
        yield clean_names(linked_names(meta.linked.get("author")))
        if not is_forum(page):  # it has columns ("Author", "Message")
            # surer than a marked element, which may be of a card
            sure = [
                text for text in above if any(word in text for word in _WRITERS) or find_date(text)
            ]
            yield _first_specific(_byline_names(sure))
            yield (
                (_marked_authors(page, above) or _first_specific(_byline_names(signed)))
                if signed
                else []
            )
        yield _marked_authors(page)
        yield clean_names([meta.first(*AUTHOR_META) or ""])
        yield clean_names(
            [" ".join(reversed(name.split(", ", 1))) for name in meta.cited]
        )  # "Onym, Ann"
        if _WRITER.search(meta.first("twitter:label1") or ""):  # the cards of X name what they show
            yield clean_names([meta.first("twitter:data1") or ""])
        yield from told_by(near)
        if NAMES_PERSON.search(
            url := meta.first("article:author") or ""
        ):  # a URL where the name should be
            yield clean_names([re.sub(r"[-_+]", " ", unquote(url).rstrip("/").rpartition("/")[2])])
        yield _boxed_author(page)

    first, again = tee(told())
    named = _first_specific(first)
    found = named or _first_specific(told_by(below))
    publisher, site = (
        linked_names(meta.linked.get("publisher")),
        meta.first("og:site_name", "application-name"),
    )
    own = {squeeze(name) for name in [host_of(page.url), *publisher, site or ""]} - {""}
    people = [name for name in found if squeeze(name) not in own]
    others = ([name for name in source if _is_other_person(name, own)] for source in again)
    names = people or next(filter(None, others), found)
    return details.with_details(page, names, texts=[*clues.near, *signed] if named else below)


def _is_other_person(name: str, own: Collection[str]) -> bool:
    """Whether a text names a person and not the site. ``own`` holds the names of the site without
    blanks and signs."""
    is_named = _PERSON.match(name) is not None and (" " in name or not name.isascii())
    return is_named and not any(site in squeeze(name) for site in own)


def _first_specific(found: Iterable[list[str]]) -> list[str]:
    """The first names that stand for somebody, else the first: neither "admin" nor what a link to a
    profile says ("More from this author")."""
    generic = list[str]()
    for names in filter(None, found):
        before, _, last = names[0].rpartition(" ")
        is_phrase = before and last[0].islower() and not names[0].islower()
        if not is_phrase and names[0].casefold() not in GENERIC:
            return names
        generic = generic or names
    return generic


def _marked_authors(
    page: Page, near: Collection[str] = (), *, most: int = 500, elements: int = 200
) -> list[str]:
    """Names in the first element that class, rel, itemprop, property or the target of a link marks
    as the author. Of ``near`` some texts, the element must have one of these; without them it must
    be in the article. At most ``most`` marked elements are examined, marked elements inside another
    before that one. A marked element with ``elements`` or more elements is no by-line."""
    marks = page.bylines[:most]
    marked = set(marks)

    def names_at(node: etree._Element) -> list[str]:
        parts = list(islice(node.iter("*"), elements))
        inner = (
            [*(part for part in parts[1:] if part in marked), node] if len(parts) < elements else []
        )
        found = ((part, names) for part in inner if (names := _names_in(part, near)))
        return next((clean_names([*names, *listed_behind(part)]) for part, names in found), [])

    return _first_specific(map(names_at, marks))


def _names_in(node: etree._Element, near: Collection[str], *, longest: int = 60) -> list[str]:
    """Names in an element that is marked as the author: all of its text, or a run of the text that
    is a full name."""
    runs = runs_of(node) if len(node) else [node.text or ""]
    text = line_of(runs)
    if not (
        1 < len(text) <= longest
        and (not near or text in near)
        and _in_sight(node, in_column=bool(near))
    ):
        return []
    if next(node.iter("img"), None) is not None and node.get("rel") is None:
        return _leading_name(runs)
    full_names = [
        name
        for run in runs[:10]
        for name in clean_names([run])
        if " " in name and _PERSON.match(name)
    ]
    return [
        next((full for full in full_names if full in name), name) for name in clean_names([text])
    ]


def _boxed_author(page: Page, *, most_marks: int = 50, most_texts: int = 20) -> list[str]:
    """The name that begins a box about the author, as below many articles; empty if several boxes
    begin with different names."""
    boxes = (
        (node, map(fold, islice(node.itertext(), most_texts))) for node in page.bylines[:most_marks]
    )
    named = (
        (node, text) for node, texts in boxes if " " in (text := next(filter(None, texts), ""))
    )
    shown = (text for node, text in named if _in_sight(node, in_column=True))
    name = next(shown, "")
    return (
        clean_names([name]) if _PERSON.match(name) and all(text == name for text in shown) else []
    )


def _leading_name(runs: Sequence[str]) -> list[str]:
    """The name in the first of ``runs`` that is more than a label. Beside a picture of the author
    stand name, office and date, in this order."""
    first = next((run for run in runs if clean_names([run])), "")
    return clean_names([first]) if _PERSON.match(fold(first)) else []


def _beside_avatar(
    page: Page, near: Sequence[str], *, images: int = 200, longest: int = 100
) -> list[str]:
    """The name beside the first picture of a person that stands in one of the texts ``near``, in a
    box of ``longest`` characters. A picture without a text is one, too, if the box tells how long
    one reads."""
    for image in islice(page.root.iter("img"), images):
        names = f"{image.get('class') or ''} {image.get('src') or ''}".casefold()
        is_named = "avatar" in names or "userpic" in names  # names of pictures of persons
        if not (is_named or image.get("alt") == "") or not _in_sight(image):
            continue
        runs = next(
            (runs for box in islice(image.iterancestors(), 4) if (runs := runs_of(box))),
            [],
        )
        line = "".join(runs)
        found = (
            _leading_name(runs)
            if len(line) <= longest and (is_named or _READING.search(line))
            else []
        )
        if found and any(found[0] in text for text in near):
            return found
    return []


def _name_before_date(near: Sequence[str], is_thread: bool) -> list[str]:
    """The name before the first date of ``near``: in a thread the name of the first post's author,
    else only a name with a mail address behind it, as in archives of mailing lists."""
    for before in (before for text in near if (before := beside_date(text)[0]) != text):
        name = _POST_NUMBER.sub("", _MAIL.sub("", before)).strip()
        if (_MEMBER if is_thread else _PERSON).match(name) and (is_thread or name != before):
            return clean_names([name])
    return []


def _in_sight(node: etree._Element, *, in_column: bool = False) -> bool:
    """Whether an element is in a visible part of the page that belongs to the article. The
    article's own footer belongs to it, side columns only with
    ``in_column``. An element that contains the main heading is no side column, whatever its name
    ("no-sidebar")."""
    is_footed, aside = False, ASIDE & ~_FOOT & ~(in_column and _COLUMN)
    for part in (node, *node.iterancestors()):
        bits = bits_of(part)
        is_footed |= bool(bits & _FOOT)
        if part.tag in SILENT or (bits & aside and next(part.iterdescendants("h1"), None) is None):
            return False
        is_footed = (
            is_footed
            and part.tag not in ("article", "main")
            and not _POST.search(part.get("class") or "")
        )
    return not is_footed


def _byline_names(near: Sequence[str]) -> Iterator[list[str]]:
    """The names in each by-line: a text that begins with a word such as "by", also after a date, or
    that is the text behind such a word alone. "By the end of the day" is prose, because a name does
    not begin with a small letter."""
    for text, after in pairwise([*near, ""]):
        if _BYLINE_LABEL.fullmatch(text) and _PERSON.match(after):
            yield clean_names([after])
        before, behind = beside_date(text)
        text = behind if behind and (not before or _DATE_LABEL.fullmatch(before)) else text
        is_marked = any(map(text.__contains__, _WRITERS))
        match = (
            _BYLINE.search(text) if is_marked else _BYLINE.match(before if text != behind else text)
        )
        is_label = match is not None and text[match.end() :].startswith((":", "："))
        has_verb = match is not None and match[0].casefold().startswith(
            ("posted", "written", "submitted")
        )
        if match and not is_label and (has_verb or not (match[1] or match[2])[0].islower()):
            yield clean_names([match[1] or match[2]])


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
        while number and document.tags[number] in INLINE:
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
    ``dated`` are the page's; ``content`` is the body as it is shown, ``near`` are texts around the
    headline."""

    @property
    def page(self) -> Page: ...
    @property
    def title(self) -> str: ...
    @property
    def headline(self) -> Headline: ...
    @property
    def dated(self) -> Dated | None: ...
    @property
    def content(self) -> Content: ...
    @property
    def near(self) -> Sequence[str]: ...


def canonical_url(page: Page) -> str | None:
    """The URL that the page calls its own; None when it names none or one of another scheme."""
    href = page.metadata.links.get("canonical") or page.metadata.first("og:url")
    return absolute(href, page.base_url) if href else None


def main_image(page: Page) -> dict[str, str] | None:
    """The image the metadata names, as ``{"url": ...}``, unless it stands for a missing one."""
    href: Any = page.metadata.linked.get("image")
    for _ in range(3):  # a URL, an object, or a list of these
        href = href[0] if isinstance(href, list) and href else href
        href = href.get("url") or href.get("contentUrl") if isinstance(href, dict) else href
    href = href if isinstance(href, str) and href else page.metadata.first(*_IMAGES)
    url = absolute(unescaped(href or page.metadata.links.get("image_src") or ""), page.base_url)
    return (
        {"url": url}
        if url and url != page.base_url and not _PLACEHOLDER.search(url.rpartition("/")[2])
        else None
    )


def images_of(clues: Clues, *, most: int = 50) -> list[dict[str, str]]:
    """The first ``most`` images inside the body as ``{"url", "alt"}``, without icons, avatars, tiny
    and repeated ones."""
    found, base = dict[str, dict[str, str]](), clues.page.base_url
    for image in clues.content.shown("img"):
        url = absolute(image.get("src") or "", base)
        is_small = any(_SMALL.fullmatch(image.get(name) or "") for name in ("width", "height"))
        is_icon = is_small or _ICON.search(f"{image.get('class')} {url}")
        if url and url != base and not is_icon and len(found) < most:
            found.setdefault(
                url, {"url": url} | ({"alt": fold(image.get("alt"))} if image.get("alt") else {})
            )
    return list(found.values())


def tags_of(page: Page, *, most: int = 50, most_links: int = 500) -> list[str]:
    """Tags and keywords: links marked ``rel=tag`` by the article (of ``most_links`` links), then
    article:tag and keywords of the metadata."""
    links = [a for a in page.related if "tag" in (a.get("rel") or "").casefold().split()]
    marked = [fold("".join(a.itertext())) for a in links[:most_links] if not _is_beside(a)]
    meta = page.metadata
    named = ",".join(meta.tags) or meta.first(
        "keywords", "news_keywords", "parsely-tags", "sailthru.tags"
    )
    keywords = linked_keywords(meta.linked.get("keywords")) or linked_keywords(named)
    tags = [
        tag.lstrip("# ") for tag in details.split_tags(marked) or keywords if 0 < len(tag) <= 60
    ]
    return list(dict.fromkeys(tags))[:most]


def _is_beside(link: etree._Element, *, levels: int = 60) -> bool:
    """Whether a tag is in a column or a cloud of the whole site's tags instead of beside the
    article, by ``levels`` elements around it."""
    for part in islice(link.iterancestors(), levels):
        if part.tag in ("article", "main"):
            return False
        names = f"{part.get('class') or ''} {part.get('id') or ''}".casefold()
        if (
            part.tag == "aside"
            or part.tag in SILENT
            or "cloud" in names
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
    """Links of the first breadcrumb region that has any, as ``{"name", "url"}``."""
    links = [
        (fold("".join(a.itertext())), absolute(a.get("href") or "", page.base_url))
        for a in page.crumbs[:most]
    ]
    return [{"name": name} | ({"url": url} if url else {}) for name, url in links if name]


READERS: dict[str, Callable[[Clues], Any]] = {
    "canonicalUrl": lambda clues: canonical_url(clues.page),
    "headline": lambda clues: clues.headline.text,
    "datePublished": lambda clues: clues.dated.value if clues.dated else None,
    "datePublishedRaw": lambda clues: (
        clues.dated.raw.strip() if clues.dated else find_relative(clues.near)
    ),
    "id": lambda clues: details.page_id(clues.page),
    "dateModified": lambda clues: parse_date(modified_raw(clues.page.metadata)),
    "dateModifiedRaw": lambda clues: modified_raw(clues.page.metadata),
    "authors": find_authors,
    "inLanguage": lambda clues: language_of(
        clues.page.metadata.language, f"{clues.title} {clues.content.text[:800]}"
    ),
    "description": lambda clues: details.metadata_text(
        clues.page, "description", "og:description", "description", "twitter:description"
    ),
    "mainImage": lambda clues: main_image(clues.page),
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
