"""Soft errors: "not found" or a refusal with status 200, a login form in place of a page, one text
for many URLs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from urllib.parse import urlsplit

from lxml import etree

from sitecrawl.dom.page import Page
from sitecrawl.dom.tree import string_of
from sitecrawl.items.article import Article
from sitecrawl.limits import LIMITS, forget_oldest
from sitecrawl.resources import table_beside
from sitecrawl.text.chars import words

# characters of text outside links above which a page is more than an error message, a login form or
# a shell for scripts
SHORT = 600
# pages with one text that make it a standard answer; two may be one article under two URLs
_SAME = 3
# characters below which a body does not identify an article: then headlines must be equal too
_TEXT = 16
_SENTENCE = 100  # characters of a text that may be one sentence
_WORD = 5  # letters of a word that a text and its headline share
_START = 6  # characters to which a link may abbreviate a headline
_LETTERS = 12  # letters of a text for each number in it, without which it is the same text
_NUMBER = re.compile(
    r"(?<![\w.:-])[\w.:-]*\d[\w.:-]*", re.A
)  # words with a digit: times, addresses, names of requests
_WORDS, _NAMING = (
    re.compile(r"[^\W_]+"),
    4,
)  # words, and how many of a headline name a page in its URL
# mark of digests of texts that match their link: one article may stand in several places
_ASKED = "+"
_BARE = "-"  # mark of digests of other texts that are all that their pages hold
_TABLE = table_beside(__file__)
_MISSING, _LOGIN, _REFUSED = (
    re.compile("|".join(_TABLE[error]), re.I) for error in ("missing", "login", "refused")
)


def soft_error(page: Page, anchor: str = "") -> str:
    """``missing`` for an error page of any status, ``login`` for a login form, ``refused`` for a
    page that only refuses, or checks its reader; else empty. An article about one of them has a
    link (``anchor``) that names it. A heading that is not in the title may be that of a form beside
    it."""
    headings = [*islice(page.root.iter("h1", "h2"), 3)]
    title = _line(page.metadata.title)
    lines = [_line(string_of(node)) for node in headings]
    texts = [title, *lines]
    if _says(_MISSING, texts, anchor=anchor) and own_characters(page) <= SHORT:
        return "missing"
    pairs = [*zip(headings, lines, strict=True)]
    own = [(node, line) for node, line in pairs if line and line in title] or pairs
    heads = [node for node, line in own if _LOGIN.search(line)]
    if not _LOGIN.search(anchor) and _is_login(page, title, heads=heads):
        return "login"
    return "refused" if _says(_REFUSED, texts, anchor=anchor) and has_little_text(page) else ""


def _says(error: re.Pattern[str], texts: Iterable[str], *, anchor: str) -> bool:
    """Whether one of the texts names an error that the link does not name."""
    return any(map(error.search, texts)) and not error.search(anchor)


def _line(text: str) -> str:
    """The beginning of a title or heading as one line."""
    return " ".join(text[:200].split())


def _is_login(page: Page, title: str, *, heads: Sequence[etree._Element]) -> bool:
    """Whether a page with the headings ``heads`` that name a login is little but a login form. If
    the title or the URL names one, too, the text around heading and form does not count."""
    named = any(map(_LOGIN.search, (title, urlsplit(page.url).path.replace("_", " "))))
    form = page.root.find(".//input[@type='password']") if named or heads else None
    if form is None:
        return False
    around = {*form.iterancestors()} if named else {page.root}
    parts = (node for head in heads for node in head.iterancestors() if node in around)
    return own_characters(page, next(parts, page.root)) <= SHORT


def says_missing(headline: str, body: str) -> bool:
    """Whether the text of an article is nothing but the sentence that it does not exist any more,
    below the headline that it had. A short article repeats a word of its headline.

    >>> says_missing("Harbour bridge opens", "This article is no longer available.")
    True
    >>> says_missing("Mayor deletes a post", "The post of the mayor was removed on Friday.")
    False
    """
    if len(body) > _SENTENCE or "\n" in body or not _MISSING.search(body):
        return False
    named, said = (
        {one for one in words(text.casefold()) if len(one) >= _WORD} for text in (headline, body)
    )
    return not named & said


def shows_asked(page: Page, anchor: str, *, key: str) -> bool:
    """Whether a page that calls itself an error by its status is the article at ``key`` to which a
    link with the text ``anchor`` leads: it has more text than an error message, and one of its
    headings is that of the link or of the URL."""
    headings = islice(page.root.iter("h1", "h2", "h3"), 5)
    texts = [*(_line(string_of(node)) for node in headings), _line(page.metadata.title)]
    said = " ".join(anchor.casefold().split())
    if own_characters(page) <= SHORT or any(map(_MISSING.search, texts)):
        return False
    if len(said) >= _TEXT and any(said in text.casefold() for text in texts):
        return True
    return any(_agrees(text, anchor) or _is_named(text, key) for text in texts)


def has_little_text(page: Page) -> bool:
    """Whether a page has hardly any text, in its links either."""
    return sum(map(len, page.document.chunks)) <= SHORT


def leads_on(page: Page) -> bool:
    """Whether a page has two links or frames at least."""
    return len([*islice(page.root.iter("a", "area", "frame", "iframe"), 2)]) > 1


def own_characters(page: Page, part: etree._Element | None = None) -> int:
    """Characters of the text of a page, or of a part of it, outside its links."""
    document = page.document
    start = 0 if part is None or part is page.root else document.number.get(part, 0)
    linked = {
        at
        for link in document.tagged("a")
        for at in range(document.first[link], document.last[link])
    }
    return sum(
        len(document.chunks[at].strip())
        for at in range(document.first[start], document.last[start])
        if at not in linked
    )


@dataclass(slots=True)
class KnownTexts:
    """Digests of the texts met in a crawl, each with up to three pages that have it. A text that
    answers three different links is no article."""

    pages: dict[str, tuple[bytes, ...]] = field(default_factory=dict)

    def digest(
        self,
        key: str,
        article: Article,
        anchor: str = "",
        *,
        is_whole_page: bool = False,
    ) -> str:
        """The digests of the text of the ``article`` at ``key``, separated by blanks; empty for an
        empty body. A mark before each tells two things.

        ``_ASKED``: the page matches its request, since its headline is that of the link
        (``anchor``) or of its URL. One article may stand in several places. A server with one
        answer for everything does not know what was requested. ``_BARE``: the text
        ``is_whole_page``, or nearly.

        A text that does not match has its headline without numbers. If it has at least
        ``_LETTERS`` letters for each number in it, it has a second digest without its numbers and
        with its day: refusals count requests, while bulletins that differ in numbers say several
        days."""
        name = article.headline or ""
        text = " ".join(article.articleBody.split())
        if not text:
            return ""
        mark, texts = _BARE if is_whole_page else "", [text]
        if _agrees(name, anchor) or _is_named(name, key):
            mark = _ASKED
        elif len(text) >= _TEXT:
            name = re.sub(r"\d+", "#", name)
            rest, numbers = _NUMBER.subn("#", text)
            if numbers and len("".join(_WORDS.findall(rest))) >= _LETTERS * numbers:
                # the day of the URL is not the answer's
                is_own = article.provenance.fields.get("datePublished") != "url"
                day = (article.datePublished or "")[:10] if is_own else ""
                texts.append(f"{rest} {day}")
        return " ".join(mark + text_digest(f"{name}\n{one}").hex() for one in texts)

    def meet(self, digest: str, key: str) -> None:
        """Record that the page ``key`` has the text with a digest; an empty digest is ignored."""
        for one in digest.split():
            met, page = self.pages.pop(one, ()), text_digest(key)
            self.pages[one] = met if page in met or len(met) >= _SAME else (*met, page)
            forget_oldest(self.pages, LIMITS.texts)

    def standard(self) -> list[str]:
        """Digests of the latest standard answers, which later runs know by :meth:`recall`."""
        return [digest for digest in self.pages if self.unasked(digest) >= _SAME][
            -LIMITS.listings :
        ]

    def is_standing(self, digest: str) -> bool:
        """Whether a text was a standard answer in an earlier run: then it tells nothing about the
        URLs that have it."""
        return any(self.pages.get(one, ())[:1] == (b"",) for one in digest.split())

    def recall(self, standard: Iterable[str]) -> None:
        self.pages.update(dict.fromkeys(standard, (b"",) * _SAME))

    def is_refusal(self, digest: str) -> bool:
        """Whether a text may be a refusal: several pages hold it and hardly more, and it does not
        match their links."""
        return digest.startswith(_BARE) and self.count(digest) > 1

    def unasked(self, digest: str) -> int:
        """Number of pages, at most three, that have a text; 0 if the text matches the link to its
        page."""
        return 0 if is_asked(digest) else self.count(digest)

    def count(self, digest: str) -> int:
        """Number of pages, at most three, that have a text, whatever their links say."""
        return max((len(self.pages.get(one, ())) for one in digest.split()), default=0)


def is_asked(digest: str) -> bool:
    """Whether a text matches the link to its page."""
    return digest.startswith(_ASKED)


def _agrees(headline: str, anchor: str) -> bool:
    """Whether the text of a link is the headline of its page, perhaps abbreviated.

    >>> _agrees("Report 12", "Report 12 (new)"), _agrees("A long story of a bridge", "A long story..."), _agrees("Sorry", "Report 12")
    (True, True, False)
    """
    name, said = (" ".join(text.casefold().split()) for text in (headline, anchor))
    start = said.rstrip(".… ")
    return bool(name) and (
        name in said or (len(start) >= _START and start != said and name.startswith(start))
    )


def _is_named(headline: str, key: str) -> bool:
    """Whether the URL of a page contains the words of its headline.

    >>> _is_named("A bridge: opened at last", "example.com/city/a-bridge-opened-at-last"), _is_named("Sorry", "example.com/a-lost-and-gone-page")
    (True, False)
    """
    steps = (set(_WORDS.findall(step.casefold())) for step in key.split("/")[1:])
    return any(
        len(step) >= _NAMING and step <= set(_WORDS.findall(headline.casefold())) for step in steps
    )


def text_digest(text: str) -> bytes:
    return hashlib.sha1(text.encode("utf-8", "replace"), usedforsecurity=False).digest()[:10]
