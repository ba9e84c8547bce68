"""Site-adaptive crawling: article links by an SVM, articles by templates induced from the site's
own pages.

>>> import sitecrawl
>>> sitecrawl.extract("<title>Hi</title><article><h1>Hi</h1><p>A first, short, plain paragraph.</p></article>").headline
'Hi'
"""

from __future__ import annotations

from importlib import import_module
from os import environ
from typing import TYPE_CHECKING, Any

import sitecrawl.extract  # noqa: F401 (the package first: the function of the same name takes its place here)
from sitecrawl.api import classify_links, extract
from sitecrawl.resources import MODELS_VARIABLE, use_models

if TYPE_CHECKING:
    from sitecrawl.items.article import Article, Comment
    from sitecrawl.links.classify import Link
    from sitecrawl.site.inputs import RawPage
    from sitecrawl.site.model import SiteModel
    from sitecrawl.templates.template import Template

    articles: Any
    chunks: Any

use_models(environ.get(MODELS_VARIABLE, ""))

__version__ = "0.1.0"
__all__ = [
    "Article",
    "Comment",
    "Link",
    "RawPage",
    "SiteModel",
    "Template",
    "articles",
    "chunks",
    "classify_links",
    "extract",
]
_MODULES = {
    "Article": "sitecrawl.items.article",
    "Comment": "sitecrawl.items.article",
    "Link": "sitecrawl.links.classify",
    "RawPage": "sitecrawl.site.inputs",
    "SiteModel": "sitecrawl.site.model",
    "Template": "sitecrawl.templates.template",
}
"""The module of each public class. It is imported on first use, since `sitecrawl --help` needs none
of them."""


def __dir__() -> list[str]:
    """The public names, for completion: most are imported on first use."""
    return [*__all__, "__version__"]


def __getattr__(name: str) -> Any:
    if name in ("articles", "chunks"):
        from sitecrawl.plugins import FUNCTIONS, plugged

        return plugged(FUNCTIONS)[name].load()
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
