"""Items as a person reads them: one line, or the whole text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sitecrawl.text.chars import fold, printable, words


def article_line(item: Mapping[str, Any], *, width: int = 72) -> str:
    """An item in one line: its day, headline and number of words.

    >>> article_line({"datePublished": "2026-03-01T10:00", "headline": "Bridge opens", "articleBody": "At noon."})
    '2026-03-01  Bridge opens  (2 words)'
    """
    day = str(item.get("datePublished") or "")[:10] or "no day"
    headline = fold(item.get("headline")) or str(item.get("url") or "")
    if len(headline) > width:
        headline = headline[: width - 1] + "…"
    count = len(words(item.get("articleBody") or ""))
    return printable(f"{day:10}  {headline}  ({count:,} words)")


def readable(item: Mapping[str, Any]) -> str:
    """An item as text: headline, by-line and day, URL, then the paragraphs."""
    people = [str(author.get("name") or "") for author in item.get("authors") or []]
    day = str(item.get("datePublished") or "")[:10]
    facts = [", ".join(filter(None, people)), day, str(item.get("url") or "")]
    head = [str(item.get("headline") or ""), *facts]
    body = str(item.get("articleBody") or "(no text)").splitlines()
    lines = [printable(line) for line in head if line]
    return "\n".join([*lines, *(f"\n{printable(line)}" for line in body if line.strip())])
