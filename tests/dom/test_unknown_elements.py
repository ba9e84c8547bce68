"""Elements that HTML does not know are inline unless they hold blocks, in every room that asks."""

from __future__ import annotations

import pytest
from lxml import etree

from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content
from sitecrawl.dom.tree import flatten, is_inline, line_below

EXAMPLES = {
    "a value in a sentence": (
        "<p>A value of <emu-val>null</emu-val>, or <x-term><b>none</b></x-term>, is no value.</p>",
        ["A value of null, or none, is no value."],
    ),
    "names that an office program marked": (
        "<p>Von <st1:City><st1:place>Bern</st1:place></st1:City>, dann weiter.<o:p></o:p></p>",
        ["Von Bern, dann weiter."],
    ),
    "readings of Japanese words": (
        "<p>港の<ruby><rb>氷室</rb><rp>（</rp><rt>ひむろ</rt><rp>）</rp></ruby>は、冬のあいだ。</p>",
        ["港の氷室は、冬のあいだ。"],
    ),
    "readings in a container of their own": (
        "<p>北<ruby><rb>京</rb><rtc><rt>jīng</rt></rtc></ruby>很大。</p>",
        ["北京很大。"],
    ),
    "an old element": (
        "<p>Согласно <nobr>статье 14</nobr> закона, <blink>сразу</blink>.</p>",
        ["Согласно статье 14 закона, сразу."],
    ),
    "right to left": (
        "<p>قال <x-name>الوزير</x-name>، ثم <x-name>عاد</x-name>.</p>",
        ["قال الوزير، ثم عاد."],
    ),
    "a component that holds paragraphs": (
        "<app-root>Lead<app-text><p>One.</p><p>Two.</p></app-text>Foot</app-root>after",
        ["Lead", "One.", "Two.", "Foot", "after"],
    ),
    "a component whose blocks are in components": (
        "one<x-a><x-b><x-c><div>two</div></x-c></x-b></x-a>three",
        ["one", "two", "three"],
    ),
    "a component in a list": (
        "<ul><li><x-item>one <x-mark>two</x-mark></x-item></li><li><x-item>three</x-item></li></ul>",
        ["one two", "three"],
    ),
    "what a component does not show": (
        "<p>one <x-tip>two<template><div>three</div></template><svg><path></path></svg></x-tip> four</p>",
        ["one two four"],
    ),
    "one that is inline here and a block there": (
        "<p>a <x-note>b</x-note> c</p>d<x-note><p>e</p></x-note>f",
        ["a b c", "d", "e", "f"],
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_rendering_has_the_lines_of_a_browser(name: str) -> None:
    html, lines = EXAMPLES[name]
    page = parse(f"<html><body>{html}</body></html>")
    content = Content([page.root])
    assert content.text.splitlines() == lines
    markdown = content.markdown.replace("- ", "").replace("**", "")
    assert list(filter(None, markdown.splitlines())) == lines
    assert page.document.blocks.texts == lines
    again = parse(f"<html><body>{content.html}</body></html>")
    assert Content([again.root]).text.split() == " ".join(lines).split()


def test_a_column_and_one_element_say_the_same() -> None:
    for html, _ in EXAMPLES.values():
        flat = flatten(etree.HTML(f"<body>{html.replace('template', 'script')}"))
        assert flat.inline == list(map(is_inline, flat.nodes))


def test_a_heading_is_one_line() -> None:
    heading = etree.XML("<h1>Über <x-mark>Bern</x-mark>, <x-mark>Basel</x-mark></h1>")
    assert line_below(heading) == "Über Bern, Basel"
