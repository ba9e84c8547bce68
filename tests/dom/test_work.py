"""Work on a page is bounded: nothing that is nested or repeated costs more than its size."""

from __future__ import annotations

import pytest

from sitecrawl.dom.align import CONTAINERS, signature
from sitecrawl.dom.blocks import ZONE
from sitecrawl.dom.page import Page
from sitecrawl.dom.parse import _ENDS_P, _ENDS_SVG, _FOREIGN, _HTML_WITHIN, _IN_HEAD, parse
from sitecrawl.dom.render import Content
from sitecrawl.dom.tree import CELLS, INLINE, KEPT, SILENT

SECONDS = 2
"""Seconds of CPU that a page may cost on a machine that does nothing else."""
PARAGRAPHS = "<p>Some words of a paragraph.</p>" * 20_000
RULED = sorted(
    {
        *INLINE,
        *SILENT,
        *CELLS,
        *KEPT,
        *ZONE,
        *CONTAINERS,
        *_ENDS_P,
        *_ENDS_SVG,
        *_FOREIGN,
        *_HTML_WITHIN,
        *_IN_HEAD,
    }
    | {"html", "body", "head", "option"}
)
MANY_CLASSES = " ".join(f"c{number}" for number in range(100))
PAGES = {
    "sections in open paragraphs": "<p><section>" * 900 + PARAGRAPHS,
    "html in drawings": "<svg><p>" * 900 + PARAGRAPHS,
    "html in foreign objects": "<svg><foreignobject>" * 900 + PARAGRAPHS,
    "divisions in noscript": "<noscript><div>" * 900 + PARAGRAPHS,
    "cells in cells": "<table><tr><td>" * 600 + PARAGRAPHS,
    "breadcrumbs in breadcrumbs": "<div class='breadcrumb nav comment'>" * 1000 + PARAGRAPHS,
    "sections in one paragraph": "<p>" + "<section>x</section>" * 100_000,
    "a head of sections": "<title>t</title>" + "<main>x</main>" * 100_000,
    "drawings": "<svg><title>x</title></svg>" * 100_000,
    "noscripts": "<noscript><p>x</noscript>" * 100_000,
    "hundred classes": "".join(
        f"<p class='{MANY_CLASSES.replace('c', f'c{number}x')}'>x</p>" for number in range(15_000)
    ),
    "a million classes": f"<p class='{' '.join(f'c{number}' for number in range(1_000_000))}'>x",
    "attributes without blanks": "<p "
    + "".join(f'a{number}="1"' for number in range(300_000))
    + ">x",
    "attributes behind slashes": "<p" + "".join(f"/a{number}" for number in range(300_000)) + ">x",
    "attributes that are no names": "<p "
    + " ".join(f"=\"'{number}" for number in range(300_000))
    + ">x",
    "200 attributes on each tag": ("<p " + " ".join(f"a{number}=1" for number in range(200)) + ">x")
    * 14_000,
    "tags without end": "<a" * 8_000_000,
    "tags in quotes without end": "<a b='\"" * 2_300_000,
    "a long heading": "<h1>" + "word " * 3_200_000,
    "a long title": "<title>" + "word " * 3_200_000,
    "four million paragraphs": "<p>x" * 4_000_000,
}


BEYOND = {
    "attributes without blanks",
    "200 attributes on each tag",
    "tags without end",
    "four million paragraphs",
}
"""Pages of which something must go."""


def work(page: Page) -> None:
    """All that the room does with a page."""
    assert len(page.document.blocks) <= len(page.document.chunks)
    assert page.is_cut in (True, False)
    assert len(page.metadata.title) <= 10_000
    assert len(signature(page.root)) <= 400
    assert page.document.tagged("html") == [0]


@pytest.mark.parametrize("tag", RULED)
@pytest.mark.costs(SECONDS)
def test_an_element_with_a_rule_of_its_own_does_not_multiply(tag: str) -> None:
    # a fifth of the paragraphs: elements that multiply a thousand times are far over the limit with
    # them, too
    html = f"<{tag}>" * 1_000 + PARAGRAPHS[: len(PARAGRAPHS) // 5] + f"</{tag}>" * 1_000
    page = parse(html, "http://example.com/a")
    work(page)
    assert Content([page.root], base_url=page.base_url).html is not None


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.costs(SECONDS)
def test_a_large_page_costs_two_seconds_at_most(name: str) -> None:
    page = parse(PAGES[name], "http://example.com/a")
    work(page)
    assert page.is_cut or name not in BEYOND
