"""By-lines: the names that a line of text near a headline gives, after words such as "by"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from sitecrawl.text.caseless import Caseless
from sitecrawl.text.dates import ANNOUNCED, beside_date
from sitecrawl.text.labels import words_of
from sitecrawl.text.names import clean_names, is_organisation, labelled_authors, name_with_office

PERSON = re.compile(r"[^\W\d_a-z][^\d:：|]{1,40}$")
"""What may be a name: no digits, and not begun with a small letter."""
_MEMBER = re.compile(r"[^\W_][^:：]{1,40}$")
"""What may be the name of a forum's member: not begun with a sign."""
_MAIL = re.compile(r"\S+(?:@| at )\S+\.\w+")  # a mail address, as archives write it, too
_SAYS = re.compile(rf"\s(?:{words_of('author', 'behind')})\s?[:：]?$", re.I)
_POST_NUMBER = re.compile(r"^#?\d+\W*")

_SIGNATURE = (
    "作者 著者 執筆 记者 記者 撰文 撰稿 投稿者 布者 布人 佈者 佈人 表者 文/ 文／ 文: 文：".split()
)
"""Words before the name of a writer that may be anywhere in a text. Other words count at its
beginning only, so most texts need not be searched."""
_SIGNED = re.compile("|".join(map(re.escape, _SIGNATURE)))
_MARKED = re.compile(f"{_SIGNED.pattern}|编辑")  # an editor signs as well, but not below an article

# Chinese and Japanese labels
_PAPER = r"(?:[\u3400-\u9fff]{1,8}[报報网網社台臺刊])?"  # whose reporter somebody is
_REPORTER = rf"{_PAPER}(?:记者|記者|编辑)(?:[\s:：]|(?=[^\s／]{{2,4}}[／\s]\S{{,8}}[報报][導导道])|(?=\S{{3}}\S{{2,4}}\d{{1,2}}日專?[電电]))"
_WRITER = r"作者(?![^\s:：,，。]{1,20}[,，。])|(?:著者|執筆者?)(?=[\s:：／])|撰[文稿]人?|(?:投稿者|[发發][布表佈][人者])(?=\s?[:：])"
_TEXT_BY = r"文[/／｜丨]|文(?=[:：])"
_NO_NAME = "来源|时间|日期|发布|发表|更新|浏览|点击|审核|简介|介绍|紹介|人?招募|要求|について"  # labels of others
_CJK_END = r"[\s|：:,，；;（(／]|$|来源|时间|日期|发布|编辑|责任编辑|责编|审核"
_CJK = (
    rf"(?:^|[\s|·【［\[（(])(?:(?:作者\s*[:：]\s*)?{_REPORTER}|{_WRITER}|{_TEXT_BY})\s*[:：]?\s*"
    rf"(?!{_NO_NAME})(?P<marked>[^\s|：:,，；;（(／]{{2,20}}?)(?={_CJK_END})"
)

# labels of languages with blanks: those that need none behind them, and those that need a colon
_BY = (
    rf"(?P<verb>{words_of('author', 'phrase')})|by|von|par|por|di|door|(?-i:[Aa][vf])|oleh(?=:|\s\w+\s\w)|автор(?=\s(?-i:[А-ЯІЇ])\w+\s(?-i:[А-ЯІЇ]))|autor|author"
    r"|przez|yazan|โดย|توسط|بقلم|מאת"
)
_LABEL = rf"{words_of('author', 'colon')}|{words_of('author', 'word')}"
_PLACE_OR_DAY = r"\s+(?:on|at|เมื่อ|\d|(?-i:am|le|el|il))\b|\s*[|,·•]|\s+\d|$"  # what ends a name
_SPACED = rf"^(?:{_BY}|(?:{_LABEL})\s?(?=:))(?P<sign>[:\s]+)(?P<said>(?!\d+\b)[^|,\n]{{2,50}}?)(?={_PLACE_OR_DAY})"
_BYLINE = re.compile(f"{_CJK}|{_SPACED}", re.I)

_LABEL_ALONE = re.compile(
    rf"(?!about|te[kx]st|текст)(?:{words_of('author', 'word', 'phrase', 'mark')}|文)\s*[:：]?"
    rf"|(?:{words_of('author', 'colon')})\s*[:：]",
    re.I,
)
"""A by-line's label that is a text of its own: the name is the next text."""
_DATE_LABEL = re.compile(rf"\W*(?:{ANNOUNCED.pattern})\w*(?: on| at)?\W*", re.I)
"""What stands before a date."""
_MAY_CREDIT = Caseless(rf"[:：／/=＝・｜丨]|^[［【(（]|{words_of('author', 'behind')}")
"""What a text of names and tasks holds; most others have none of it."""
LONGEST_CREDITS = 120
"""Characters of a text that may be nothing but names and tasks; longer ones are prose."""


_PROSE_ENDS = (".", "!", "?", "。", "！", "？", "।", ";")


class Line:
    """A text near a headline, with what by-lines are told by. ``before_date`` is what stands before
    its first date, the whole text if it has none; ``has_mark``: a word before the name of a writer
    or an editor is anywhere in it; ``named`` is what stands behind a word such as "by"."""

    __slots__ = ("before_date", "has_date", "has_mark", "named", "text")

    def __init__(self, text: str) -> None:
        before, behind = beside_date(text)
        self.text = text
        self.before_date = before
        self.has_date = before != text
        self.has_mark = _MARKED.search(text) is not None
        self.named = _named(self, behind)

    @property
    def is_signature(self) -> bool:
        """Whether it names a writer and no day, as a comment has."""
        return not self.has_date and _SIGNED.search(self.text) is not None


def _named(line: Line, behind: str) -> str | None:
    """What stands behind a word such as "by", also after the date (``behind`` it). "By the end of
    the day" is prose, because a name does not begin with a small letter."""
    text = line.text
    start = line.before_date
    if behind and (not start or _DATE_LABEL.fullmatch(start)):
        text = behind
        start = behind
    is_marked = line.has_mark and _MARKED.search(text) is not None
    match = _BYLINE.search(text) if is_marked else _BYLINE.match(start)
    if match is None or text[match.end() :].startswith((":", "：")):
        return None

    name = match["marked"] or match["said"]
    # names with which people log in begin with small letters, too
    is_sure = match["marked"] or match["verb"] or ":" in match["sign"]
    return name if is_sure or not name[0].islower() else None


def byline_names(lines: Sequence[Line]) -> Iterator[list[str]]:
    """The names in each by-line: a text that begins with a word such as "by", or that is the text
    behind such a word alone."""
    for line, after in pairwise((*lines, Line(""))):
        if _LABEL_ALONE.fullmatch(line.text) and PERSON.match(after.text):
            yield clean_names([after.text])
        if line.named:
            names = clean_names([line.named])
            # behind the paper stand its people
            if len(names) == 1 and " " in line.text and is_organisation(names[0]):
                yield labelled_authors(line.text)
            yield names
        elif len(line.text) <= LONGEST_CREDITS and _MAY_CREDIT.search(line.text):
            names = [name for name in labelled_authors(line.text) if PERSON.match(name)]
            yield names or name_with_office(line.text)
        elif "," in line.text:
            yield name_with_office(line.text)


def name_before_date(lines: Sequence[Line], *, is_thread: bool) -> list[str]:
    """The name before the first date of ``lines``: in a thread the name of the first post's author,
    else only a name with a mail address behind it, as in archives of mailing lists."""
    for line in lines:
        if not line.has_date:
            continue
        before = line.before_date
        name = _POST_NUMBER.sub("", _MAIL.sub("", before)).strip()
        if is_thread:
            name = _SAYS.sub("", name)
        if is_thread and _MEMBER.match(name):
            return clean_names([name])
        if not is_thread and name != before and PERSON.match(name):
            return clean_names([name])
    return []


def is_byline(text: str) -> bool:
    """Whether a short text is nothing but names with their labels.

    >>> [is_byline(text) for text in ("文/王小明 图/李大海", "Von Ann Onym", "By the river they met.")]
    [True, True, False]
    """
    if len(text) > LONGEST_CREDITS or text.endswith(_PROSE_ENDS) or "。" in text:
        return False
    line = Line(text)
    # prices, numbers and addresses are facts
    if any(map(str.isdigit, line.before_date)) or "www." in text or "://" in text:
        return False
    return any(byline_names([line]))
