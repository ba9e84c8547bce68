"""Texts that stand only in the data of a page are the body; texts that it shows are not replaced."""

from __future__ import annotations

import json
from html import escape
from urllib.parse import quote

import pytest

from sitecrawl.api import extract
from sitecrawl.items.article import Article

TEXTS = {
    "en": ("A gauge that was wrong", ["The gauge at the bridge has reported the height of the river since 2009, and it was wrong.", "It came to light when a student compared the readings with photographs of an angler.", "Engineers believe that a contractor replaced the sensor after a lightning strike."]),
    "ru": ("Датчик, который ошибался", ["Датчик у моста сообщает высоту реки с 2009 года, и шесть лет он ошибался на девятнадцать сантиметров.", "Это заметил студент, который сравнил показания с фотографиями рыболова.", "Инженеры считают, что подрядчик заменил датчик после удара молнии, и скоба погнулась."]),
    "zh": ("错了六年的水位计", ["桥边的水位计从二〇〇九年起每十五分钟报告一次河水的高度，其中六年都差了十九厘米，没有人发现，因为旱季和汛期的误差一样。", "一名学生把读数和一位钓鱼人每天早晨在同一地点拍的照片对比，事情才暴露出来，照片装在几个鞋盒里，按月份写了标签。", "工程师认为，雷击之后承包商换了传感器，却装在被冰压弯的旧支架上，检查记录上的签名属于一年前已经退休的人。"]),
}  # fmt: skip
TEASERS = (
    "<div class=k><a href='/b'>Night buses return</a><p>From the first weekend of July, anyone who misses the last "
    "train will get home without a taxi…</p></div><div class=k><a href='/c'>Stale bread</a><p>The queue outside the "
    "shop begins at ten, which is late for a bakery, and nobody…</p></div>"
)


def linked(headline: str, paragraphs: list[str]) -> str:
    found = {"@type": "NewsArticle", "headline": headline, "articleBody": "\n\n".join(paragraphs)}
    return f"<script type=application/ld+json>{json.dumps(found)}</script>"


def next_data(headline: str, paragraphs: list[str]) -> str:
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    post = {
        "id": 4,
        "title": headline,
        "slug": "a-b",
        "body": body,
        "related": [{"title": "Other", "body": "x " * 999}],
    }
    found = {"props": {"pageProps": {"post": post}}, "page": "/[slug]"}
    return f"<script id=__NEXT_DATA__ type=application/json>{json.dumps(found)}</script>"


def state(headline: str, paragraphs: list[str]) -> str:
    blocks = [{"kind": "text", "text": text} for text in paragraphs]
    found = {"story": {"headline": headline, "blocks": blocks}, "ads": ["x" * 900]}
    return f"<script>window.__INITIAL_STATE__ = {json.dumps(found)};</script>"


def script(source: str, attributes: str = "") -> str:
    return f"<script {attributes}>{source}</script>"


def as_json(found: object) -> str:
    return json.dumps(found, ensure_ascii=False)


def marked_up(paragraphs: list[str]) -> str:
    return "".join(f"<p>{text}</p>" for text in paragraphs)


def nuxt(headline: str, paragraphs: list[str]) -> str:
    body = as_json(marked_up(paragraphs)).replace("<", "\\u003C").replace("/", "\\u002F")
    return script(
        f"window.__NUXT__=(function(a,b,c){{return {{data:[{{post:{{id:4,title:b,body:{body},open:a}}}}],"
        f"state:{{}},error:c}}}}(true,{as_json(headline)},void 0));"
    )


def flat_list(headline: str, paragraphs: list[str]) -> str:
    flat = [
        ["Reactive", 1],
        {"data": 2},
        {"post": 3},
        {"title": 4, "body": 5, "tags": 6},
        headline,
        marked_up(paragraphs),
        [4],
    ]
    return script(as_json(flat), "id=__NUXT_DATA__ type=application/json")


def apollo(headline: str, paragraphs: list[str]) -> str:
    found = {f"P:{at}": {"type": "P", "text": text} for at, text in enumerate(paragraphs)}
    named = [{"__ref": name} for name in found]
    post = {"title": headline, "content": {"bodyModel": {"paragraphs": named}}}
    return script(f"window.__APOLLO_STATE__ = {as_json({'Post:4': post, **found})}")


def parsed(headline: str, paragraphs: list[str]) -> str:
    return script(
        f"window.STATE=JSON.parse({json.dumps(as_json({'now': {'title': headline, 'text': marked_up(paragraphs)}}))})"
    )


def encoded(headline: str, paragraphs: list[str]) -> str:
    return script(
        f'S=JSON.parse(decodeURIComponent("{quote(as_json({"now": {"title": headline, "text": marked_up(paragraphs)}}))}"))'
    )


def rows(headline: str, paragraphs: list[str]) -> str:
    body = marked_up(paragraphs)
    row = as_json(["$", "$L5", None, {"post": {"title": headline, "body": "$9"}}])
    source = f"9:T{len(body.encode()):x},{body}4:{row}\n"
    pushed = [source[:400], source[400:]]
    return "".join(script(f"self.__next_f.push([1,{json.dumps(part)}])") for part in pushed)


def attribute(headline: str, paragraphs: list[str]) -> str:
    found = {"props": {"post": {"title": headline, "body": marked_up(paragraphs)}}}
    return f'<div id=app data-page="{escape(as_json(found))}"></div>'


def around(headline: str, paragraphs: list[str]) -> str:
    found = {"post": {"frontmatter": {"title": headline}, "html": marked_up(paragraphs)}}
    return script(f"/*<![CDATA[*/window.pageData={as_json(found)};/*]]>*/")


def rendered(headline: str, paragraphs: list[str]) -> str:
    found = {
        "title": {"rendered": escape(headline)},
        "content": {"rendered": marked_up(paragraphs)},
    }
    return script(as_json([found, {"title": {"rendered": "Other"}}]), "type=application/json")


def spans(headline: str, paragraphs: list[str]) -> str:
    parts = [[text[:9], text[9:20], text[20:]] for text in paragraphs]
    blocks = [
        {"_type": "block", "children": [{"_type": "span", "text": one} for one in own]}
        for own in parts
    ]
    return script(as_json({"story": {"title": headline, "body": blocks}}), "type=application/json")


def entries(headline: str, paragraphs: list[str]) -> str:
    blocks: list[object] = [
        {"type": "paragraph", "data": {"text": text}} for text in paragraphs[:1] + paragraphs[-1:]
    ]
    blocks.insert(1, {"type": "list", "data": {"style": "ordered", "items": paragraphs[1:-1]}})
    return script(as_json({"headline": headline, "blocks": blocks}), "type=application/json")


def angular(headline: str, paragraphs: list[str]) -> str:
    source = as_json({"G.post": {"title": headline, "text": marked_up(paragraphs)}})
    for sign, escaped in (("&", "&a;"), ('"', "&q;"), ("<", "&l;"), (">", "&g;")):
        source = source.replace(sign, escaped)
    return script(source, "id=serverApp-state type=application/json")


def property_of_meta(headline: str, paragraphs: list[str]) -> str:
    return f'<div itemscope itemtype=https://schema.org/Article><meta itemprop=articleBody content="{chr(10).join(paragraphs)}"></div>'


def linked_lines(headline: str, paragraphs: list[str]) -> str:
    found = {"@type": "SocialMediaPosting", "headline": headline, "text": paragraphs}
    return script(as_json({"@graph": [{"@type": "WebSite"}, found]}), "type=application/ld+json")


SHAPES = {
    "JSON-LD": linked,
    "JSON-LD, lines": linked_lines,
    "JSON-LD, meta": property_of_meta,
    "Next.js": next_data,
    "Next.js, rows": rows,
    "Nuxt": nuxt,
    "Nuxt 3": flat_list,
    "Apollo": apollo,
    "JSON in a string": parsed,
    "JSON in a URL": encoded,
    "an attribute": attribute,
    "Gatsby": around,
    "WordPress": rendered,
    "spans in blocks": spans,
    "lists in blocks": entries,
    "Angular": angular,
    "another program": state,
}


def read(data: str, *, headline: str, shown: str) -> Article:
    html = (
        f"<html><head><title>{headline}</title></head><body><main><h1>{headline}</h1>{shown}</main>"
        f"{data}<footer>© 2024</footer></body></html>"
    )
    return extract(html, "http://a.example/gauge")


@pytest.mark.parametrize("shown", ["<div class=skeleton></div>", TEASERS])
@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_text_that_only_data_holds_is_the_body(shape: str, language: str, shown: str) -> None:
    headline, paragraphs = TEXTS[language]
    article = read(SHAPES[shape](headline, paragraphs), headline=headline, shown=shown)
    assert (article.articleBody or "").splitlines() == paragraphs
    origin = "json-ld" if shape.startswith("JSON-LD") else "data"
    assert article.provenance.fields["articleBody"] == origin


@pytest.mark.parametrize("shape", SHAPES)
def test_a_text_that_is_shown_is_not_replaced(shape: str) -> None:
    headline, paragraphs = TEXTS["en"]
    own = ["The harbour town took its ice house apart, beam by beam, and laid the pieces out."] * 9
    shown = "".join(f"<p>{text}</p>" for text in own)
    longer = read(SHAPES[shape](headline, paragraphs), headline=headline, shown=shown)
    assert (longer.articleBody or "").splitlines() == own
    same = (
        f"<p>{paragraphs[0]}</p><p>{paragraphs[1]} Read on behind the wall, it costs a little.</p>"
    )
    cut = read(SHAPES[shape](headline, paragraphs), headline=headline, shown=same)
    assert "Engineers" not in (cut.articleBody or "")


BAD = {
    "no JSON": "<script>window.x = {broken" + "a" * 600 + "</script>",
    "deep": "<script>" + "[" * 100_000 + "</script>",
    "other articles": f"<script>{json.dumps({'list': [{'title': 'Other', 'body': 'word ' * 200}]})}</script>",
    "a number": "<script type=application/ld+json>{\"@type\": \"Article\", \"articleBody\": 5}</script>",
    "no end": f"<script>x={{title:'A gauge that was wrong',a:[{{{'[' * 50_000}</script>",
    "a row that is too long": "<script>self.__next_f.push([1,\"1:Tffffff,A gauge that was wrong\"])" + "a" * 600 + "</script>",
    "itself": f"<script>{json.dumps([{'title': 1, 'all': 0}, 'A gauge that was wrong', [0], 'b' * 600])}</script>",
    "a loop": f"<script>{json.dumps({'a:1': {'title': 'A gauge that was wrong', 'next': {'__ref': 'a:1'}, 'x': 'b' * 600}})}</script>",
    "half a sign": f"<script>x={{title:'A gauge that was wrong',y:'{'ab' * 300}\\ud83d'}}</script>",
    "codes": f"<script>{json.dumps({'title': 'A gauge that was wrong', 'css': 'abc' * 300})}</script>",
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_data_without_the_text_says_nothing(name: str) -> None:
    assert not read(BAD[name], headline="A gauge that was wrong", shown="").articleBody
