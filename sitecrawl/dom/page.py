"""A parsed page, with what is computed from it at most once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import urljoin

from lxml import etree

from sitecrawl.dom.metadata import Metadata, read_metadata
from sitecrawl.dom.tree import Tree, build_tree


@dataclass
class Page:
    """A page as ``(url, root)``: what is left of a response below the Scrapy glue.

    ``truncated`` tells that content was cut at a bound; ``encoding`` is the one the page was decoded with.
    """

    url: str
    root: etree._Element
    encoding: str = "utf-8"
    truncated: bool = False

    @cached_property
    def tree(self) -> Tree:
        """The flat view of the page, built on first use."""
        return build_tree(self.root)

    @property
    def is_cut(self) -> bool:
        """Whether content was cut, while parsing or from the flat view."""
        return self.truncated or self.tree.truncated

    @cached_property
    def metadata(self) -> Metadata:
        """What the page says about itself for machines, read on first use."""
        return read_metadata(self.root)

    @cached_property
    def base_url(self) -> str:
        """URL that relative links refer to (``<base href>`` honoured)."""
        tree: Tree | None = self.__dict__.get("tree")
        bases = self.root.iter("base") if tree is None or "base" in tree.tags else ()
        href = next((given for node in bases if (given := node.get("href")) is not None), None)
        try:
            return urljoin(self.url, href.strip()) if href else self.url
        except ValueError:
            return self.url

    def lean(self) -> Page:
        """The same page without its flat view, which holds on to every element: for those who keep it for later."""
        page = replace(self)
        page.__dict__.update(metadata=self.metadata, base_url=self.base_url)
        return page
