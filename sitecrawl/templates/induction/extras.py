"""Values with a printed label near headline and body that are no known field: "Views: 12", "来源：日报", "348 views"."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from lxml import etree

from sitecrawl.dom.align import Names, addresses_of
from sitecrawl.dom.blocks import BITS, HIDDEN, ZONE
from sitecrawl.dom.tree import HEADINGS
from sitecrawl.limits import cached
from sitecrawl.templates.address import is_address, text_of
from sitecrawl.templates.apply import first_element
from sitecrawl.templates.field_values import after, cut
from sitecrawl.templates.induction.headlines import likeness
from sitecrawl.templates.sheet import Sheet
from sitecrawl.templates.template import Field, Template
from sitecrawl.text.chars import fold
from sitecrawl.text.dates import parse_date

KNOWN = {
    "views": r"views?|hits?|reads?|clicks?|阅读[数量]?|浏览(?:次数|量)?|点击[数率]?|访问量|閲覧|aufrufe|visitas|lectures|visualizzazioni|просмотр\w*",
    "reading_time": r"reading[ -]time|min(?:ute)?s?[ -]read|阅读时[长间]|预计阅读|lesezeit|lesedauer",
    "words": r"words?|word[ -]count|(?:本文|总)?字数|文字数|worte",
    "category": r"categor\w*|section|filed under|channel|rubri\w*|kategor\w*|分[类類][于於]?|所属分类|栏目|频道|カテゴリー?|카테고리|рубрика|раздел",
    "location": r"location|place|city|venue|地点|所在地|地区|ort|lugar|luogo|miejsce",
    "source": r"source|origin|(?:信息|文章)?来源|來源|稿源|出处|出典|출처",
    "editor": r"editor|(?:责任)?编辑|责编|审核|redakt\w*",
    "likes": r"likes?|upvotes?|votes?|points|点?赞",
    "replies": r"repl(?:y|ies)|comments?|(?:回复|评论)数?|antworten|respuestas|ответ\w*",
    "number": r"issue|(?:发文)?文号|发文字号|索引号|编号",
    "author": r"author|by|writer|作者|记者|撰文|发布[者人]|autor\w*|auteur|autore|автор",
    "tags": r"tags?|tagged|etiqu?et\w*|étiquettes?|keywords?|标签|標籤|关键[词字]|schlagw\w*|теги|метки",
    "breadcrumbs": r"(?:您?你?的?当前)?的?位置|所在位置|您?你?现?在的位置|您当前的位置|当前位置|breadcrumbs?",
    "turn": r"next|prev(?:ious)?|older|newer|[上下前后]一[篇页条]",
    "updated": r"updated|modified|posted|published|date|(?:更新|修改|发布)(?:于|时间|日期)?|发表于|日期|时间",
}
"""Name to the words that labels carry it by, and class tokens and ids where they are words of their own."""
MOST = 12
"""Extra fields of one template."""
_RESERVED = frozenset(("author", "updated", "turn", "tags", "breadcrumbs", ""))
"""Names of values that have a field of their own, or belong to other articles."""
_KNOWN = {name: re.compile(rf"(?:^|[\W_])(?:{words})(?:$|[\W_])", re.I) for name, words in KNOWN.items()}
_LABEL = re.compile(r"([^\W\d_]{1,20})\s*[:：]")
_SLUG = re.compile(r"[\W_]+")
_ELSEWHERE = HIDDEN | ZONE["nav"] | ZONE["aside"] | ZONE["footer"] | ZONE["form"]
for _hint in ("comment", "nav", "side", "share", "foot", "gutter", "toc", "code", "caption", "signature", "title"):
    _ELSEWHERE |= BITS[_hint]
_SHARE = 0.7
"""Share of the pages that must have a value."""
_LEAST, _PAGES = 3, 8
"""Pages from which values are looked for, and pages that are looked at."""
_PLACES = 150
"""Elements of a page that are tried."""
_LONGEST, _LONGEST_VALUE, _LONGEST_LABEL = 160, 60, 16
"""Characters of an element, of a value, and of a label in an element of its own."""


@dataclass(slots=True)
class Place:
    """An address with the elements it finds, by the number of the page, and the label in the element before them."""

    address: str
    label: str
    nodes: dict[int, etree._Element] = field(default_factory=dict)
    twice: int = 0


@dataclass(slots=True)
class Extra:
    """A candidate: its name, how to read it, its value on every page."""

    name: str
    rule: Field
    values: list[str | None]


def extras_of(template: Template, sheets: Sequence[Sheet], names: Names) -> dict[str, Field]:
    """Extra fields by name, at most ``MOST``; ``source`` is among them where the pages name one."""
    sheets = sheets[:_PAGES]
    if len(sheets) < _LEAST:
        return {}
    found = [extra for place in _places(template, sheets, names) for extra in _read(place, sheets)]
    chosen: dict[str, Field] = {}
    seen: set[tuple[str | None, ...]] = set()
    for extra in sorted(found, key=lambda one: one.name not in KNOWN):
        if tuple(extra.values) not in seen and extra.name not in _RESERVED and len(chosen) < MOST:
            seen.add(tuple(extra.values))
            chosen.setdefault(extra.name, extra.rule)
    return chosen


def _places(template: Template, sheets: Sequence[Sheet], names: Names) -> list[Place]:
    """Addresses of short elements beside the body that find one element on most pages, in the order of the first page."""
    places: dict[str, Place] = {}
    for page, sheet in enumerate(sheets):
        for node in islice(_short_elements(template, sheet), _PLACES):
            for address, label in places_of(node, names):
                place = places.setdefault(address, Place(address, label))
                place.twice += page in place.nodes
                place.nodes.setdefault(page, node)
    least = max(_LEAST, _SHARE * len(sheets))
    likely = [one for one in places.values() if len(one.nodes) >= least and not one.twice and is_address(one.address)]
    return [one for one in likely if _holds(one, sheets)]


def _holds(place: Place, sheets: Sequence[Sheet]) -> bool:
    """Whether the address finds nothing but those elements."""
    return all(sheets[page].find(place.address) == [node] for page, node in list(place.nodes.items())[:3])


def places_of(node: etree._Element, names: Names) -> Iterator[tuple[str, str]]:
    """Addresses of ``node`` with the label in the element before it; the element's own addresses without one."""
    before = node.getprevious()
    label = text_of(before) if before is not None and isinstance(before.tag, str) else ""
    if before is not None and 1 < len(label) <= _LONGEST_LABEL and (label[-1] in ":：" or before.tag in ("dt", "th")):
        yield f'//{before.tag!s}[normalize-space()="{label}"]/following-sibling::{node.tag!s}[1]', label
    yield from ((address, "") for address in addresses_of(node, names))


def _short_elements(template: Template, sheet: Sheet) -> Iterator[etree._Element]:
    """Short elements near headline and body that hold nothing of the body and are no headings."""
    tree, bits = sheet.page.tree, sheet.sample.guess.bits
    start = _scope(template, sheet)
    at = start + 1
    while start >= 0 and at < tree.ends[start]:
        kept = sheet.words(at)[0]
        if int(bits[at]) & _ELSEWHERE and not kept:
            at = tree.ends[at]
            continue
        length = sum(map(len, tree.chunks[tree.first[at] : tree.last[at]]))
        if not kept and 0 < length <= _LONGEST and tree.tags[at] not in HEADINGS:
            yield tree.nodes[at]
        at += 1


def _scope(template: Template, sheet: Sheet) -> int:
    """Number of the smallest element that holds headline and body, its parent where that is the body's container; -1 without."""
    tree = sheet.page.tree
    _, body = first_element(template.body.addresses, sheet.page.root)
    if body is None:
        return -1
    at = container = sheet.number[body]
    headline = sheet.sample.guess.nodes.get("headline")
    wanted = sheet.number.get(headline, container) if headline is not None else container
    while at > 0 and not at <= wanted < tree.ends[at]:
        at = tree.parents[at]
    return tree.parents[at] if at == container and at > 0 else at


def _read(place: Place, sheets: Sequence[Sheet]) -> Iterator[Extra]:
    """The extras at one place: the whole text behind a label before it; one a label inside; what known words stand beside."""
    texts = [text_of(place.nodes[page]) if page in place.nodes else None for page in range(len(sheets))]
    most = max(_LEAST, _SHARE * len(sheets))
    counts = Counter(label for text in texts if text for label in dict.fromkeys(labels_in(text)))
    labels = [label for label, count in counts.items() if count >= 0.5 * most]
    for label in labels:
        stops = [other for other in labels if other != label]
        values = [after(text, label, stops) for text in texts]
        if counts[label] >= most:
            yield from _extra(_name(label), Field([place.address], [("", "")], label, stops), values, sheets)
    if not labels:
        ends = ("", "") if place.label else shared_ends([text for text in texts if text])
        name = _name(place.label) if place.label else known_name(" ".join(ends).strip()) or ""
        yield from _extra(name, Field([place.address], [ends]), [cut(text, ends) for text in texts], sheets)


def _name(label: str) -> str:
    return known_name(label) or _SLUG.sub("_", fold(label).casefold()).strip("_")


def _extra(name: str, rule: Field, values: list[str | None], sheets: Sequence[Sheet]) -> Iterator[Extra]:
    """The extra, where values are there, short and different (a source may be the same), and no dates, headlines or authors."""
    given = [(value, sheet.sample.guess.article) for value, sheet in zip(values, sheets, strict=True) if value]
    different = len({value for value, _ in given}) > (name != "source")
    if not name or len(given) < max(_LEAST, _SHARE * len(sheets)) or not different:
        return
    known = defaultdict[str, int](int)
    for value, article in given:
        known["long"] += len(value) > _LONGEST_VALUE
        known["date"] += parse_date(value) is not None
        known["headline"] += likeness(value, article.headline) > 0.6
        known["author"] += any(likeness(value, author["name"]) > 0.6 for author in article.authors)
    if max(known.values()) < 0.4 * len(given):
        yield Extra(name, rule, values)


def labels_in(text: str) -> list[str]:
    """Words before a colon.

    >>> labels_in("发布时间：2019-5-6 来源：示例日报 Views: 12")
    ['发布时间', '来源', 'Views']
    """
    return [label for label in _LABEL.findall(text) if not label.casefold().startswith("http")]


@cached(4_096)
def known_name(words: str) -> str | None:
    """The usual name of what a label, class or id speaks of.

    >>> known_name("Views"), known_name("浏览次数"), known_name("x7")
    ('views', 'views', None)
    """
    return next((name for name, pattern in _KNOWN.items() if pattern.search(words)), None)


def shared_ends(values: Sequence[str]) -> tuple[str, str]:
    """Whole words that all values start and end with.

    >>> shared_ends(["Filed under News now", "Filed under Sport now"])
    ('Filed under ', ' now')
    """
    words = [value.split(" ") for value in values]
    least = min(map(len, words), default=0)
    first = next((n for n in range(least) if len({one[n] for one in words}) > 1), 0)
    last = next((n for n in range(least - first) if len({one[-1 - n] for one in words}) > 1), 0)
    head, tail = words[0][:first] if words else [], words[0][len(words[0]) - last :] if words else []
    return "".join(f"{word} " for word in head), "".join(f" {word}" for word in tail)
