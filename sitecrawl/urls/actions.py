"""URLs that change something, or lead behind a login: a crawl never requests them, whatever names
them. The one list of their words, with its source, is the table beside this module."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

from sitecrawl.resources import table_beside

_TABLE = table_beside(__file__)
_FIRST, _LAST, _ANY, _WITH, _KEYS, _VERBS, ACTIONS = (
    frozenset(_TABLE[name].split())
    for name in ("first", "last", "any", "with", "keys", "verbs", "pairs")
)
_VERB_KEY = re.compile(r"(?:action|do|act|cmd|op|task|mode|route|method)$", re.I)
# folder of Cloudflare's own tools on every host behind it: hidden addresses, challenges
_RESERVED = "/cdn-cgi/"
_YEAR = re.compile(r"(?:19|20)\d\d")


def performs_action(url: str) -> bool:
    """Whether a URL performs an action by its query, its path or a reserved folder instead of
    naming a page.

    >>> [performs_action(f"http://example.com/{url}") for url in ("?replytocom=7", "?mode=quote&p=3", "cdn-cgi/l/x", "?mode=view&page=2")]
    [True, True, True, False]
    >>> [performs_action(f"http://example.com/{url}") for url in ("cart/add/7", "vote/7", "vote/2024/", "wp-login.php", "news/how-to-vote")]
    [True, True, False, True, False]
    """
    address, _, query = url.partition("#")[0].partition("?")
    if _RESERVED in address:
        return True
    pairs = parse_qsl(query, keep_blank_values=True, errors="surrogateescape") if query else []
    return any(_acts(*pair) for pair in pairs) or _acts_by_path(address, has_query=bool(query))


def _acts(name: str, value: str) -> bool:
    """Whether a parameter of a query is the name of an action."""
    if not ACTIONS.isdisjoint((name, f"{name}={value}")) or name.casefold() in _KEYS:
        return True
    return _VERB_KEY.match(name) is not None and value.casefold() in _VERBS


def _acts_by_path(address: str, *, has_query: bool) -> bool:
    """Whether a step of a path is the name of an action: the first one, the last one, any one that
    acts on its reader, or any one before the number of what it acts on. Years are the numbers of
    archives."""
    names = [step.partition(".")[0] for step in address.casefold().split("/")[3:] if step]
    steps = [name.replace("_", "-") for name in names]
    if not steps:
        return False
    if steps[0] in _FIRST or steps[-1] in _LAST or not _ANY.isdisjoint(steps):
        return True
    if has_query:
        return steps[-1] in _WITH
    is_numbered = steps[-1].isdecimal() and not any(map(_YEAR.fullmatch, steps))
    return is_numbered and not _WITH.isdisjoint(steps[:-1])
