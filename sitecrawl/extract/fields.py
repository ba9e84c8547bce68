"""What one page alone says of each field of an article: ``READERS`` by the name of the field, and the lesser readers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, Protocol

from lxml import etree

from sitecrawl.dom.blocks import BITS, bits_of
from sitecrawl.dom.page import Metadata, Page, linked_text
from sitecrawl.dom.render import absolute
from sitecrawl.dom.tree import SILENT
from sitecrawl.extract.authors import find_authors, find_source
from sitecrawl.extract.headline import Headline
from sitecrawl.extract.published import Dated, find_modified
from sitecrawl.limits import LIMITS
from sitecrawl.text.chars import fold
from sitecrawl.text.language import language_of

_MOST = 50
"""Images, tags or breadcrumbs of one page that are kept."""
_LINKS = 500
"""Links marked as tags that are looked at."""


class Clues(Protocol):
    """What the readers of fields may ask about a page; an answer by template computes it only when a reader asks.

    ``title`` is the headline of the article, wherever it comes from, ``headline`` and ``dated`` are what the page alone says;
    ``nodes`` hold the body, ``near`` are texts around the headline, ``sample`` is some of the page's prose.
    """

    @property
    def page(self) -> Page: ...
    @property
    def title(self) -> str: ...
    @property
    def headline(self) -> Headline: ...
    @property
    def dated(self) -> Dated | None: ...
    @property
    def nodes(self) -> Sequence[etree._Element]: ...
    @property
    def near(self) -> Sequence[str]: ...
    @property
    def sample(self) -> str: ...


def canonical_url(page: Page) -> str | None:
    """The URL the page calls its own, None when it names none or a foreign scheme."""
    href = page.metadata.links.get("canonical") or page.metadata.first("og:url")
    return absolute(href, page.url) if href else None


def description(metadata: Metadata) -> str | None:
    return (
        fold(
            linked_text(metadata.linked.get("description"))
            or metadata.first("og:description", "description", "twitter:description")
        )
        or None
    )


def main_image(page: Page) -> dict[str, str] | None:
    """The image the metadata names, as ``{"url": ...}``."""
    linked: Any = page.metadata.linked.get("image")
    raw = linked[0] if isinstance(linked, list) and linked else linked
    href = raw.get("url") if isinstance(raw, dict) else raw
    href = href if isinstance(href, str) and href else page.metadata.first("og:image", "twitter:image", "og:image:url")
    url = absolute(href, page.url) if href else None
    return {"url": url} if url else None


def images_of(nodes: Sequence[etree._Element], base_url: str) -> list[dict[str, str]]:
    """Images inside the body, as ``{"url", "alt"}``, without tiny ones and repeats."""
    found: dict[str, dict[str, str]] = {}
    for node in nodes:
        for image in node.iter("img"):
            source = image.get("data-src") or image.get("data-original") or image.get("src") or ""
            url = None if source.startswith("data:") else absolute(source, base_url)
            if url and image.get("width") not in ("0", "1") and len(found) < _MOST:
                found.setdefault(url, {"url": url} | ({"alt": fold(image.get("alt"))} if image.get("alt") else {}))
    return list(found.values())


def tags_of(page: Page) -> list[str]:
    """Tags and keywords: links marked ``rel=tag`` that stand by the article, then article:tag and keywords of the metadata."""
    links = [a for a in page.root.iter("a") if "tag" in (a.get("rel") or "").casefold().split()]
    marked = [fold("".join(a.itertext())) for a in links[:_LINKS] if not _is_beside(a)]
    meta = page.metadata
    given = linked_keywords(meta.linked.get("keywords")) or linked_keywords(
        ",".join(meta.tags) or meta.first("keywords")
    )
    return list(dict.fromkeys(tag.lstrip("# ") for tag in (marked or given) if 0 < len(tag) <= 60))[:_MOST]


def _is_beside(link: etree._Element) -> bool:
    """Whether a tag stands in a column or a cloud with those of the whole site, not by the article."""
    for part in link.iterancestors():
        if part.tag in ("article", "main"):
            return False
        if part.tag == "aside" or part.tag in SILENT or bits_of(part) & BITS["side"]:
            return True
        if "cloud" in f"{part.get('class') or ''} {part.get('id') or ''}".casefold():
            return True
    return False


def linked_keywords(value: Any) -> list[str]:
    """Keywords as a list, from a list or a string with commas.

    >>> linked_keywords("news, 城市，bridge"), linked_keywords('["news", "bridge"]')
    (['news', '城市', 'bridge'], ['news', 'bridge'])
    """
    if isinstance(value, str):
        value = value.replace("，", ",").replace("、", ",").split(",")
    folded = [fold(item).strip("[]\"' ") for item in value if isinstance(item, str)] if isinstance(value, list) else []
    return [item for item in folded if item]


def breadcrumbs_of(page: Page) -> list[dict[str, str]]:
    """Links of the first breadcrumb region that has any, as ``{"name", "url"}``."""
    for node in islice(page.root.iter("*"), LIMITS.nodes):
        names = f"{node.get('class') or ''} {node.get('id') or ''}".casefold()
        if "crumb" in names and node.tag not in ("body", "html"):
            links = [
                (fold("".join(a.itertext())), absolute(a.get("href") or "", page.base_url)) for a in node.iter("a")
            ]
            found = [{"name": name} | ({"url": url} if url else {}) for name, url in links if name]
            if found:
                return found[:_MOST]
    return []


READERS: dict[str, Callable[[Clues], Any]] = {
    "canonicalUrl": lambda clues: canonical_url(clues.page),
    "headline": lambda clues: clues.headline.text,
    "datePublished": lambda clues: clues.dated.value if clues.dated else None,
    "datePublishedRaw": lambda clues: clues.dated.raw if clues.dated else None,
    "dateModified": lambda clues: find_modified(clues.page.metadata),
    "authors": lambda clues: [{"name": name} for name in find_authors(clues.page, clues.near)[0]],
    "inLanguage": lambda clues: language_of(clues.page.metadata.language, f"{clues.title} {clues.sample}"),
    "description": lambda clues: description(clues.page.metadata),
    "mainImage": lambda clues: main_image(clues.page),
    "images": lambda clues: images_of(clues.nodes, clues.page.base_url),
    "breadcrumbs": lambda clues: breadcrumbs_of(clues.page),
    "tags": lambda clues: tags_of(clues.page),
    "source": lambda clues: find_source(clues.page.metadata, clues.near),
}
"""How a page alone gives a field, by the name of its row in the table of item fields. A reader pays for the clues that it asks for."""
