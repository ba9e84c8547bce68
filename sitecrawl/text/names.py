"""Names of people in by-lines, and what separates a title from the name of its site."""

from __future__ import annotations

import re
from itertools import takewhile

from sitecrawl.resources import table_beside
from sitecrawl.text.dates import beside_date

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


_TABLE = {what: "|".join(words) for what, words in table_beside(__file__).items()}
_PREFIX = re.compile(
    rf"^(?:{_TABLE['before_names']})(?:\s*[:：]\s*|\s+)|^(?:{_TABLE['labels']})\s*[:：]?\s*"
    rf"|^(?!{_TABLE['tasks']})[^\W\d_][^:]{{,20}}:\s+(?=[^\W\d_][^:]*$)",
    re.I,
)
"""Words that announce a name. Only labels need no blank behind them. Any other label counts as
well, unless it names a task."""
_JUNK = re.compile(
    r"https?://|www\.|@|[<>]|^\W*$|(?:^| )\W?\d.* |.* \W?\d|^\d+$|^(?:none|null|undefined|unknown|未知|佚名|匿名|von|par|por|di|door|a[vf]|oleh|autor|автор|auteur|penulis|yazar|szerző|tekst|作者|著者|记者|编辑)$|\bby$|^(?:(?:about|the|by|author|published|posted|updated|written)\b\W*)+$|^[\u3400-\u9fff]{2,}[:：]",
    re.I,
)
GENERIC = frozenset(
    "admin administrator administrador editor staff webmaster redaktion redactie redazione redacción rédaction 管理员".split()
)
"""What stands for an author if none was entered."""
_SPLIT = re.compile(r"\s*(?:,|;|、|，|；|\||\b(?:and|AND|und|UND|et|ET)\b|&)\s*")
_TAIL = re.compile(
    r"\s*(?:发[表布]于|(?<=\s)[\u3400-\u9fff]{2,4}\s?[:：]|發[表佈]於|[／/][^／/]*[報报][導道]|\(|（|\[|\||·|•|\s[-–]|–\s|—|\b(?:on|in)\b(?:\s|$)|\b(?i:last updated|updated)\b).*$"
)


def clean_names(raw: list[str]) -> list[str]:
    """Names of people in order, without labels, dates, URLs and duplicates.

    >>> clean_names(["By Ann Onym and Bo Derr, 4 March 2026", "http://example.com/ann", "撰稿：王小明", "技术支持：某公司"])
    ['Ann Onym', 'Bo Derr', '王小明']
    """
    parts = (beside_date(" ".join(text.split())) for text in raw)
    return list(
        dict.fromkeys(name for before, behind in parts for name in _names(before) or _names(behind))
    )[:10]


_ANDS = "y|e|with|mit|avec|con|com|och|og|ja|ve|и|і|та"
_AND = re.compile(rf"\s(?:{_ANDS})\s+(?=\w[^\s,]*\s+\w)")
"""Words for "and" and "with" that may be part of a name ("Ortega y Gasset"): they separate names of
two words or more."""
JOINS_NAMES = re.compile(rf"[\s,;、，；&/]*(?:\b(?:and|und|et|{_ANDS})\b\s*)?", re.I)
"""What separates two names of a list."""
_TASK = re.compile(rf"^(?i:{_TABLE['tasks']})(?: by\b|\s?[:：])")
_OTHERS = re.compile(
    rf"{_TASK.pattern}.*?\b(?=(?i:{_TABLE['before_names']}|{_TABLE['labels']})\s*[:：])"
)
_OFFICE = re.compile(rf".\s(?i:{_TABLE['offices']})$|^(?:PhD|Ph\.D|M\.?D|MBA)$")
"""What stands beside names and is none: somebody with another task, also before a labelled author;
an office or a degree."""
_PLACED = re.compile(r"(\w\s\w[^,]{0,60}), [A-Z\u0386-\u052f]\w*\.?$")
"""A name of two words or more and one word behind a comma, as of a town, an agency or an office."""


def _names(line: str) -> list[str]:
    """The names in a text without a date. Words for "and" separate names only if each side has a
    blank, as a full name has."""
    line = _PLACED.sub(r"\1", _TAIL.sub("", _PREFIX.sub("", _OTHERS.sub("", line))))
    parts = (part.strip(" .:：-»") for part in _SPLIT.split(line))
    splits = ((_AND.split(part), part) for part in parts)
    groups = (
        pieces if all(" " in piece for piece in pieces) else [part] for pieces, part in splits
    )
    named = (
        name for group in groups for name in group if 1 < len(name) <= 60 and not _JUNK.search(name)
    )
    names = list(takewhile(lambda name: not _TASK.search(name), named))
    return names[:1] + [name for name in names[1:] if not _OFFICE.search(name)]
