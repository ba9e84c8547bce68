"""Block density by hand, and the rule of a cluster from the best blocks of its pages (Wang 2018, section 5.2, Algorithm 2)."""

from __future__ import annotations

import pytest

from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content
from sitecrawl.extract.features import View, view_of
from sitecrawl.extras.papers.block_density import (
    CLUSTER,
    BestBlock,
    Rule,
    best_block,
    block_density,
    cluster_rule,
    extract_by_rule,
)
from sitecrawl.extras.papers.densities import counts_of

PAGE = "<body><div><p>abc, def.</p>gh<a>123456</a></div><a>654321</a></body>"
"""div: 17 characters, 6 linked in one of the page's two links, 2 tags; body: 23 characters, 12 linked."""
DIV, TABLE = ("html", "body", "div"), ("html", "body", "table")


def page(inner: str) -> View:
    return view_of(parse(f"<html><body>{inner}</body></html>"))


def text(view: View, rule: Rule) -> str:
    found = extract_by_rule(view, rule)
    return Content(found.nodes, found.skip, "", found.mute).text


def test_block_density_by_hand() -> None:
    view = view_of(parse(PAGE))
    counts, div, body = counts_of(view), view.tree.tags.index("div"), view.tree.tags.index("body")
    p_text, p_textl, p_link = 11 / (1 + 11), 11 / (1 + 17), 1 / (1 + 2)
    assert block_density(counts, body)[div] == pytest.approx(p_text * p_textl * (1 - p_link) / (1 + 0.01 * 2))


def test_the_best_block_names_its_unique_classes() -> None:
    found = best_block(
        page(
            "<div class='story wide' id=s><p>A long story about a bridge.</p></div><p class=wide><a>Menu of the site</a></p>"
        )
    )
    assert (found.path, found.ident, found.classes) == (DIV, "s", ("story",))


def test_sums_of_density_choose_the_path() -> None:
    """Four blocks of .3 outweigh two of .5: 1.2 against 1.0."""
    found = [BestBlock(DIV, "", (), 0.3)] * 4 + [BestBlock(TABLE, "", (), 0.5)] * 2
    assert cluster_rule(found) == Rule("path", "html/body/div")
    assert cluster_rule([*found[1:], BestBlock(TABLE, "", (), 0.5)]) == Rule("path", "html/body/table")


def test_id_goes_before_class_and_class_before_path() -> None:
    assert cluster_rule([BestBlock(DIV, "s", ("story",), 0.3)] * CLUSTER) == Rule("id", "s")
    ids = [BestBlock(DIV, f"post-{n}", ("story",), 0.3) for n in range(CLUSTER)]
    assert cluster_rule(ids) == Rule("class", "story"), "an id that differs from page to page names no container"
    assert cluster_rule([BestBlock(DIV, "", (), 0.3)] * CLUSTER) == Rule("path", "html/body/div")


def test_a_cluster_has_more_than_five_pages() -> None:
    assert CLUSTER == 6
    assert cluster_rule([BestBlock(DIV, "s", (), 0.3)] * 5) is None


def test_a_rule_answers_where_the_page_alone_is_wrong() -> None:
    view = page("<div id=s><p>Short news.</p></div><div><p>A long notice of the site about its terms of use.</p></div>")
    assert "notice" in text(view, Rule("id", "elsewhere")), "a page without the block answers alone"
    assert text(view, Rule("id", "s")) == "Short news."


def test_a_class_that_stands_twice_is_no_rule_and_a_path_takes_the_best() -> None:
    view = page("<div class=c><p>Short.</p></div><div class=c><p>The longer of the two stories.</p></div>")
    assert "Short" in text(view, Rule("class", "c")), "the page's own best block, which is the body"
    assert text(view, Rule("path", "html/body/div")) == "The longer of the two stories."


def test_a_path_rule_on_nested_elements_takes_linear_work() -> None:
    depth = 1_000
    view = page("<div>" * depth + "<p>text</p>" * 20_000 + "</div>" * depth)
    assert text(view, Rule("path", "/".join(("html", "body", *["div"] * depth)))).startswith("text")
