"""How a block is worded: what it announces, dates and times of day, colons, cut ends, URLs, copies, and what it shares with the titles.

Lines of dates, heads of posts, teasers and repeated headlines differ from prose in these and in nothing that densities tell.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from sitecrawl.dom.blocks import Blocks, Floats
from sitecrawl.limits import LIMITS, cached
from sitecrawl.text.dates import find_date

_SHORT, _DATE = 160, 30
"""Characters below which a block can be a line of particulars, and below which a date is all of it."""
_OPENING = 120
"""Characters of a block in which colons are counted and headlines are looked for."""
_YEAR = re.compile(r"(?:19[89]|20[0-4])\d")
_TIME = re.compile(r"(?<!\d)[0-2]?\d:[0-5]\d(?!\d)")
_COLONS = (":", "：")
_CUT = ("…", "...", "…]", "...]")
"""Endings of texts that continue elsewhere."""
_TITLE = 4
"""Characters of the shortest text that counts as part of a title."""
_MOST_COLONS, _WORDS = 5, 20


def wording_features(blocks: Blocks, title: str, headline: int) -> Floats:
    """Eleven rows, a column a block; ``title`` is the page's, ``headline`` the number of the headline's block, or -1.

    In order: holds a date, is a date, holds a time of day, colons by words, ends in a colon, breaks off, contains a URL,
    opens with a sign, occurs more than once, stands in headline or title, holds the headline.
    """
    texts = blocks.texts
    found = np.zeros((11, len(texts)))
    _dates(blocks, found[:3])
    _marks(blocks, found[3:7])
    found[7] = [not text[:1].isalnum() for text in texts]
    count = Counter(texts)
    found[8] = [count[text] > 1 for text in texts]
    _titles(blocks, (title, headline), found[9:])
    return found


def _marks(blocks: Blocks, found: Floats) -> None:
    """Fill in colons by words, and which blocks end in one, break off, or contain a URL; only blocks with marks are read."""
    places = np.flatnonzero(blocks.punctuation)
    texts = [blocks.texts[at] for at in places.tolist()]
    found[0, places] = [text.count(":", 0, _OPENING) + text.count("：", 0, _OPENING) for text in texts]
    found[1, places] = [text.endswith(_COLONS) for text in texts]
    found[2, places] = [text.endswith(_CUT) for text in texts]
    found[3, places] = ["://" in text or "www." in text for text in texts]
    np.minimum(found[0], _MOST_COLONS, out=found[0])
    found[0] /= blocks.words.clip(1, _WORDS)


def _dates(blocks: Blocks, found: Floats) -> None:
    """Fill in which short blocks hold a date, are one, and hold a time of day."""
    left = LIMITS.dates
    for at in np.flatnonzero((blocks.digits > 0) & (blocks.chars < _SHORT)).tolist():
        text = blocks.texts[at]
        if left and _YEAR.search(text) and find_date(text, False):
            left -= 1
            found[0, at], found[1, at] = 1.0, len(text) < _DATE
        if ":" in text and _TIME.search(text):
            found[2, at] = 1.0


def _titles(blocks: Blocks, given: tuple[str, int], found: Floats) -> None:
    """Fill in which blocks stand in the headline or the page's title, and which hold the headline."""
    texts, (title, headline) = blocks.texts, given
    short = headline >= 0 and blocks.chars[headline] < _OPENING
    head = texts[headline].casefold() if short else ""
    titles = f"{head}\n{title.casefold()}"
    openings = "\n".join([text[:_OPENING] for text in texts]).casefold().split("\n")
    found[0] = [text in titles for text in openings]
    found[0] *= blocks.chars >= _TITLE
    if short:
        found[1] = [head in text for text in openings]


COMMENTS = """comment|comments|add comment|add a comment|leave a comment|leave a reply|post a comment|reader comments|response
responses|kommentar|kommentare|leserkommentare|commentaire|commentaires|comentario|comentarios|comentário|comentários|commento
commenti|reacties|komentarz|komentarze|komentarzy|komentáře|kommentit|kommentarer|opinie|комментарий|комментарии|комментариев
комментировать|коментар|коментарі|σχόλια|yorumlar|hozzászólások|评论|評論|留言|网友评论|发表评论|コメント|댓글"""
OTHERS = """related|read also|read more|read next|see also|more on|more from|more in|more stories|more news|more articles
you may also like|you might also like|recommended|most read|most popular|latest|popular|mehr zum|lesen sie auch|auch interessant
lire aussi|à lire|sur le même sujet|ver también|te puede interesar|leia também|leia mais|leggi anche|lees ook|zobacz też
zobacz także|zobacz również|czytaj też|czytaj także|czytaj również|czytaj więcej|więcej|powiązane|polecamy|čtěte|související
читайте также|читайте ещё|читайте еще|по теме|новости по теме|похожие|материалы по теме|другие новости|последние новости
читати|διαβάστε|σχετικά|δείτε επίσης|相关|相關|延伸|更多|推荐|热门|関連|관련"""
RIGHTS = (
    "©", "(c)", "copyright", "all rights reserved", "alle rechte", "tous droits", "todos los derechos", "wszelkie prawa",
    "все права", "перепечатк", "при использовании", "版权", "版權", "转载", "轉載", "责任编辑", "責任編輯", "无断",
)  # fmt: skip
_LONGEST = 6
"""Words of the longest label."""
_NOTICE = 200
"""Characters at the start of a block in which a notice is looked for."""
_FIRST_WORD = re.compile(r"\W*(?:\d+\W*)?([^\W\d_]+)")


def _by_opening() -> dict[str, list[tuple[str, int]]]:
    """Phrases and their kinds (0 comments, 1 others) by their first word; those without blanks by two letters as well."""
    found: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for kind, phrases in enumerate((COMMENTS, OTHERS)):
        for phrase in re.split(r"[|\n]", phrases):
            found[phrase[:2] if phrase[0] > "\u3000" else phrase.split()[0]].append((phrase, kind))
    return dict(found)


_PHRASES = _by_opening()


@cached(4_096)
def label_kind(text: str) -> int | None:
    """What a short text announces: 0 comments, 1 other stories, None neither.

    >>> [label_kind(text) for text in ("12 Comments:", "Read also: a bridge", "相关阅读", "Commented out")]
    [0, 1, 1, None]
    """
    match = _FIRST_WORD.match(text)
    if match is None:
        return None
    word = match[1].casefold()
    phrases = _PHRASES.get(word) or _PHRASES.get(word[:2])
    if not phrases:
        return None
    rest = text[match.start(1) :].casefold()
    return next((kind for phrase, kind in phrases if rest.startswith(phrase)), None)


def label_features(blocks: Blocks) -> Floats:
    """Seven rows, a column a block: a label of either kind, how far below the last of each it stands, a notice of rights."""
    count = len(blocks)
    found = np.zeros((7, count))
    for at in np.flatnonzero(blocks.words <= _LONGEST).tolist():
        kind = label_kind(blocks.texts[at])
        if kind is not None:
            found[kind, at] = 1.0
    places = np.arange(count)
    for kind in (0, 1):
        last = np.maximum.accumulate(np.where(found[kind] > 0, places, -1))
        below = last >= 0
        found[2 + 2 * kind] = below
        distance = np.where(below, places - last, 0)
        found[3 + 2 * kind] = np.log1p(distance) if kind == 0 else below / (1 + distance)
    found[6] = _notices(blocks)
    return found


def _notices(blocks: Blocks) -> Floats:
    """Whether a block opens with a notice of rights, 0 or 1."""
    found = np.zeros(len(blocks))
    found[opening_with(blocks.texts, RIGHTS, _NOTICE, _NOTICE)] = 1.0
    return found


def opening_with(texts: Sequence[str], words: Sequence[str], length: int, apart: int = 1) -> list[int]:
    """Numbers of the texts with one of the lower-case ``words`` in the first ``length`` characters, in order.

    Of the places of one word that follow each other within ``apart`` characters, the first counts: the block model was trained so.

    >>> opening_with(["One", "Copyright Ann", "two (C)"], ("(c)", "copyright"), 20)
    [1, 2]
    """
    openings = [text[:length].lower() for text in texts]
    whole, places = "\n".join(openings), list[int]()
    for word in words:
        at = whole.find(word)
        while at >= 0:
            places.append(at)
            at = whole.find(word, at + apart)
    if not places:
        return []
    ends = np.fromiter(accumulate([len(text) + 1 for text in openings]), np.int64, len(openings))
    return sorted(set(ends.searchsorted(places, side="right").tolist()))
