"""Articles and threads over several pages: one page a part, joined into one article."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sitecrawl.dom.parse import parse
from sitecrawl.items.article import ITEM_FIELDS, Article, Comment, PlainBody, RenderedBody
from sitecrawl.items.kinds import Flag
from sitecrawl.site.inputs import RawPage
from sitecrawl.site.model import SiteModel
from sitecrawl.text.names import squeeze

_REPEATED = 20  # letters from which a post that begins two parts counts as the same post


def extract_parts(
    model: SiteModel,
    pages: Sequence[RawPage],
    *,
    anchor: str = "",
) -> Article:
    """The article of several pages in reading order; ``anchor`` is the text of the link to the
    first. Raises ValueError if there are no pages."""
    first, *rest = [parse(page.html, page.url) for page in pages]
    return join(
        [
            model.extract_page(first, anchor=anchor),
            *(model.extract_page(page, later=True) for page in rest),
        ]
    )


def join(articles: Sequence[Article], *, is_whole: bool = True) -> Article:
    """One article of several parts: headline, date and other fields of the first, bodies in order,
    posts appended. ``summed`` fields such as images hold the values of all parts. The text of a
    part that equals the one before it is left out (the server does not know the page, or its
    comments go on), and so are posts that occurred before. It is flagged ``incomplete`` unless it
    ``is_whole``. Raises ValueError if there are no parts."""
    if not articles:
        raise ValueError("an article has at least one part")
    first, *rest = articles
    kept = [first]
    for article in rest:
        if article.articleBody not in ("", kept[-1].articleBody):
            kept.append(article)
    if rest:
        first.comments = _comments(articles)
    flags = [flag for article in kept for flag in article.provenance.flags]
    if not is_whole:
        flags.append(Flag.INCOMPLETE)
    first.provenance.flags = list(dict.fromkeys(flags))
    if len(kept) > 1:
        _append(first, kept)
    return first


def _append(first: Article, kept: Sequence[Article]) -> None:
    """Append the parts to the first of them."""
    for row in ITEM_FIELDS.values():
        if row.summed:
            setattr(first, row.name, _each_once([getattr(article, row.name) for article in kept]))
    first.body = _joined([article.body for article in kept if article.body])
    first.provenance.parts = [article.url for article in kept if article.url]
    first.provenance.confidence = min([article.provenance.confidence for article in kept])


def _joined(parts: Sequence[RenderedBody]) -> PlainBody:
    """The bodies of the parts in order. Lines that later parts repeat from the beginning of the
    first occur once in its text."""
    first, *rest = [part.text for part in parts]
    text = "\n".join(filter(None, [first, *(_without_head(text, first) for text in rest)]))
    html = "\n".join([part.html for part in parts])
    markdown = "\n\n".join([part.markdown for part in parts])
    return PlainBody(text, html, markdown)


def _each_once(lists: Sequence[Sequence[Any] | None]) -> list[Any]:
    """The entries of all lists in order, without duplicates; entries with a URL are identified by
    it.

    >>> _each_once([[{"url": "a"}, "x"], None, ["x", {"url": "a", "alt": "A"}, "y"]])
    [{'url': 'a', 'alt': 'A'}, 'x', 'y']
    """
    found = dict[str, Any]()
    for values in lists:
        for entry in values or ():
            key = entry.get("url", entry) if isinstance(entry, dict) else entry
            found[repr(key)] = entry
    return list(found.values())


def _comments(parts: Sequence[Article]) -> list[Comment]:
    """Posts of all parts without duplicates, and without an opening post that a later part
    repeats."""
    before = squeeze(parts[0].articleBody)
    replies = {squeeze(comment.text) for comment in parts[0].comments}
    found: dict[tuple[str | None, str | None, str], Comment] = {}
    for number, part in enumerate(parts):
        for place, comment in enumerate(part.comments):
            text = squeeze(comment.text)
            is_opener = number > 0 and place == 0 and len(text) >= _REPEATED
            if is_opener and text in before and text not in replies:
                continue
            found.setdefault((comment.author, comment.datePublished, text), comment)
    return list(found.values())


def _without_head(text: str, first: str) -> str:
    """``text`` without the lines at its beginning that also begin ``first``.

    >>> _without_head("The question, in full.\\nA new answer.", "The question, in full.\\nAn answer.")
    'A new answer.'
    """
    lines = text.split("\n")
    same = 0
    for line, known in zip(lines, first.split("\n"), strict=False):
        if line != known:
            break
        same += 1
    return "\n".join(lines[same:]) if sum(map(len, lines[:same])) >= _REPEATED else text
