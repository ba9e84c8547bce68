"""The guide is plain English: short sentences, and none of the words that only its authors would
understand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

import pytest

from tests.source import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LONGEST, MOST_ON_AVERAGE = 29, 17
"""Words of a sentence: of every one, and of those of a page on average."""
FRAGMENT = 3
"""Texts of so few words are cells of tables and names; they do not count for the average."""
README_LINES = 115

JARGON = {
    r"anew": "again",
    r"mend(s|ed|ing)?": "correct, fix",
    r"barren": "without new articles",
    r"(is|are|of|for) none(?! of)": "is not one",
    r"no body (better|is)": "not body",
    r"promise[sd]?": "expect; probability of an article",
    r"manners": "politeness",
    r"strangers?": "other sites",
    r"hear(s|d)? (of|from|when)": "is notified",
    r"under way": "running, open",
    r"as long to the character": "has exactly as many characters",
    r"not odd": "looks normal",
    r"(is|are|was) told": "is reported",
    r"(items?|articles?|pages?) (that )?(leaves?|left|have left) (at once|once|the crawl)": "is written",
    r"settle[sd]? the matter": "decides",
    r"whom to tell": "who is notified",
    r"kept apart": "held out",
    r"a taste": "examples",
    r"for (ever|good)": "without end",
    r"hence|thereof|whereof|wherein|whatsoever|lest": "a simple word",
    r"for want of|in vain|by and by|now and then": "a simple phrase",
    r"the (house|rooms?|ring)": "the package and its parts",
    r"riddle|homes|desk|bench|sheet|echo": "the standard word",
    r"address(es)? (of|in) the (file|page|site)": "URL",
    r"\d[\d.]* \w+ a (page|second|visit|site|line|core|crawl|article)": "per",
}
"""Our own jargon as regular expressions of whole words, and what to write instead."""


def prose(text: str) -> str:
    """A page of Markdown without code, comments, pictures and the targets of links; inline code is
    one word."""
    for pattern, instead in (
        (r"\A---\n.*?^---\n", ""),
        (r"<!--.*?-->", ""),
        (r"^ *```.*?^ *```$", "\n"),
        (r"!\[[^\]]*\]\([^)]*\)", ""),
        (r"\[([^\]]*)\]\([^)]*\)", r"\1"),
        (r"`[^`\n]*`", "Code"),
    ):
        text = re.sub(pattern, instead, text, flags=re.S | re.M)
    return text


def paragraphs(text: str) -> Iterator[str]:
    """The paragraphs, list entries and table cells of a page."""
    lines: list[str] = []
    for line in [*map(str.strip, prose(text).splitlines()), ""]:
        entry = re.match(r"(?:[-*]|\d+\.) +", line)
        if not line or entry or line.startswith(("|", "#")):
            yield " ".join(lines)
            lines = []
        if line.startswith("|"):
            yield from line.strip("|").split(" | ")
        elif not line.startswith("#"):
            lines.append(line[entry.end() :] if entry else line)


def sentences(text: str) -> Iterator[str]:
    for paragraph in paragraphs(text):
        yield from re.split(
            r"(?<=[.!?:])[*_)\"”]*\s+(?=[\"“'*(_]*(?:[A-Z0-9]|sitecrawl))", paragraph
        )


def words(sentence: str) -> list[str]:
    return re.findall(r"[\w'’%.,/+-]*\w[\w'’%.,/+-]*", sentence)


def test_sentences_are_told_apart() -> None:
    text = "# Head\nOne `two.three` four. Five\nsix: Seven.\n\n- An entry\n- Another\n\n| a cell | the next |\n```sh\nsitecrawl x\n```\n"
    found = [one.strip() for one in sentences(text) if one.strip()]
    assert found == [
        "One Code four.",
        "Five six:",
        "Seven.",
        "An entry",
        "Another",
        "a cell",
        "the next",
    ]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.stem != "options"], ids=lambda page: page.stem
)
def test_sentences_are_short(page: Path) -> None:
    found = {one: len(words(one)) for one in sentences(page.read_text(encoding="utf8"))}
    assert {one: count for one, count in found.items() if count > LONGEST} == {}
    assert mean([count for count in found.values() if count > FRAGMENT] or [0]) < MOST_ON_AVERAGE


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_jargon(page: Path) -> None:
    text = " ".join(paragraphs(page.read_text(encoding="utf8")))
    found = {
        match.group(): instead
        for pattern, instead in JARGON.items()
        for match in re.finditer(rf"\b(?:{pattern})\b", text)
    }
    assert found == {}, "write instead what stands behind it"


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf8").splitlines()) <= README_LINES


def test_the_glossary_has_twenty_words_in_order() -> None:
    rows = re.findall(
        r"^\| (\w[\w -]*) \|", (ROOT / "docs" / "glossary.md").read_text(encoding="utf8"), re.M
    )[1:]
    assert len(rows) == 20
    assert rows == sorted(rows)
