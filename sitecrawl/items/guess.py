"""What one page alone says, as templates need it: the record between a single-page extractor and those who vote over pages."""

from __future__ import annotations

from typing import Protocol

from lxml import etree

from sitecrawl.dom.blocks import Blocks, Flags, Floats, Ints
from sitecrawl.items.article import Article


class PageGuess(Protocol):
    """A single-page extraction; ``sitecrawl.extract.single.Extraction`` is one.

    ``scores`` holds the probability of every block, ``kept`` whether it is body; ``bits`` says for every element of the tree
    what its names speak of (see ``sitecrawl.dom.blocks.Layout``); ``nodes`` holds the elements of headline and date.
    """

    @property
    def article(self) -> Article: ...
    @property
    def nodes(self) -> dict[str, etree._Element]: ...
    @property
    def blocks(self) -> Blocks: ...
    @property
    def bits(self) -> Ints: ...
    @property
    def scores(self) -> Floats: ...
    @property
    def kept(self) -> Flags: ...
