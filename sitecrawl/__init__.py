"""Site-adaptive crawling: article links by an SVM, articles by templates induced from the site's own pages.

>>> import sitecrawl
>>> sitecrawl.extract("<title>Hi</title><article><h1>Hi</h1><p>A first, short, plain paragraph.</p></article>").headline
'Hi'
"""

from __future__ import annotations

from sitecrawl.api import classify_links, extract
from sitecrawl.items.article import Article, Comment
from sitecrawl.links.classify import Link
from sitecrawl.site.model import SiteModel
from sitecrawl.templates.template import Template

__version__ = "0.1.0"
__all__ = ["Article", "Comment", "Link", "SiteModel", "Template", "classify_links", "extract"]
