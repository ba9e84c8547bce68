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
    """An item as text: one line for each field, an empty line, the body."""
    people = [str(author.get("name") or "") for author in item.get("authors") or []]
    facts = {
        "headline": item.get("headline"),
        "published": item.get("datePublished"),
        "authors": ", ".join(filter(None, people)),
        "language": item.get("inLanguage"),
        "source": item.get("source"),
        "tags": ", ".join(map(str, item.get("tags") or [])),
        "comments": len(item.get("comments") or []) or "",
        "url": item.get("url"),
    }
    head = [f"{name:10} {printable(str(value))}" for name, value in facts.items() if value]
    body = str(item.get("articleBody") or "(no article text was found)").splitlines()
    return "\n".join([*head, "", *map(printable, body)])
