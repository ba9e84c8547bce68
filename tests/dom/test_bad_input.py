"""What a page may do to the steps that restore its text: broken, vast or deep input costs no more
than its size, keeps its words, and is flagged where it is cut."""

from __future__ import annotations

from functools import partial

import pytest

from sitecrawl.api import extract
from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content
from sitecrawl.limits import LIMITS
from tests.test_bounds import steps_of

MANY = {
    "boxes in one item": "<ul class=task-list><li>{}</ul>|<input type=checkbox checked>",
    "boxes in divisions": "<div>{}</div>|<div class=todo><input type=checkbox disabled>",
    "items that are boxes": "<ul data-checked=true>{}</ul>|<li data-list=checked>a",
    "lists that are boxes": "{}|<ul class=task><li class=checked>a",
    "headings by role": "{}|<div role=heading>a",
    "lists by role": "{}|<div role=list><div role=listitem>a",
    "code by role": "{}|<div role=code>a",
    "broken code": "<p>{}|<code>a<br>",
    "lines of code": "<div>{}</div>|<div><code>a</code></div>",
    "blocks beside one list": "<div>{}<ul><li>1<li>2</ul></div>|<pre>a\nb</pre>",
    "blocks with numbers": "<pre>{}</pre>|<i>1</i> a\n",
    "raised by style": "<p>{}|<span style='vertical-align:super'>2",
    "spans of a class": "<style>.a{{display:block}}</style><p>{}|<span class=a>b",
    "rules of a sheet": "<style>{}</style><p><span class=b>x</span>|.b,a .b{display:block}",
    "pictures in links": "{}|<a href=/a.jpg><img src='data:x' data-image='[1'>",
    "pictures of formulas": "<p>{}|<img class=latex alt='x^2' src=/latex.php>",
    "formulas in attributes": "<p>{}|<span data-latex='x^2'>",
    "formulas in formulas": "<p>{}</p>|<math><mrow><mi>a</mi>",
    "addresses": "<p>{}|<a data-cfemail=5c35 href='/cdn-cgi/l/email-protection#5c35'>",
    "boxes with labels": "{}|<input type=checkbox id=a><label>Why?</label><div hidden>b</div>",
    "captions": "<p>Text of it.</p>{}|<figure><img src=/a.jpg><figcaption>a</figcaption>",
}  # fmt: skip


@pytest.mark.parametrize("name", MANY)
def test_what_occurs_often_costs_no_more_than_its_size(name: str) -> None:
    around, _, one = MANY[name].partition("|")

    def work(times: int) -> None:
        page = parse(f"<html><body>{around.format(one * times)}", "http://a.example/1")
        assert Content([page.root], meter=page.meter).markdown is not None

    work(1)  # what is cached
    few, many = (steps_of(partial(work, times)) for times in (150, 300))
    assert many < 2.6 * few


DEEP = {
    "lists": "<ul><li>a",
    "numbered lists": "<ol reversed><li value=7>a",
    "tasks": "<ul class=tasks><li><input type=checkbox checked>a",
    "quotations": "<q>a",
    "quotes": "<blockquote>a",
    "headings": "<div role=heading>a",
    "raised": "<sup>a",
    "tables": "<table><tr><td>a",
    "items by role": "<div role=list><div role=listitem>a",
}


@pytest.mark.parametrize("depth", [255, 3_000])
@pytest.mark.parametrize("name", DEEP)
def test_depth_loses_no_words(name: str, depth: int) -> None:
    page = parse(f"<html><body>{DEEP[name] * depth}<p>The end.", "http://a.example/1")
    content = Content([page.root], meter=page.meter)
    is_cut = page.truncated or page.meter.is_spent
    for text in (content.text, content.html, content.markdown):
        assert "The end." in text or is_cut
    assert content.markdown.count("a") >= min(depth, 200) or is_cut


def test_cells_over_many_columns_are_bounded_and_flagged() -> None:
    row = "<tr><td colspan=99 rowspan=99>a</td><td colspan=10000>b</td></tr>"
    page = parse(f"<html><body><table>{row * 8_000}</table>", "http://a.example/1")
    content = Content([page.root], meter=page.meter)
    assert len(content.markdown) < LIMITS.text_chars
    assert content.is_cut
    assert content.text.split()[:2] == ["a", "b"]


BROKEN = {
    "an array without an end": "x={title:'Ice',a:" + "[" * 90_000,
    "quotes without an end": "x={title:'Ice',a:\"" + "a\\" * 90_000,
    "brackets that close nothing": "x={title:'Ice'}" + "}])" * 90_000,
    "backslashes": "x={title:'Ice',a:'" + "\\u00" * 90_000 + "'}",
    "keys": "x={title:'Ice'," + "a:" * 90_000,
    "headlines": "[" + "{title:'Ice houses',b:'c d'}," * 9_000 + "]",
    "data within data": '{"title":"Ice houses","a":"' + "[" * 900 + '"}',
    "rows without an end": 'self.__next_f.push([1,"' + "1:Tffff,Ice" * 900 + '"])',
    "names": '{"title":"Ice houses","b":' + '{"__ref":"a:1","a:1":' * 700 + "1" + "}" * 701,
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_data_is_no_text(name: str) -> None:
    html = f"<title>Ice houses</title><body><h1>Ice houses</h1><script>{BROKEN[name]} Ice houses</script>"
    body = extract(html, "http://a.example/1").articleBody or ""
    assert len(body) < 300


def test_a_text_that_names_pictures_without_end_is_passed_once() -> None:
    """An expression that began anew at each name took minutes for a megabyte."""
    page = parse("<body><i >" + ".jpg " * 400_000)
    assert page.document.chunks[0].startswith(".jpg .jpg")
