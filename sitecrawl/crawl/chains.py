"""Articles over several pages during a crawl: parts wait in the state until their article is whole."""

from __future__ import annotations

from typing import Any

from sitecrawl.crawl.desk import Wanted
from sitecrawl.crawl.state import CrawlState, Waiting
from sitecrawl.dom.page import Page
from sitecrawl.limits import LIMITS
from sitecrawl.links.pagination import first_part, next_part, turning_links
from sitecrawl.urls.canonical import url_key

_PROMISE = 0.95
"""Promise of a link to a further part: the page before it is an article."""


def part_of(page: Page, key: str, given: dict[str, Any] | None) -> dict[str, Any] | None:
    """Notes on a page that is one part of several, None on one that stands alone.

    ``given`` are the notes with which the page was asked for. ``of`` is the key of the first part and ``first`` its URL,
    ``next`` the URL of the next part, empty on the last one.
    """
    links = turning_links(page)
    first = given["first"] if given else first_part(page, links) or page.url
    after = next_part(page, first, links) or ""
    if not after and url_key(first) == key:
        return None
    return {"of": url_key(first), "first": first, "next": after}


def cluster_of(first: str) -> str:
    """The cluster of waiting pages that the parts of one article form; ``first`` is the key of the first."""
    return f"part:{first}"


def chain_of(state: CrawlState, first: str) -> list[Waiting]:
    """The parts that wait, in reading order from the first on, up to the first that is missing."""
    held = {waiting.key: waiting for waiting in state.held(cluster_of(first))}
    chain: list[Waiting] = []
    key = first
    while key in held and len(chain) < LIMITS.parts:
        chain.append(held.pop(key))
        key = url_key(chain[-1].meta["part"]["next"])
    return chain


def is_whole(chain: list[Waiting]) -> bool:
    """Whether no part is wanted any more."""
    return bool(chain) and (len(chain) >= LIMITS.parts or not chain[-1].meta["part"]["next"])


def missing(chain: list[Waiting], part: dict[str, Any], meta: dict[str, Any]) -> Wanted:
    """The page that the chain lacks: its next part, or the first one while that is not there."""
    url = chain[-1].meta["part"]["next"] if chain else part["first"]
    notes = {"article": _PROMISE, "section": meta.get("section"), "depth": int(meta.get("depth") or 0)}
    return Wanted(url, "article", notes | ({"part": {"of": part["of"], "first": part["first"]}} if chain else {}))
