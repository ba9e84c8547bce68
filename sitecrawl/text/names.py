"""Names of people in by-lines, and what separates a title from the name of its site."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sitecrawl.limits import cached
from sitecrawl.text import calendar_names
from sitecrawl.text.dates import ANNOUNCED, CHANGED, CLOCK, beside_date
from sitecrawl.text.labels import words_of

SEPARATOR = re.compile(
    r"\s+[-–—|·•»«:/~>]{1,3}\s+|\s*[|_｜»«]+\s*|\s+::\s+|\s*——\s*|\s+-\s*|\s*-\s+"
)
_LOOSE = re.compile(r"[\W_]+")  # ignored when two names are compared
_SIGNS = {code: None for code in range(128) if not chr(code).isalnum()}
"""What squeezing takes out of ASCII text, as a table: much faster than an expression."""


def squeeze(text: str) -> str:
    """The letters and digits of ``text``, casefolded: equal for two spellings of a title.

    >>> squeeze("It's  new!") == squeeze("It’s New")
    True
    """
    return (text.translate(_SIGNS) if text.isascii() else _LOOSE.sub("", text)).casefold()


# ---- what is no name, anywhere in a text
_MARKUP = re.compile(r"<[a-z/!][^<>]*>", re.I)  # some systems write the author's picture into meta
_ADDRESS = re.compile(r"[<(（\[]?\s?(?:mailto:)?[\w.+-]+@[\w-]+\.[\w.-]+\s?[>)）\]]?")
_URL = re.compile(r"(?:\bhttps?://|\bwww\.)\S+", re.I)
_CALLED = re.compile(r"(?<=[\u3400-\u9fff]{2})[（(][\u3400-\u9fff]{2,3}[）)](?=[\s,，、]|$)")
"""Two or three letters in brackets behind a name: 张林（实习）."""
_HANDLE = re.compile(r"[(（]?[@＠]\w[\w.]*[)）]?")
_CLOCK = re.compile(rf"(?<!\d){CLOCK}(?:\s?\(?(?:[A-Z]{{2,5}}|Uhr)\b\)?)?", re.I)
"""A time of day, with its zone."""
_ZONE = re.compile(r"^\W*(?:[A-Z]{2,5}|Uhr)\b\W*")
_TIMED = re.compile(rf"{CLOCK}\W*$", re.I)
"""The end of a time, behind which a zone may stand."""
_SAID = re.compile(
    rf"(?:^|[\s|·,-])(?:(?:last|zuletzt|laatst|dernière|última|ultimo)\s)?\w{{,2}}"
    rf"(?:{ANNOUNCED.pattern}|{CHANGED.pattern})\w*\W*(?:on|at|le|am|el|il|em|den|op|dne|på|w)?\W*$",
    re.I,
)
"""The verb before a date: "Ann Onym Published 3 May"."""

# ---- labels
_MARKS = words_of("author", "mark")
_SIGNS_OF_LABELS = (":", "：", "／", "/", "｜", "丨", "=", "＝", "・", "—", "–")
_SIGN = r"(?:\s?[:：／/｜丨=＝]\s*|\s[—–]\s)"
_ABOUT = "简介|簡介|介[绍紹]|紹介|人?招募|要求|について|[们們]|の|が|は|を"
"""What makes "author" the beginning of a phrase: about the author, to the author."""
_LABEL = re.compile(
    rf"(?P<author>(?<!\w)(?:{words_of('author', 'phrase')})(?:\s*[:：]\s*|\s+)"
    rf"|^(?:{words_of('author', 'word')})(?:\s*[:：]\s*|\s+)"
    rf"|(?<!\w)(?:{words_of('author', 'colon', 'word')}){_SIGN}"
    rf"|(?:{_MARKS})(?!{_ABOUT})(?:{_SIGN})?)"
    rf"|(?P<other>(?<!\w)(?:(?:e|y|et|und|and|en|och|og)\s)?(?:{words_of('other')})(?:{_SIGN}|\s(?:by|von|van|de|di|av|af)\b\s*|[ \u3000](?=[\u3400-\u9fff]{{2,4}}(?:\W|$)))"
    rf"|(?<!\w)(?:{words_of('fact')}){_SIGN}|[\u3400-\u9fff]{{2,4}}\s?[:：]\s*)"
    rf"|(?P<editor>(?:{words_of('editor', 'mark')})(?:{_SIGN})?)",
    re.I,
)
"""A label, and of whom: the author, an editor, somebody else or a fact."""
# a syllable may end in the sign of its vowel, which is no letter by itself
_BEHIND = re.compile(rf"(?<=[\w\u0900-\u0eff])\s?(?:{words_of('author', 'behind')})(?=\W|$)", re.I)
_ANY_LABEL = re.compile(r"^[^\W\d_][^:：]{,20}[:：]\s+(?=[^\W\d_][^:：]*$)")
_ALONE = re.compile(
    rf"\W*(?:about\s)?(?:the\s|l['’])?(?:{words_of('author')}|{words_of('editor')}|{words_of('nobody')}|{words_of('fact')}|{words_of('other')}"
    rf"|(?:about|the|published|updated|posted|written|by|on|in|at|and)(?:\s(?:the|by|on))*)\W*",
    re.I,
)
"""A label without a name, or what stands for nobody."""
_PLACEHOLDER = re.compile(rf"\W*(?:{words_of('placeholder')})\W*", re.I)

# ---- the parts of a by-line
_JUNK = re.compile(
    r"[{}%\[\]]|https?://|www\.|[<>@]|^\W*$|(?:^| )\W?\d.* |.* \W?\d|^\d+$|\bby$|^[\u3400-\u9fff]{2,}[:：]|^the author\b|登[录錄]|注册|註冊|密[码碼]",
    re.I,
)
_BRACKETS = re.compile(r"^\s*[\[［【(（]([^\[\]［］【】()（）]*)[\]］】)）]\s*(.*)$")
_MIDDLE_DOT = re.compile(r"(?<=[가-힣])\s?[·ㆍ]\s?(?=[가-힣])")  # between Korean names
_SPLIT = re.compile(
    r"\s*(?:,|;|、|，|；|／|\s/\s|\||\b(?:and|AND|und|UND|et|ET)\b|&)\s*"
    # two and two letters are the parts of one Japanese name
    r"|(?<=[\u3400-\u9fff]{3})[ \u3000]+(?=[\u3400-\u9fff]{2,4}(?:\W|$))"
    r"|(?<=[\u3400-\u9fff]{2})[ \u3000]+(?=[\u3400-\u9fff]{3,4}(?:\W|$))"
)
_TAIL = re.compile(
    r"\s*(?:\s[于於]$|发[表布]于|發[表佈]於|[／/][^／/]*[報报][導道]|\((?![^()]{2,20}\)\s[^\W\d_a-z])|（|\[|【|·|•|\s[-–]|–\s|—"
    r"|\b(?:on|in)\b(?:\s|$)|\b(?i:last updated|updated)\b).*$"
)
"""What is behind a name. Brackets inside it hold what its bearer is called: Robert (Bob) Onym."""
_ANDS = "y|e|och|og|ja|ve|и|і|та"
_WITH_WORDS = "with|for|via|mit|bei|avec|con|com|med|met|z|con la|с|при участии|[@＠]"
_AND_ANY = re.compile(rf"\s(?:{_ANDS})\s+")
_AND = re.compile(rf"\s(?:{_ANDS})\s+(?=\w[^\s,]*\s+\w)")
"""Words for "and" that may be part of a name ("Ortega y Gasset"): they separate names of two words
or more."""
_WITH = re.compile(
    rf"(?:^|\s)(?:{_WITH_WORDS})\s+(?:l['’]|(?:la|le|der|dem|die|the|o|a)\s+)?", re.I
)
"""What stands behind it is an agency, unless it is a full name."""
JOINS_NAMES = re.compile(rf"[\s,;、，；&/]*(?:\b(?:and|und|et|{_ANDS}|{_WITH_WORDS})\b\s*)?", re.I)
"""What separates two names of a list."""
_BRACKETED = re.compile(
    rf"\s?[(（][^()（）]{{1,40}}[)）](?=\s?[,;、，&]|\s(?:and|und|et|{_ANDS})\s)"
)
"""A place or an agency behind one of several names."""
_DEPARTMENT = re.compile(r"[^\s,;/|&]+\s[^,;/|&]+\s&\s([^\s,;/|&]+)")
"""Two words or more, and one: no names of people are joined so, but for an agency."""
_AND_WORDS = (" & ", " and ", " und ", " et ")
_TASKS = re.compile(rf"\w+(?:{'|'.join(_AND_WORDS)})([\w\s-]{{1,60}})")
"""A word and an office: Marketing and Event Coordinator."""
_PLACED = re.compile(r"(\w\s\w[^,]{0,60}), [A-Z\u0386-\u052f]\w*\.?$")
"""A name of two words or more and one word behind a comma, as of a town, an agency or an office."""
_OFFICE = re.compile(rf"(?:{words_of('office')})\.?", re.I)
_ORGANISATION = re.compile(
    rf"^(?:{words_of('organisation', 'word')})$|\b(?i:{words_of('organisation', 'part')})(?!\w)"
    rf"|(?:{words_of('organisation', 'ending')})$"
)
_ENDS_IN_AGENCY = re.compile(
    rf"^[\[［【(（][^,、，]+[,、，]\s?(?:{words_of('organisation', 'word')}"
    rf"|[^,、，]*(?:{words_of('organisation', 'ending')}))[\]］】)）]$"
)
"""A name and its agency in brackets, as Japanese papers sign: ［松川太一、毎日新聞］."""
_CAPITAL = "[^\\W\\d_a-zß-ÿа-яα-ω]"
_PARTICLE = (
    "de|da|do|di|du|del|della|der|den|van|von|vom|zu|la|le|el|al|bin|ibn|dos|das|y|e|af|av|ter|ten"
)
FULL_NAME = re.compile(
    rf"{_CAPITAL}[^\s,/]*(?:\s(?:[(„“\"]?{_CAPITAL}[^\s,/]*|{_PARTICLE}))+$|[\u3400-\u9fff\uac00-\ud7a3]{{2,5}}$"
)
"""Two words or more, of which only particles ("de") begin small; or letters of East Asia."""
_NAME_AND_OFFICE = re.compile(
    rf"({_CAPITAL}[^\s:：]*(?:\s(?:{_CAPITAL}[^\s,，/／|:：]*|{_PARTICLE})){{1,4}})\s?[,，、/／|]\s?"
    rf"(?:(?i:{words_of('office')})|{words_of('organisation', 'word')})\.?$"
)
"""A full name, and behind a comma or a slash an office or an agency."""
_OF_OTHERS = re.compile(rf"(?:{words_of('other')})(?!\w)", re.I)
"""The label of other people at the beginning of a text."""
_COUNTED = re.compile(r"\s\d.*$")  # "3 hours ago" behind a name
_TITLED = re.compile(rf"(?<=\w)\s(?i:{words_of('office', 'behind')})$")
_KOREAN = re.compile(
    rf"([가-힣]{{2,4}}(?:\s?[·ㆍ,]\s?[가-힣]{{2,4}})*)\s?(?:{words_of('author', 'behind')})(?=\W|$)"
)
"""Names before the word for a reporter; the name of the paper may stand before them."""


class Credit(NamedTuple):
    """A part of a by-line: ``kind`` is that of the ``label`` before it (``author``, ``editor``,
    ``other``), both are empty without one."""

    kind: str
    text: str
    label: str = ""


@cached(1_024)
def credits_of(line: str) -> tuple[Credit, ...]:
    """The parts of a by-line, each with what its label says.

    >>> [(one.kind, one.text) for one in credits_of("取材・文／松川太一　撮影／岡野花")]
    [('author', '松川太一'), ('other', '岡野花')]
    """
    found = list[Credit]()
    kind = ""
    said = ""
    begin = 0
    for label in _LABEL.finditer(line):
        before = line[begin : label.start()].strip(" \u3000,;|｜，；、/／")
        if before or kind:
            found.append(Credit(kind, before, said))
        kind = label.lastgroup or ""
        said = label[0].strip()
        begin = label.end()
    found.append(Credit(kind, line[begin:].strip(" \u3000"), said))
    return tuple(found)


def clean_names(raw: list[str]) -> list[str]:
    """Names of people in order, without labels, offices, agencies, dates, addresses and duplicates.

    >>> clean_names(["By Ann Onym and Bo Derr, 4 March 2026", "http://example.com/ann", "撰稿：王小明", "技术支持：某公司"])
    ['Ann Onym', 'Bo Derr', '王小明']
    """
    found = dict[str, None]()
    for text in raw:
        found.update(dict.fromkeys(_names_beside_date(_bare(text))))
    return list(found)[:10]


def labelled_authors(line: str) -> list[str]:
    """Names in a text behind a label of the author that has a colon or a slash, or before one that
    follows its name; [] without such a label."""
    text = _bare(line)
    before, _ = beside_date(text)
    told = [
        credit.text
        for credit in credits_of(text)
        if credit.kind == "author" and credit.label.endswith(_SIGNS_OF_LABELS)
    ]
    if _KOREAN.search(before) or (not told and _BEHIND.search(before)):
        told = [before]
    if not told and _ENDS_IN_AGENCY.search(before):
        told = [before]
    return clean_names(told)


def name_with_office(line: str) -> list[str]:
    """The full name at the beginning of a text that is nothing but a name and what its bearer is,
    behind a comma or a slash; [] otherwise.

    >>> name_with_office("Ann Onym, Staff Writer"), name_with_office("Ann Onym/dpa"), name_with_office("Rome, Italy")
    (['Ann Onym'], ['Ann Onym'], [])
    """
    found = _NAME_AND_OFFICE.match(line)
    if found is None or is_organisation(found[1]) or _OF_OTHERS.match(line):
        return []
    return [found[1]]


def fuller_name(name: str, named: Iterable[str]) -> str:
    """The first of the full names ``named`` that begins with ``name``, which is one word; else that
    word.

    >>> fuller_name("Ann", ["Ann Posted", "Ann Onym"]), fuller_name("Ann", ["Anna Onym"])
    ('Ann Onym', 'Ann')
    """
    for full in named:
        is_longer = full.startswith(f"{name} ") and FULL_NAME.match(full) is not None
        if is_longer and not _ALONE.fullmatch(full.rpartition(" ")[2]):
            return full
    return name


def is_placeholder(name: str) -> bool:
    """Whether a name is one that a program writes if no author was entered ("admin")."""
    return _PLACEHOLDER.fullmatch(name) is not None


def is_organisation(name: str) -> bool:
    """Whether a name is that of an agency, a publisher or a department by its words."""
    return _ORGANISATION.search(name) is not None or ("&" in name and _is_department(name))


def _is_department(text: str) -> bool:
    """Whether a text is joined as no two names are: Tax & Accounting, but not an agency."""
    joined = _DEPARTMENT.fullmatch(text)
    if joined is None or joined[1][0].islower():
        return False
    return _ORGANISATION.search(joined[1]) is None


def _is_task(text: str) -> bool:
    """Whether a text joins a word and an office."""
    joined = _TASKS.fullmatch(text)
    return joined is not None and _OFFICE.fullmatch(joined[1]) is not None


def _bare(text: str) -> str:
    """A text without markup, addresses, names in networks, and what a trainee is called."""
    if "（" in text or "(" in text:
        text = _CALLED.sub("", text)
    if "://" in text or "www." in text:
        text = _URL.sub(" ", text)
    if "<" in text:
        text = _MARKUP.sub(" ", text)
    if "@" in text or "＠" in text:
        text = _HANDLE.sub(" ", _ADDRESS.sub(" ", text))
    return " ".join(text.split())


def _names_beside_date(text: str) -> list[str]:
    """The names before the first date of a text, else those behind it."""
    before, behind = beside_date(text)
    names = _names(_SAID.sub("", before))
    if names or before == text:
        return names
    if _TIMED.search(text.removesuffix(behind)):
        behind = _ZONE.sub("", behind)
    return _names(behind)


def _names(line: str) -> list[str]:
    """The names in a text without a date: those that a label gives to the author; without any such
    label those at its beginning, else those of an editor."""
    signed = _KOREAN.findall(line)
    parts = (Credit("", ",".join(signed)),) if signed else credits_of(line)
    for kind in ("author", "", "editor"):
        names = [name for part in parts if part.kind == kind for name in _parts_of(part.text)]
        if names:
            return _people(list(dict.fromkeys(names)))
        if kind == "" and parts[0].kind == "other":
            break
    return []


def _people(names: list[str]) -> list[str]:
    """The people of a list of names; an organisation or an office counts only if it is alone."""
    if len(names) < 2:
        return names
    people = [name for name in names if not _is_beside_name(name, names[0])]
    return people or names[:1]


def _parts_of(text: str) -> list[str]:
    """The parts of a text without labels that may be names."""
    bracket = _BRACKETS.match(text)
    if bracket is not None:
        text = bracket[2] or bracket[1]
    text = _MIDDLE_DOT.sub(",", _BEHIND.sub(",", _CLOCK.sub(" ", text)))
    text = _ANY_LABEL.sub("", text)
    if "(" in text or "（" in text:
        text = _BRACKETED.sub("", text)
    text = _PLACED.sub(r"\1", _TAIL.sub("", text))
    if "&" in text and _is_department(text):
        return [text]
    return [] if _is_task(text) else list(_parts(text))


def _parts(text: str) -> Iterator[str]:
    """The parts of a list of names that may be names."""
    for part in _SPLIT.split(text):
        for piece in _pieces(part.strip(" .:：-»/")):
            name = _without_title(piece.strip(" .:：-»/()（）[]［］"))
            is_name = 1 < len(name) <= 60 and not _JUNK.search(name)
            if is_name and not _ALONE.fullmatch(name) and not _is_weekday(name):
                yield name


def _is_weekday(name: str) -> bool:
    return " " not in name and calendar_names.fold_name(name) in calendar_names.WEEKDAYS


def _without_title(name: str) -> str:
    """A full name without the office or the number of hours that stands behind it."""
    for end in (_COUNTED, _TITLED):
        short = end.sub("", name)
        if short != name and FULL_NAME.match(short):
            name = short
    return name


def _pieces(part: str) -> list[str]:
    """The names in a part of a list. Words for "and" separate names only if each side has a blank,
    as a full name has; behind a word for "with" only such a name counts."""
    first, *others = _WITH.split(part)
    if " " not in first and first:
        return [part]
    others = [name for name in others if FULL_NAME.match(name) and not is_organisation(name)]
    if "/" in first and FULL_NAME.match(first.partition("/")[0].strip()):
        return [*first.split("/"), *others]
    name, *joined = _AND_ANY.split(first)
    if FULL_NAME.match(name) and all(map(is_organisation, joined)):
        return [name, *others]
    pieces = _AND.split(first)
    return [*(pieces if all(" " in piece for piece in pieces) else [first]), *others]


def _is_beside_name(name: str, first: str) -> bool:
    """Whether a part of a list of names is an office, a degree or an organisation. The ``first`` one
    is an office only without a name."""
    if name is not first and name.isupper() and " " in first and not first.isupper():
        return True
    return _OFFICE.fullmatch(name) is not None or is_organisation(name)
