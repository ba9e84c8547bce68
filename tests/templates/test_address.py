"""Only a small, harmless part of XPath may stand in a template."""

from __future__ import annotations

import pytest
from lxml import etree

from sitecrawl.dom.align import has_token
from sitecrawl.errors import TemplateError
from sitecrawl.templates.address import compiled, find, is_address, text_of

ROOT = etree.HTML('<div id="a" class="x wide"><p>one</p><p>two<script>no()</script></p></div><div class="x"></div>')


@pytest.mark.parametrize(
    "address",
    ['id("a")', 'id("a")/p[2]', "/html/body/div[1]/p[last()]", ".//p[last()-1]", f"//div{has_token('x')}",
     '/html/head/meta[@property="og:title"]/@content', '//p[normalize-space()="one"]', ".//*[@id=\"a\"]"],
)  # fmt: skip
def test_the_subset_is_allowed(address: str) -> None:
    assert is_address(address)
    compiled(address)


@pytest.mark.parametrize(
    "address",
    ["", "/", "//", "//a/", "document('http://x')", "//p[system-property('x')]", "//p | //a", "//p[position()<3]",
     "//p/../..", "count(//p)", 'id("a"]', "//p[@x='1' or 1]", "a" * 3000, "//p[contains(., 'x')]"],
)  # fmt: skip
def test_all_else_is_refused(address: str) -> None:
    assert not is_address(address)
    with pytest.raises(TemplateError):
        compiled(address)


def test_find_gives_elements_and_strings() -> None:
    assert [node.text for node in find('id("a")/p', ROOT)] == ["one", "two"]
    assert find('id("a")/@class', ROOT) == ["x wide"]
    assert find("//table", ROOT) == []


def test_text_leaves_scripts_out() -> None:
    assert text_of(find('id("a")', ROOT)[0]) == "onetwo", "text in reading order, scripts out"
