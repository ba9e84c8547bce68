"""Four published densities: text, composite text and point density, which share one framework, and
block density. Sources: Sun, Song and Liao 2011 (DOM based content extraction via text density,
equations 1, 2 and 5, algorithms 2 and 3); Yang and Yang 2015, section 2.4 (point density); Wang
2018, section 5.1 (block density)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from sitecrawl.dom.blocks import Flags, Floats, Ints
from sitecrawl.dom.document import Document
from sitecrawl.dom.page import Page
from sitecrawl.extract.ensemble import Selection, selection
from sitecrawl.text.chars import PUNCTUATION


@dataclass(frozen=True, slots=True)
class Counts:
    """Per element, over its subtree: characters, tags, link characters, link tags, punctuation
    marks."""

    chars: Floats
    tags: Floats
    link_chars: Floats
    link_tags: Floats
    marks: Floats


def counts_of(page: Page) -> Counts:
    """Counts of every element of a page."""
    document = page.document
    first, last, ends = (
        np.array(places, np.int64) for places in (document.first, document.last, document.ends)
    )
    at = np.arange(len(ends))
    links = np.concatenate(
        ([0], np.cumsum(np.array([tag == "a" for tag in document.tags], np.int64)))
    )
    lengths = np.array([len(chunk.strip()) for chunk in document.chunks], np.float64)
    inside = page.document.linked[np.array(document.owners, np.int64)]
    points = np.array([len(PUNCTUATION.findall(chunk)) for chunk in document.chunks], np.float64)
    chars, link_chars, marks = (
        np.concatenate(([0.0], np.cumsum(values))) for values in (lengths, lengths * inside, points)
    )
    return Counts(
        chars=chars[last] - chars[first],
        tags=(ends - at - 1).astype(np.float64),
        link_chars=link_chars[last] - link_chars[first],
        link_tags=(links[ends] - links[at + 1]).astype(np.float64),
        marks=marks[last] - marks[first],
    )


def text_density(counts: Counts, body: int) -> Floats:
    """TD = C/T (equation 1); an element without tags counts as one tag."""
    return counts.chars / np.maximum(counts.tags, 1)


def composite_density(counts: Counts, body: int) -> Floats:
    """CTD = C/T * log_{ln(C*LC/nLC + LCb*C/Cb + e)}(C*T/(LC*LT)) (equation 2); zero counts are
    taken as one."""
    chars, tags = counts.chars, np.maximum(counts.tags, 1)
    linked, links = np.maximum(counts.link_chars, 1), np.maximum(counts.link_tags, 1)
    plain = np.maximum(chars - counts.link_chars, 1)
    share = counts.link_chars[body] / max(1.0, counts.chars[body])
    base = np.log(chars * counts.link_chars / plain + share * chars + np.e)
    ratio = np.log(np.maximum(chars * tags / (linked * links), 1e-9)) / np.log(
        np.maximum(base, 1 + 1e-9)
    )
    density: Floats = np.where(chars > 0, chars / tags * ratio, 0.0)
    return np.where(base > 1 + 1e-6, density, chars / tags)


def point_density(counts: Counts, body: int) -> Floats:
    """Punctuation marks per tag (Yang and Yang 2015); an element without tags counts as one tag."""
    return counts.marks / np.maximum(counts.tags, 1)


def density_sum(density: Floats, parents: Ints) -> Floats:
    """Sum of the children's densities (equation 5)."""
    total = np.zeros_like(density)
    np.add.at(total, parents[1:], density[1:])
    return total


def body_of(document: Document) -> int:
    """Number of the ``body`` element, else of the root."""
    return document.tags.index("body") if "body" in document.tags else 0


def content_elements(document: Document, density: Floats) -> Flags:
    """Whether each element is content: from ``body`` down, inside every element at least as dense
    as the threshold, the whole subtree of the element of greatest density sum (Sun 2011, algorithms
    2 and 3); what lies below a thinner element is not looked at.

    The threshold is the least density on the path from ``body`` to the element of greatest density
    sum. The thinnest element of that path has that very density, so that the comparison is "at
    least", or nothing would be found. Of equal sums the first in document order wins, which the
    paper leaves open. One pass up and one down: linear in the elements."""
    body, ends, parents = body_of(document), document.ends, document.parents
    total = density_sum(density, np.array(parents, np.int64))
    total[:body] = 0.0
    best = int(total.argmax())
    threshold = float(
        density[[at for at in (best, *document.ancestors(best)) if at >= body]].min(initial=np.inf)
    )
    top = _greatest_below(total, parents)
    content = np.zeros(len(document), bool)
    at = body
    while at < ends[body]:
        if density[at] < threshold:
            at = ends[at]
            continue
        if not content[top[at]]:
            content[top[at] : ends[top[at]]] = True
        at += 1
    return content


def _greatest_below(total: Floats, parents: Sequence[int]) -> list[int]:
    """Of each element, the number of the one of greatest sum in its subtree, the first of
    equals."""
    top = list(range(len(total)))
    for at in range(len(total) - 1, 0, -1):
        mine, above = top[at], top[parents[at]]
        more = total[mine] - total[above]
        if more > 0 or (more == 0 and mine < above):
            top[parents[at]] = mine
    return top


def _extract(page: Page, *, measure: Callable[[Counts, int], Floats]) -> Selection:
    """The text of the content elements by a density."""
    density = measure(counts_of(page), body_of(page.document))
    kept = content_elements(page.document, density)[page.document.blocks.owner]
    return selection(page, kept.astype(np.float64), kept=kept)


extract_text_density = partial(_extract, measure=text_density)
extract_composite_density = partial(_extract, measure=composite_density)
extract_point_density = partial(_extract, measure=point_density)

_CONTAINERS = frozenset(
    ("div", "table", "td", "article", "section", "main", "body")
)  # elements that H(b) rates
_ALPHA = 0.01  # weight a of a container's size in elements
_SHARE = 0.5  # link share of a run of text inside the best container above which it is left out


def block_density(counts: Counts, body: int) -> Floats:
    """H(b) = p_text * p_textl * (1 - p_link) / (1 + a * size), an array over elements. p_text =
    T/(1 + T_doc) with T the text outside links, p_textl
    = T/(1 + T_all) with T_all all text of the block, and p_link = l/(1 + l_doc) the block's share
    of the page's links, used as the words of the paper
    say: links are bad."""
    text = counts.chars - counts.link_chars
    p_text = text / (1 + text[body])
    p_textl = text / (1 + counts.chars)
    p_link = counts.link_tags / (1 + counts.link_tags[body])
    density: Floats = p_text * p_textl * (1 - p_link) / (1 + _ALPHA * counts.tags)
    return density


def extract_block_density(page: Page) -> Selection:
    """The container of greatest H(b), without its runs of text that are mostly links."""
    document, blocks = page.document, page.document.blocks
    scores = block_density(counts_of(page), body_of(document))
    scores[[tag not in _CONTAINERS for tag in document.tags]] = -1.0
    best = int(scores.argmax())
    inside = (blocks.owner >= best) & (blocks.owner < document.ends[best])
    kept = inside & (blocks.link_chars <= _SHARE * np.maximum(blocks.chars, 1))
    return selection(page, kept.astype(np.float64), kept=kept)
