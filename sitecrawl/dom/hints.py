"""What class and id names hint at: generic words of many languages, as bits. Data first, one cached lookup below."""

from __future__ import annotations

import re
from functools import lru_cache

WORDS = {
    "comment": r"comment|repl(?:y|ies)|respon(?:d|ses?\b)|disqus|gitalk|valine|waline|utteranc|giscus|pinglun|liuyan|guestbook|kom+entar|comentario|discussion|dis[ck]us[sj]|dyskusj|hozzaszol|reacti(?:e|es)\b|otzyv|yorum|opinie\b",
    "nav": r"nav|menu|crumb|pager|paginat|pagenav|toolbar|tabs?\b|prev|next|adjacent|skip|daohang|neighbou?r|breadcrum",
    "side": r"side|aside|widget|rail|relat|recommend|popular|recent|tuijian|xiangguan|hot\b|rank|trending|teaser|similar|more-|also|blogroll|archive",
    "share": r"share|social|follow|like|reward|donat|dashang|qr-?code|subscri|newsletter|bdshare|addthis|sharing|twitter|facebook|weibo|weixin|wechat|signup",
    "meta": r"meta|byline|author|date|time|info|tags?\b|categor|source|posted|laiyuan|published|credit|views?\b|count|label|tagged|post-?data|details",
    "foot": r"foot|copyright|legal|cookie|banner|\bads?\b|advert|promo|sponsor|licen[sc]e|disclaim|popup|modal|consent|declare",
    "head": r"header|masthead|topbar|logo|brand|search|login",
    "content": r"content|article|post|entry|body|story|main|text|zhengwen|detail|neirong|editor|markdown|prose|trs_|single|page",
    "title": r"title|headline|heading|biaoti|subject",
    "code": r"highlight|code|syntax|prettyprint|rouge|prism",
    "gutter": r"gutter|line-?n|lineno|linenumber|copy-?btn|anchor|permalink|headerlink|sr-only|screen-reader|visually-hidden|noprint|edit-?(?:link|this|section)",
    "toc": r"\btoc|catalog|outline|table-?of-?contents|directory",
    "forum": r"post|thread|topic|floor|message|viewtopic|postbody|quote|forum",
    "signature": r"signature|\bsig\b|avatar|profile|postdetails|rank|user|poster|bio\b|gravatar|vcard|member",
    "caption": r"caption|figure|gallery|image|photo|thumb|media|slide",
    "summary": r"summary|abstract|excerpt|lead\b|intro|deck|standfirst|zhaiyao|teaser|description|subtitle|subhead|lede\b|chapo|chapeau|entradilla|sommario|perex|vorspann|anons|synopsis",
}
"""Hint name to the words that carry it, as a pattern over casefolded class and id."""

BITS = {name: 1 << number for number, name in enumerate(WORDS)}
_PATTERNS = tuple((BITS[name], re.compile(words)) for name, words in WORDS.items())
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden")


@lru_cache(maxsize=4_096)
def hint_bits(names: str) -> int:
    """Bits of the hints that ``names`` (a class, an id, or both) carries.

    >>> hint_bits("Comment-List") == BITS["comment"], hint_bits("x7")
    (True, 0)
    """
    found = 0
    for token in names[:200].casefold().split():
        found |= _token_bits(token)
    return found


@lru_cache(maxsize=4_096)
def _token_bits(token: str) -> int:
    """Bits of one name: none of the words has a blank in it, and many classes share their names."""
    return sum(bit for bit, pattern in _PATTERNS if pattern.search(token))


def is_hidden(style: str | None) -> bool:
    """Whether an inline style takes an element out of sight."""
    return bool(style) and _HIDDEN.search(style or "") is not None
