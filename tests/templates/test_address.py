"""Only a small, harmless part of XPath may stand in a template."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from sitecrawl.dom.align import Names, addresses_of, has_token, step
from sitecrawl.dom.document import Document
from sitecrawl.errors import TemplateError
from sitecrawl.limits import LIMITS
from sitecrawl.templates.address import compiled, find, is_address, numbers_below, text_of

ROOT = etree.HTML(
    '<div id="a" class="x wide"><p>one</p><p>two<script>no()</script></p></div><div class="x"></div>'
)


@pytest.mark.parametrize(
    "address",
    ['id("a")', 'id("a")/p[2]', "/html/body/div[1]/p[last()]", ".//p[last()-1]", f"//div{has_token('x')}",
     '/html/head/meta[@property="og:title"]/@content', '//p[normalize-space()="one"]', ".//*[@id=\"a\"]", "//ol/li[div/p]"],
)  # fmt: skip
def test_the_subset_is_allowed(address: str) -> None:
    assert is_address(address)
    compiled(address)


@pytest.mark.parametrize(
    "address",
    ["", "/", "//", "//a/", "document('http://x')", "//p[system-property('x')]", "//p | //a", "//p[position()<3]",
     "//p/../..", "count(//p)", 'id("a"]', "//p[@x='1' or 1]", "a" * 3000, "//p[contains(., 'x')]",
     "//p[a//b]", "//p[a or b]", "//p[../a]", "//p[@a/b]", "//p[a/b/c/d/e/f]"],
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
    assert text_of(find('id("a")', ROOT)[0]) == "one two", "text in reading order, scripts out"


NESTED = etree.HTML(
    '<div class="a b"><p class="b">1</p><div class="b" id="in"><p>2</p><p class="a\tb" itemprop="x">3</p></div></div><p id="in">4</p>'
)


@pytest.mark.parametrize(
    "form",
    [
        "{}//p",
        f"{{}}//div{has_token('b')}",
        f"{{}}//p{has_token('b')}",
        '{}//div[@id="in"]',
        f"{{}}//div{has_token('b')}/p",
        "{}//div/div",
        "{}//table",
        f"{{}}//p{has_token('a b')}",
        "{}//p[1]",
        "{}//p[@id]",
        '{}//p[@itemprop="x"]',
        '{}//div[starts-with(@id, "i")]/p',
        "{}//div[p]",
        "{}//div/div[p]",
        "{}//div[div/p]",
        '{}//p[@id="in"]/@id',
    ],
)
def test_the_index_of_a_page_finds_what_xpath_finds(form: str) -> None:
    document = Document(NESTED)
    for start, node in enumerate(document.nodes):
        for address in (form.format(""), form.format(".")):
            found = numbers_below(address, document, start=start)
            assert found is None or [document.nodes[number] for number in found] == find(
                address, node
            )


def test_the_beginning_of_a_text_is_that_of_the_whole() -> None:
    node = etree.fromstring("<div> a <b>bc\n\n d</b><i/>e<p>  </p> f<p>g</p></div>")
    assert [text_of(node, most) for most in range(6)] == [text_of(node)[:most] for most in range(6)]


def test_a_step_names_a_position_only_among_a_number_of_siblings() -> None:
    many = etree.HTML("<b>x</b>" + "<i>y</i>" * (LIMITS.children + 5))[0]
    assert [step(node, None) for node in (many[0], many[1], many[2])] == ["b", "i[1]", "i[2]"]
    assert step(many[LIMITS.children], None) == f"i[{LIMITS.children}]"
    assert step(many[-1], None) == "i"


@pytest.mark.parametrize(("levels", "paths"), [(50, 2), (100, 0)])
def test_an_element_in_a_deep_nest_has_no_path_that_no_template_may_use(
    levels: int, paths: int
) -> None:
    """Paths of a thousand steps, one for each element of the nest, took most of the time of a
    template."""
    document = Document(etree.HTML("<div>" * levels + "<p class='said'>Some words.</p>"))
    found = addresses_of(document.nodes[-1], Names([document]))
    assert all(map(is_address, found))
    assert len(found) == 1 + paths


@pytest.mark.parametrize(
    "address",
    [
        "//p/following-sibling::p/following-sibling::p",
        "//p/preceding-sibling::p/following-sibling::b",
        "//following-sibling::p",
        ".//preceding-sibling::p[1]",
        "//p/following-sibling::p[1]/following-sibling::p[1]/following-sibling::p[1]",
        '//p[normalize-space()="a"]//p[normalize-space()="b"]//p[normalize-space()="c"]',
    ],
)
def test_what_multiplies_is_refused(address: str) -> None:
    assert not is_address(address)
    with pytest.raises(TemplateError):
        compiled(address)


@pytest.mark.parametrize(
    "address",
    [
        "./following-sibling::p[1]",
        "./preceding-sibling::div[2]/following-sibling::p[1]",
        f"./preceding-sibling::p[1]//b{has_token('x')}",
        '//dt[normalize-space()="Printed"]/following-sibling::dd[1]',
        '//a[starts-with(@href, "/x")]/following-sibling::b',
        '//p[@title="/following-sibling::/following-sibling::/following-sibling::"]',
    ],
)
def test_what_is_learned_or_written_by_hand_is_allowed(address: str) -> None:
    assert is_address(address)
    compiled(address)


STEPS = (
    "/p",
    "/*",
    "//p",
    "//div",
    "//*",
    "/div[1]",
    "//p[last()]",
    "/b[2]",
    "//div[p]",
    "/p[@id]",
)
SIBLINGS = ("", "/following-sibling::p", "/preceding-sibling::*", "/following-sibling::p[1]", "/preceding-sibling::*[last()]")  # fmt: skip


@given(
    st.lists(st.sampled_from(("<p>", "<div>", "<b>", "</p>", "</div>", "<p id=x>", "a"))),
    st.lists(st.sampled_from(STEPS), min_size=1, max_size=3),
    st.sampled_from(SIBLINGS),
    st.lists(st.sampled_from(STEPS), max_size=2),
    st.sampled_from(("", "/@id")),
)
@settings(max_examples=300, deadline=None)
def test_an_address_in_parts_finds_what_it_finds_as_a_whole(
    html: list[str], before: list[str], sibling: str, behind: list[str], attribute: str
) -> None:
    root = etree.HTML(f"<html><body>{''.join(html)}<p id=y>z")
    address = "".join((*before, sibling, *behind, attribute))
    assert find(address, root) == etree.XPath(address)(root)


def test_siblings_and_nests_take_no_time_in_the_cube() -> None:
    """These would take most of an hour."""
    wide = etree.HTML("<html><body>" + "<p>x</p>" * 20_000)
    assert len(find("//p/following-sibling::p", wide)) == 19_999
    assert len(find("//p/preceding-sibling::p/@id", wide)) == 0
    parser = etree.HTMLParser(huge_tree=True)
    deep = etree.fromstring("<html><body>" + ("<div>" * 1_500 + "</div>" * 1_500) * 12, parser)
    assert len(find("//div//div//div", deep)) > 10_000
