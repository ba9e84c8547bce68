"""Inline elements that a style sheet shows as lines are lines of the text."""

from __future__ import annotations

import re

import pytest

from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content


def spans(*lines: str, name: str = "v") -> str:
    return "".join(f"<span class={name}>{line}</span>" for line in lines)


EXAMPLES = {
    "a poem": (
        spans("The gulls have gone to bed,", "the nets are dry,", "and nothing falls."),
        ["The gulls have gone to bed,", "the nets are dry,", "and nothing falls."],
    ),
    "a poem without punctuation": (
        spans("der mond ist fort", "das meer liegt still", "wir gehen heim"),
        ["der mond ist fort", "das meer liegt still", "wir gehen heim"],
    ),
    "two lines": (
        spans("Чайки спят на крыше,", "сети на стене."),
        ["Чайки спят на крыше,", "сети на стене."],
    ),
    "a Chinese poem": (
        spans("港口的冬夜很静，", "渔网挂在墙上。", "冰屋滴着水，", "没有人说话。"),
        ["港口的冬夜很静，", "渔网挂在墙上。", "冰屋滴着水，", "没有人说话。"],
    ),
    "slanted lines": (
        "<em>gone to bed at last</em><em>the nets are dry</em><em>nothing falls now</em>",
        ["gone to bed at last", "the nets are dry", "nothing falls now"],
    ),
    "an address": (
        spans("Quay Choir Society", "4 Cooper Street", "Port Sarrow East"),
        ["Quay Choir Society", "4 Cooper Street", "Port Sarrow East"],
    ),
    "marked up lines": (
        spans("<i>The gulls have gone,</i>", "the <b>nets</b> are dry."),
        ["The gulls have gone,", "the nets are dry."],
    ),
    "a style of its own": (
        "Über<span style='color:red; display: block'>den Dächern</span>liegt Schnee",
        ["Über", "den Dächern", "liegt Schnee"],
    ),
    "links of a style": (
        "<a href=/a style='display:block'>رصيف ٤</a><a href=/b style='display:block'>ميناء</a>",
        ["[رصيف ٤](/a)", "[ميناء](/b)"],
    ),
    "a class of Tailwind": (
        "<span class='block text-lg'>밤이 왔다</span><span class='block'>그물은 벽에</span>",
        ["밤이 왔다", "그물은 벽에"],
    ),
    "a class of the page": (
        "<style>a{} p b.ln, .zz{color:red;display:block}</style><b class=ln>Ночь</b><b class=ln>пришла</b>",
        ["Ночь", "пришла"],
    ),
    "a class around it": (
        "<style>.menu .ln{display:block}</style><span class=ln>Ice</span><span class=ln>house</span>",
        ["Icehouse"],
    ),
    "a Japanese poem": (spans("港の夜は静か", "網は壁にあり", "誰も話さない"), ["港の夜は静か", "網は壁にあり", "誰も話さない"]),
    "a Hindi poem": (spans("रात पानी पर है", "जाल दीवार पर", "कुछ नहीं गिरता"), ["रात पानी पर है", "जाल दीवार पर", "कुछ नहीं गिरता"]),
    "parts of Chinese sentences": (
        spans("他说港口的冰屋，", "已经没有了", "然后离开了码头和城市"),
        ["他说港口的冰屋，已经没有了然后离开了码头和城市"],
    ),
    "components": (
        "<x-title>The ice house</x-title><x-text>It stands again.</x-text>",
        ["The ice house", "It stands again."],
    ),
    "words in colours": ("<span>Ice</span><span>house</span>", ["Icehouse"]),
    "letters": (spans("H", "e", "l", "l", "o"), ["Hello"]),
    "Chinese words": (spans("这是", "一个", "港口", "。"), ["这是一个港口。"]),
    "parts of a sentence": (
        spans("He said that ", "the ice", " was gone", ", and left"),
        ["He said that the ice was gone, and left"],
    ),
    "a word that an editor cut": (spans("it is an impor", "tant thing"), ["it is an important thing"]),
    "two kinds": (
        "<span class=a>The ice is</span><span class=b>Gone now</span>",
        ["The ice isGone now"],
    ),
    "not shown as a block": (
        "a <span style='display:inline-block'>b</span> c",
        ["a b c"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_lines_of_a_style_sheet_are_lines(name: str) -> None:
    html, lines = EXAMPLES[name]
    page = parse(f"<html><body><div>{html}</div></body></html>")
    content = Content([page.root])
    plain = [re.sub(r"\[(.*)\]\(.*\)", r"\1", line) for line in lines]
    assert content.text.splitlines() == plain
    assert content.markdown.replace("*", "").replace("  \n", "\n").splitlines() == lines
    assert Content([parse(content.html).root]).text.splitlines() == plain


def test_headings_links_and_code_keep_their_parts() -> None:
    parts = spans("Gone to bed,", "the nets are dry,", "nothing falls.")
    for tag in ("h2", "a", "pre", "code"):
        assert "<br" not in Content([parse(f"<p>x</p><{tag}>{parts}</{tag}>").root]).html
