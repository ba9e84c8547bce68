"""Labels before values ("Views: 12", "来源：日报"), and the names that small fields are given."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from sitecrawl.text.chars import fold

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
_BREAK = re.compile(r"\s*(?:[|｜•·│]|\s[/-]\s)\s*")
_SLUG = re.compile(r"[\W_]+")
_LONGEST = 40


def labels_in(text: str) -> list[str]:
    """Words before a colon.

    >>> labels_in("发布时间：2019-5-6 来源：示例日报 Views: 12")
    ['发布时间', '来源', 'Views']
    """
    return [label for label in _LABEL.findall(text) if not label.casefold().startswith("http")]


def after(text: str | None, label: str, stops: Sequence[str]) -> str | None:
    """What stands behind ``label`` up to the next of ``stops`` or a bar; all of it without a label.

    >>> after("来源：示例日报 阅读：12", "来源", ["阅读"])
    '示例日报'
    """
    if not label or not text:
        return text
    found = re.search(rf"(?<!\w){re.escape(label)}\s*[:：]", text) or re.search(rf"{re.escape(label)}\s*[:：]", text)
    if found is None:
        return None
    rest = text[found.end() :].lstrip()
    ends = [match.start() for stop in stops if (match := re.search(rf"{re.escape(stop)}\s*[:：]", rest))]
    return _BREAK.split(rest[: min(ends, default=len(rest))])[0].strip(" ,;，；。") or None


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
