"""What varies over the pages of a template, is short and is no known field: views, category, location and the like."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from lxml import etree

from sitecrawl.dom.align import Names, addresses_of
from sitecrawl.dom.blocks import HIDDEN, ZONE
from sitecrawl.dom.hints import BITS
from sitecrawl.dom.tags import HEADINGS
from sitecrawl.templates.address import is_address, text_of
from sitecrawl.templates.apply import first_element
from sitecrawl.templates.field_values import after, cut
from sitecrawl.templates.induction.headlines import likeness
from sitecrawl.templates.sheet import Sheet
from sitecrawl.templates.template import Field, Template
from sitecrawl.text.chars import fold, word_count
from sitecrawl.text.dates import parse_date

MOST = 12
"""Extra fields of one template."""
_SHARE = 0.7
"""Share of the pages that must have a value."""
_LEAST = 3
_LONGEST_VALUE, _LONGEST_LINK = 60, 4
"""Characters of a value; words of a link from which it is another article's headline."""
_PLACES = 150
"""Elements of a page that are tried."""
_PAGES = 8
_LONGEST_LABEL = 16
_NOT_LABEL = frozenset('0123456789"')
_RESERVED = ("author", "updated", "licence", "turn", "tags", "breadcrumbs", "")
_NAMED = ("id(", "@class", "@itemprop")
_POSITION = re.compile(r"\[\d+\]")
_BEFORE = re.compile(r'normalize-space\(\)="([^"]*)"')
_VAGUE = re.compile(
    r"(?:text|name|title|btn|button|link|item|meta|info|span|icon|left|right|clear\w*|col\w*|row|small|value|label|entry|post)?(?:_?\d+)?"
)
"""Names that say nothing."""


@dataclass(slots=True)
class Place:
    """An address with the elements it finds, by the number of the page."""

    address: str
    nodes: dict[int, etree._Element] = field(default_factory=dict)
    twice: int = 0


@dataclass(slots=True)
class Extra:
    """A candidate: its name, how to read it, its value on every page."""

    name: str
    rule: Field
    values: list[str | None]
    order: int


def extras_of(template: Template, sheets: Sequence[Sheet], names: Names) -> dict[str, Field]:
    """Extra fields by name, at most ``MOST``; ``source`` is among them where the pages name one."""
    sheets = sheets[:_PAGES]
    if len(sheets) < _LEAST:
        return {}
    found = [extra for place in _places(template, sheets, names) for extra in _read(place, sheets)]
    chosen: dict[str, Field] = {}
    seen: set[tuple[str | None, ...]] = set()
    for extra in sorted(found, key=lambda one: (one.name not in KNOWN, one.order)):
        if tuple(extra.values) in seen or extra.name in _RESERVED or len(chosen) >= MOST:
            continue
        seen.add(tuple(extra.values))
        chosen.setdefault(extra.name, extra.rule)
    return chosen


def _places(template: Template, sheets: Sequence[Sheet], names: Names) -> list[Place]:
    """Addresses of short elements beside the body that find one element on most pages."""
    places: dict[str, Place] = {}
    for page, sheet in enumerate(sheets):
        for node in islice(short_elements(template, sheet), _PLACES):
            for address in _named(node, names):
                place = places.setdefault(address, Place(address))
                place.twice += page in place.nodes
                place.nodes.setdefault(page, node)
    least = max(_LEAST, _SHARE * len(sheets))
    likely = [one for one in places.values() if len(one.nodes) >= least and not one.twice and is_address(one.address)]
    return [one for one in likely if _holds(one, sheets)]


def _holds(place: Place, sheets: Sequence[Sheet]) -> bool:
    """Whether the address finds nothing but those elements."""
    return all(sheets[page].find(place.address) == [node] for page, node in list(place.nodes.items())[:3])


def _named(node: etree._Element, names: Names) -> Iterator[str]:
    """Addresses of ``node`` that a name holds: its own, a label's in its text or in the element before it."""
    tag, before = str(node.tag), node.getprevious()
    if node.get("itemprop"):
        yield f'//{tag}[@itemprop="{node.get("itemprop")}"]'
    label = text_of(before) if before is not None and isinstance(before.tag, str) else ""
    if before is not None and 0 < len(label) <= _LONGEST_LABEL and not set(label) & _NOT_LABEL:
        yield f'//{before.tag!s}[normalize-space()="{label}"]/following-sibling::{tag}[1]'
    labelled = bool(labels_in(text_of(node)))
    for address in addresses_of(node, names):
        if labelled or (any(mark in address for mark in _NAMED) and not _POSITION.search(address)):
            yield address


def _read(place: Place, sheets: Sequence[Sheet]) -> Iterator[Extra]:
    """The extras at one place: one a label, or the whole text without what all values share."""
    texts = [text_of(place.nodes[page]) if page in place.nodes else None for page in range(len(sheets))]
    most = max(_LEAST, _SHARE * len(sheets))
    counts = Counter(label for text in texts if text for label in dict.fromkeys(labels_in(text)))
    labels = [label for label, count in counts.items() if count >= 0.5 * most]
    node = next(iter(place.nodes.values()))
    for label in labels:
        stops = [other for other in labels if other != label]
        values = [after(text, label, stops) for text in texts]
        name = known_name(label) or slug(label)
        if counts[label] >= most and _is_extra(values, sheets, 1 if name == "source" else 2):
            yield Extra(name, Field([place.address], [("", "")], label, stops), values, _order(node, place))
    if not labels and not _is_linked(place):
        ends = shared_ends([text for text in texts if text])
        values = [cut(text, ends) for text in texts]
        if _is_extra(values, sheets) and _varies(values):
            yield Extra(_name(node, ends, place.address), Field([place.address], [ends]), values, _order(node, place))


def _order(node: etree._Element, place: Place) -> int:
    return (node.sourceline or 0) * 4 + (0 if "id(" in place.address else 1 if "@class" in place.address else 2)


def _name(node: etree._Element, ends: tuple[str, str], address: str) -> str:
    """A name from itemprop, a label, the words around all values, or class and id of the element or those around it."""
    label = _BEFORE.search(address)
    near = [node, *islice(_wrappers(node), 3)]
    given = [f"{one.get('class') or ''} {one.get('id') or ''}" for one in near]
    for words in (node.get("itemprop") or "", label[1] if label else "", *ends, *given):
        found = known_name(words)
        if found:
            return found
    own = (slug(words) for words in (label[1] if label else "", *(one.partition(" ")[0] for one in given)))
    return next((name for name in own if name and not _VAGUE.fullmatch(name)), "")


def _wrappers(node: etree._Element) -> Iterator[etree._Element]:
    """Ancestors that hold hardly more text than ``node``."""
    most = len(text_of(node)) + _LONGEST_LABEL
    for parent in node.iterancestors():
        if len(text_of(parent)) > most:
            return
        yield parent


def _is_linked(place: Place) -> bool:
    """Whether most of the elements are links to other articles, or lists of links."""
    return sum(map(_leads_on, place.nodes.values())) >= 0.5 * len(place.nodes)


def _leads_on(node: etree._Element) -> bool:
    links = [*node.iter("a"), *node.iterancestors("a")]
    return len(links) > 1 or any(word_count(text_of(a)) > _LONGEST_LINK for a in links)


def _is_extra(values: Sequence[str | None], sheets: Sequence[Sheet], different: int = 2) -> bool:
    """Whether values are there, short and (as many as ``different``) different, and neither dates nor headline nor authors."""
    given = [(value, sheet.sample.guess.article) for value, sheet in zip(values, sheets, strict=True) if value]
    if len(given) < max(_LEAST, _SHARE * len(sheets)) or len({value for value, _ in given}) < different:
        return False
    known = defaultdict[str, int](int)
    for value, article in given:
        known["long"] += len(value) > _LONGEST_VALUE
        known["date"] += parse_date(value) is not None or (value.replace(":", "").isdigit() and ":" in value)
        known["mute"] += len(value) <= 2 and value.isascii() and value.isalpha()
        known["headline"] += likeness(value, article.headline) > 0.6
        known["author"] += any(likeness(value, author["name"]) > 0.6 for author in article.authors)
    return max(known.values()) < 0.4 * len(given)


def _varies(values: Sequence[str | None]) -> bool:
    given = Counter(value for value in values if value)
    return len(given) > 1 and max(given.values()) <= 0.8 * given.total()


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


KNOWN = {
    "reading_time": r"read-?(?:ing)?-?time|min(?:ute)?s?[ -]read|min2read|readtime|阅读时长|阅读时间|预计阅读|lesezeit|lesedauer",
    "views": r"views?\b|viewcount|hits?\b|reads?\b|readcount|clicks?\b|pageviews?|busuanzi|阅读|阅读数|阅读量|浏览|浏览次数|浏览量|点击|点击数|点击率|访问量|閲覧|aufrufe|visitas|lectures|visualizzazioni|просмотр\w*",
    "words": r"word-?count|words?\b|字数|本文字数|总字数|文字数|worte",
    "category": r"categor\w*|cats?\b|cat-?links?|rubri\w*|channel|kategor\w*|section|filed|分类|分類|分类于|分類於|栏目|所属分类|频道|カテゴリー?|카테고리|рубрика|раздел",
    "location": r"location|place|city|dateline|venue|地点|所在地|地区|ort\b|lugar|luogo|miejsce",
    "source": r"source|origin|laiyuan|来源|來源|稿源|信息来源|文章来源|出处|出典|출처",
    "editor": r"editor|编辑|责任编辑|责编|审核|redakt\w*",
    "author": r"author|by|writer|作者|记者|撰文|发布者|发布人|autor\w*|auteur|autore|автор",
    "likes": r"likes?\b|upvotes?|votes?\b|点赞|赞|points",
    "replies": r"repl(?:y|ies)|回复|回复数|评论|评论数|antworten|respuestas|ответ\w*",
    "number": r"issue|文号|索引号|编号|发文字号|doc-?n\w*",
    "tags": r"tags?|keywords?|标签|標籤|关键词|关键字|schlagw\w*|etiquetas|теги|метки",
    "breadcrumbs": r"(?:您?你?的?当前)?的?位置|所在位置|您?你?现?在的位置|您当前的位置|当前位置|breadcrumbs?",
    "turn": r"next|prev(?:ious)?|older|newer|上一[篇页条]|下一[篇页条]|前一篇|后一篇",
    "licence": r"licen[sc]e|copyright|版权|版权声明|许可协议",
    "updated": r"updated|modified|posted|published|date|更新|更新于|更新时间|修改时间|发布|发表于|发布于|发布时间|发布日期|日期|时间",
}
"""Name to the words that labels, class tokens and ids carry it by."""

_KNOWN = {name: re.compile(rf"(?:^|[\W_])(?:{words})(?:$|[\W_])", re.I) for name, words in KNOWN.items()}
_LABEL = re.compile(r"([^\W\d_]{1,20})\s*[:：]")
_SLUG = re.compile(r"[\W_]+")
_LONGEST = 40


def labels_in(text: str) -> list[str]:
    """Words before a colon.

    >>> labels_in("发布时间：2019-5-6 来源：示例日报 Views: 12")
    ['发布时间', '来源', 'Views']
    """
    return [label for label in _LABEL.findall(text) if not label.casefold().startswith("http")]


@lru_cache(maxsize=4_096)
def known_name(words: str) -> str | None:
    """The usual name of what a label, class or id speaks of.

    >>> known_name("post-views"), known_name("浏览次数"), known_name("x7")
    ('views', 'views', None)
    """
    return next((name for name, pattern in _KNOWN.items() if pattern.search(words)), None)


def slug(words: str) -> str:
    """A label or class token as a name, the brand of a theme left out.

    >>> slug("Post-Subtitle")
    'post_subtitle'
    """
    return _SLUG.sub("_", fold(words).casefold()).strip("_")[:_LONGEST]


_ELSEWHERE = HIDDEN | ZONE["nav"] | ZONE["aside"] | ZONE["footer"] | ZONE["form"]
for _hint in ("comment", "nav", "side", "share", "foot", "gutter", "toc", "code", "caption", "signature", "title"):
    _ELSEWHERE |= BITS[_hint]
_LONGEST = 160
"""Characters of an element."""


def short_elements(template: Template, sheet: Sheet) -> Iterator[etree._Element]:
    """Elements with text of their own near headline and body, that hold nothing of the body."""
    tree = sheet.page.tree
    start = _scope(template, sheet)
    if start < 0:
        return
    bits = sheet.sample.guess.bits
    at = start + 1
    while at < tree.ends[start]:
        if int(bits[at]) & _ELSEWHERE and not sheet.words(at)[0]:
            at = tree.ends[at]
            continue
        if _speaks(sheet, at) and not sheet.words(at)[0] and sum(map(len, _chunks(sheet, at))) <= _LONGEST:
            yield tree.nodes[at]
        at += 1


def _speaks(sheet: Sheet, at: int) -> bool:
    """Whether an element has text of its own, or holds one link, and is neither a heading nor one link of several."""
    tree = sheet.page.tree
    node, tag = tree.nodes[at], tree.tags[at]
    if tag in HEADINGS or tree.first[at] >= tree.last[at]:
        return False
    if tag == "a":
        parent = node.getparent()
        return parent is None or len(list(islice(parent.iterchildren("a"), 2))) == 1
    return at in tree.owners[tree.first[at] : tree.last[at]] or (len(node) == 1 and node[0].tag == "a")


def _chunks(sheet: Sheet, at: int) -> list[str]:
    return sheet.page.tree.chunks[sheet.page.tree.first[at] : sheet.page.tree.last[at]]


def _scope(template: Template, sheet: Sheet) -> int:
    """Number of the smallest element that holds headline and body, its parent where that is the body's container."""
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
