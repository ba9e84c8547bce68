"""Site-adaptive crawling: article links by an SVM, articles by templates induced from the site's own pages.

>>> import sitecrawl
>>> sitecrawl.extract("<title>Hi</title><article><h1>Hi</h1><p>A first, short, plain paragraph.</p></article>").headline
'Hi'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sitecrawl.api import classify_links, extract
    from sitecrawl.article import Article, Comment
    from sitecrawl.links.link import Link
    from sitecrawl.site import SiteModel
    from sitecrawl.templates.template import Template

__version__ = "0.1.0"
__all__ = ["Article", "Comment", "Link", "SiteModel", "Template", "classify_links", "extract"]

_HOMES = {
    "classify_links": "sitecrawl.api",
    "extract": "sitecrawl.api",
    "Article": "sitecrawl.article",
    "Comment": "sitecrawl.article",
    "Link": "sitecrawl.links.link",
    "SiteModel": "sitecrawl.site",
    "Template": "sitecrawl.templates.template",
}


def __getattr__(name: str) -> Any:
    """Public names are imported on first use, so that `import sitecrawl` costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'sitecrawl' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
