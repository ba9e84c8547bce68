"""What scripts and highlighters made of code, formulas and pictures is undone, in text, clean HTML
and Markdown."""

from __future__ import annotations

import pytest

from sitecrawl.api import extract
from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content

ROWS = "<tr><td class=gutter><pre>1\n2\n</pre></td><td class=code><pre>a = 1{end}  b = 2{end}</pre></td></tr>"
CODE = {
    "br": ("<pre><code>a = 1<br>  b = 2</code></pre>", ""),
    "br and line ends": ("<pre>a = 1<br/>\n</pre>", None),
    "Hexo": (f"<figure class='highlight python'><table>{ROWS.format(end='<br>')}</table></figure>", "python"),
    "Rouge": (f"<div class='language-ruby highlighter-rouge'><pre><code><table>{ROWS}</table></code></pre></div>", "ruby"),
    "Chroma": (
        "<div class=chroma><table><tr><td class=lntd><pre><code><span class=lnt>1\n</span><span class=lnt>2\n</span></code></pre></td>"
        "<td class=lntd><pre><code class='language-go' data-lang=go>a = 1\n  b = 2</code></pre></td></tr></table></div>", "go",
    ),
    "nameless numbers": ("<table><tr><td><pre>1\n2</pre></td><td><pre lang=php>a = 1\n  b = 2</pre></td></tr></table>", "php"),
    "Pygments": ("<pre class='sourceCode bash'><span class=lineno>1 </span>a = 1\n<span class=lineno>2 </span>  b = 2</pre>", "bash"),
    "Prettify": ("<pre class='prettyprint lang-js'><ol class=linenums><li>a = 1</li>\n<li>  b = 2</li></ol></pre>", "js"),
    "highlight.js": (
        "<pre><code class='hljs java'><table class=hljs-ln><tr><td class=hljs-ln-numbers>1</td><td>a = 1</td></tr>"
        "<tr><td class=hljs-ln-numbers>2</td><td>  b = 2</td></tr></table></code></pre>", "java",
    ),
    "divisions": ("<pre data-language=ts><div>a = 1</div><div>  b = 2</div></pre>", "ts"),
    "Prism": ("<pre class='line-numbers language-css'><code>a = 1\n  b = 2<span class=line-numbers-rows><span></span></span></code></pre>", "css"),
    "SyntaxHighlighter": ("<pre class='brush: xml; gutter: true'>a = 1\n  b = 2</pre>", "xml"),
    "GitHub": ("<div class='highlight highlight-source-shell'><pre>a = 1\n  b = 2</pre></div>", "shell"),
    "Sphinx": ("<div class='highlight-python3 notranslate'><div class=highlight><pre>a = 1\n  b = 2</pre></div></div>", "python3"),
    "no language": ("<pre><code class='language-plaintext hljs'>a = 1\n  b = 2</code></pre>", ""),
}  # fmt: skip


def content(html: str) -> Content:
    page = parse(html, "http://example.com/a/page.html")
    return Content([page.root], base_url=page.base_url)


@pytest.mark.parametrize(
    "name", [name for name, (_, language) in CODE.items() if language is not None]
)
def test_code_keeps_its_lines_and_language_and_loses_its_line_numbers(name: str) -> None:
    html, language = CODE[name]
    found = content(html.format(end="\n"))
    assert found.text == "a = 1\n  b = 2"
    assert found.markdown == f"```{language}\na = 1\n  b = 2\n```"
    assert (
        f'<pre class="language-{language}">' in found.html
        if language
        else "class" not in found.html
    )
    assert content(found.html).markdown == found.markdown


@pytest.mark.parametrize(
    "html",
    ["<pre>1\n2</pre>", "<table><tr><td>1<td>2<tr><td>3<td>4</table>", "<p class=ln>1 2</p>"],
)
def test_numbers_that_are_no_line_numbers_stay(html: str) -> None:
    assert content(html).text.split()[:2] == ["1", "2"]


def test_a_pre_that_was_not_closed_keeps_the_page_below_it() -> None:
    assert content("<pre>a<h2>b</h2><table><tr><td>c<td>d</table>").text.split() == [
        "a",
        "b",
        "c",
        "d",
    ]


def test_words_that_a_highlighter_coloured_are_text() -> None:
    coloured = "<pre><span class=k>if</span> <a href=/x><span>a</span></a>: <span class=hljs-comment># why</span></pre>"
    assert parse(coloured).document.tags[2:] == ["pre", "a"]
    assert content(coloured).text == "if a: # why"
    assert parse("<pre>a<span style='display: none'>Copy</span></pre>").document.tags[2:] == [
        "pre",
        "span",
    ]


PICTURES = {
    "srcset": "<img srcset='/s.jpg 300w, /x,y.jpg 1200w, /m.jpg 600w'>",
    "one of a set": "<img src='' srcset='/x,y.jpg'>",
    "picture": "<picture><source srcset='/s.jpg 1x, /x,y.jpg 2x'><img src='data:image/gif;base64,R0'></picture>",
    "data-src": "<img src='data:image/gif;base64,R0' data-src='/x,y.jpg'>",
    "data-original": "<img src='/blank.gif' data-original=/x,y.jpg>",
    "data-lazyload": "<img src='/loading.gif' data-lazyload=/x,y.jpg>",
    "Discuz": "<img src='static/image/common/none.gif' file='/x,y.jpg'>",
    "data-srcset": "<img data-srcset='/x,y.jpg 1x' src=data:x>",
    "noscript behind it": "<img src='data:image/svg+xml,x'><noscript><img src=/x,y.jpg></noscript>",
    "noscript alone": "<div class=lazy><noscript><img src=/x,y.jpg></noscript></div>",
    "noscript as well": "<img data-src=/x,y.jpg><noscript><img src=/x,y.jpg></noscript>",
    "noscript behind a stand-in": "<img src=/1x1.png><noscript><img src=/x,y.jpg></noscript>",
    "noscript behind a drawing": "<img src=/wait.svg><noscript><img src=/x,y.jpg></noscript>",
    "a background": "<div class=lazy data-bg='/x,y.jpg'></div>",
    "AMP": "<amp-img src=/x,y.jpg width=600></amp-img>",
    "a name of its own": "<img class=lazy src='/img/px.gif' data-srv='/x,y.jpg'>",
    "another name": "<img data-img-src='/x,y.jpg'>",
    "the better of two": "<img src='data:image/svg+xml,x' data-low-res-src=/s.jpg data-hi-res-src='/x,y.jpg'>",
    "a set of its own": "<img src=/0.gif data-ll-srcset='/s.jpg 300w, /x,y.jpg 900w'>",
    "a drawing in its place": "<img src=/wait.svg onload=f() data-full='/x,y.jpg'>",
    "no picture of HTML": "<div class=bild data-src='/x,y.jpg'></div>",
    "a component": "<news-image src='/x,y.jpg'></news-image>",
    "a style": "<div role=img style=\"background-image: url('/x,y.jpg')\"></div>",
    "a name in quotes": "<img v-lazy=\"'/x,y.jpg'\">",
    "a tiny one": "<img src='/s.jpg?w=20&amp;blur=50' data-full-src='/x,y.jpg'>",
}
WITHIN = {
    "a link to it": ("<a href='/a.jpg'><img src='data:image/gif;base64,R0'></a>", "/a.jpg"),
    "JSON": ("<img src=/blank.png data-image='{&quot;w&quot;:9,&quot;src&quot;:&quot;\\/a.jpg?x=1&quot;}'>", "/a.jpg?x=1"),
    "a list by size": ("<img data-interchange='[/s.jpg, small], [/a.jpg, large]'>", "/a.jpg"),
    "a width": ("<img src='data:image/gif;base64,R0' data-src='/a_{width}x.jpg'>", "/a_1200x.jpg"),
    "a small one alone": ("<img src='/a.jpg?w=20'>", "/a.jpg?w=20"),
    "a link to a page": ("<a href=/b><img src='/a.jpg?w=90'></a>", "/a.jpg?w=90"),
    "a drawing as a background": ("<div style='background: url(/b.jpg)'></div><img src=/a.jpg>", "/a.jpg"),
}  # fmt: skip


@pytest.mark.parametrize("name", WITHIN)
def test_a_picture_has_the_url_within_a_value(name: str) -> None:
    html, url = WITHIN[name]
    assert f'<img src="http://example.com{url}"' in content(html).html


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_has_its_url(name: str) -> None:
    found = content(PICTURES[name])
    assert (
        found.html.count("<img") == found.html.count('<img src="http://example.com/x,y.jpg"') == 1
    )
    assert found.markdown == "![](http://example.com/x,y.jpg)"


@pytest.mark.parametrize(
    "image",
    ["<img src=''>", "<img src='#'>", "<img src='?'>", "<img>", "<img src=page.html>", "<noscript><img src=//t.example/p width=1></noscript>"],
)  # fmt: skip
def test_no_picture_is_the_page_itself_or_a_counter(image: str) -> None:
    assert "src" not in content(image).html
    assert content(image).markdown == ""


@pytest.mark.parametrize(
    "image",
    ["<img src=/a.jpg data-hover-src=/b.jpg>", "<img src=/a.jpg data-thumb=/b.jpg>", "<img src=/a.jpg data-id=b.jpg>", "<img src=/a.jpg data-large-file=/b.jpg>", "<img src=/a.jpg data-src-error=/b.jpg>"],
)  # fmt: skip
def test_a_picture_that_is_shown_is_not_replaced_by_another(image: str) -> None:
    assert content(image).markdown == "![](http://example.com/a.jpg)"


def test_one_picture_in_the_place_of_many_is_none() -> None:
    html = "".join(f"<img src=/wait.png data-k='/{name}.jpg'>" for name in "ab")
    assert content(html).markdown.split() == [
        "![](http://example.com/a.jpg)![](http://example.com/b.jpg)"
    ]


def test_players_that_wait_are_links() -> None:
    html = "<iframe src=about:blank data-src=https://video.example/e/1></iframe><audio src=a.mp3></audio><iframe></iframe>"
    assert content(html).html.count("<a href=") == 2


@pytest.mark.parametrize(
    "line",
    [
        "<div>1 <span>a</span> b</div>",
        "code<br>",
        "code <span class=lineno>1</span>",
        "\x1b[31m \x00 \ufffe<br>",
    ],
)
def test_code_without_elements_is_one_text(line: str) -> None:
    """To read a text of many parts takes time in the square of their number."""
    assert len(parse(f"<pre>{line * 3}</pre>").root.xpath("//pre/text()")) == 1


HOLES = {
    "frame": "<iframe data-src='http://a.example/{0}'></iframe>",
    "picture": "<img data-src='http://a.example/{0}.jpg'><noscript><img src='http://a.example/{0}'></noscript>",
    "stand-in": "<img src='data:{0}'><img><span style='color:red'><img src='/a{0}.jpg'></span>",
    "code": "<pre class='language-{0}'>{0}<span>{0}</span><div>{0}</div>{0}<br>{0}</pre>",
    "formula": "<script type='math/tex'>{0}</script><annotation encoding='application/x-tex'>{0}</annotation>",
    "written formula": "<script src='/mathjax.js'></script><p>{0} \\(x{0}\\)</p>{0}",
    "element": "<x{0}y class=a><h2>Bridge</h2><p>By Ann</p></x{0}y><x{0}y class=a><p>b</p></x{0}y>",
    "class": "<p>The council <span class='a{0} sr-only'>met</span> on <b style='display:none;{0}'>x</b> Monday.</p>",
    "comments": "<ol class='comment-l{0}ist'>"
    + "<li class='comment {0}'><b>Ann</b> on 5 July 2019: <p>I agree with all of this, and with more.</p>"
    * 6
    + "</ol>",
    "link": "<meta charset=gbk><a href='/{0}?q=\u4e2d{0}#{0}'>{0}</a>",
    "paragraphs": "{0}<p>{0}<p>a</p>{0}</p>{0}<body class='{0}'><html lang='{0}'>",
}


@pytest.mark.parametrize("sign", ["\x01", "&#1;", "&#x0C;", "\f", "\x1b", "\ufffe", "&#xFFFF;"])
@pytest.mark.parametrize("name", HOLES)
def test_no_page_breaks_by_a_character_that_xml_refuses(name: str, sign: str) -> None:
    html = (
        HOLES[name].format(sign)
        + "<p>The council met, and after two hours it had agreed on the bridge.</p>" * 8
    )
    assert "bridge" in extract(html, "http://a.example/").to_dict()["articleBody"]


TEX = r'<annotation encoding="application/x-tex">x_1^2</annotation>'
FORMULAS = {
    "annotation": f"<math><semantics><mi>y</mi>{TEX}</semantics></math>",
    "alttext": "<math alttext='x_1^2'><mi>y</mi></math>",
    "KaTeX": f"<span class=katex><span class=katex-mathml><math>{TEX}</math></span><span class=katex-html>x12</span></span>",
    "MathJax 3": f"<mjx-container class=MathJax><mjx-math>x</mjx-math><math>{TEX}</math></mjx-container>",
    "Wikipedia": f"<span class=mwe-math-element><span style='display:none'><math>{TEX}</math></span><img src=x.svg alt=x></span>",
    "MathJax 2": "<span class=MathJax_Preview>x12</span><span class=MathJax><i>x</i>12</span><script type=math/tex>% <![CDATA[\nx_1^2 %]]></script>",
    "MathJax 2 with MathML": "<span class=MathJax_SVG><math><mi>x</mi></math></span><script type='math/tex'> x_1^2 </script>",
    "written for MathJax": "\\( x_1^2 \\)<script src=/js/MathJax.js></script>",
    "written for KaTeX": "\\(x_1^2\\)<script src=//cdn.example/katex/contrib/auto-render.min.js></script>",
    "dollars": "$x_1^2$",
}  # fmt: skip


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_are_latex(name: str) -> None:
    found = content(f"<p>So {FORMULAS[name]} holds, for $5 or 6$.")
    assert found.text == "So $x_1^2$ holds, for $5 or 6$."
    assert found.markdown == found.text == content(found.html).markdown


def test_formulas_in_lines_of_their_own_are_displayed_and_code_is_no_formula() -> None:
    script = "<script src=mathjax.js></script>"
    found = content(
        f"<p>\\[ a^2 \\]</p><script type='math/tex; mode=display'>b^2</script><p><code>\\(c\\)</code>\\(d\\)</p>{script}"
    )
    assert found.text.split() == ["$$a^2$$", "$$b^2$$", "\\(c\\)$d$"]
    assert "\\(c\\)" in content("<p>\\(c\\)").text


def test_blanks_of_a_formula_take_linear_time() -> None:
    """They took minutes: the expression of CDATA marks read all blanks behind each blank."""
    assert (
        "$x_1^2$"
        in content(
            f"<p>So</p><script type=math/tex>{' ' * 300_000}x_1^2{' ' * 300_000}%]]></script>"
        ).text
    )


@pytest.mark.costs(2)
def test_words_of_code_take_linear_time() -> None:
    code = content(
        f"<p>So</p><pre><code>{'<span class=k>return</span> some(value)' * 90_000}</code></pre>"
    ).text
    assert code.count("return some(value)") == 90_000


def test_formulas_cannot_hold_live_markup() -> None:
    markdown = content(
        "<p>$x_1 &lt;img src=x onerror=alert(1)&gt; [a](javascript:alert(1)) &amp;lt;b$"
    ).markdown
    assert "<img" not in markdown
    assert "](" not in markdown
    assert "&lt;" not in markdown


@pytest.mark.parametrize(
    "tag",
    ["pre", "span class=katex", "pre><li", "td class=gutter", "math><mfrac", "noscript><picture"],
)
@pytest.mark.costs(4)
def test_work_is_bounded(tag: str) -> None:
    script = "<script src=katex.js></script>"
    page = parse(
        f"{script}<table><pre>katex{f'<{tag}>' * 1_500}"
        + "<span class=ln>1</span>\\(" * 20_000
        + "</pre>"
        + "\\[" * 20_000
    )
    assert page.truncated or page.root.xpath("string()").count("\\[") == 20_000


PROSE = "<p>The old harbour bridge was opened again on {day}, after two years of repairs that cost the city more than expected.</p>"
PAGE = (
    "<title>Bridge opens again</title><header><a href=/>Home</a></header><article><h1>Bridge opens again</h1><div class=content>"
    + "".join(PROSE.format(day=day) for day in ("Monday", "Tuesday"))
    + "{part}"
    + "".join(PROSE.format(day=day) for day in ("Friday", "Sunday"))
    + "</div></article><footer><img src=/logo.png>Copyright City News</footer>"
)


@pytest.mark.parametrize(
    "part",
    [
        "<figure class=image><a href=/big.jpg><img src=/b.jpg></a><figcaption>City archive: the bridge in 1931</figcaption></figure>",
        "<div class='wp-caption alignleft'><img src=/b.jpg><p class=wp-caption-text>City archive: the bridge in 1931</p></div>",
        "<div class=thumb><div class=thumbinner><img src=/b.jpg><div class=thumbcaption>City archive: the bridge in 1931</div></div></div>",
    ],
)
def test_a_short_caption_and_its_picture_stay(part: str) -> None:
    article = extract(html=PAGE.replace("{part}", part), url="http://example.com/a/page.html")
    assert "City archive: the bridge in 1931" in (article.articleBody or "")
    assert "http://example.com/b.jpg" in (article.articleBodyHtml or "")
    assert [image["url"] for image in article.images] == ["http://example.com/b.jpg"]


@pytest.mark.parametrize(
    "image",
    [
        "<img src=/a.png width=16>",
        "<img class=avatar src=/a.jpg>",
        "<img src=/icons/a.png>",
        "<img src='#'>",
    ],
)
def test_icons_are_no_images_of_the_body(image: str) -> None:
    article = extract(
        html=PAGE.replace("{part}", f"<p>{image} Some words stand here as well.</p>"),
        url="http://example.com/a/page.html",
    )
    assert article.images == []


NAMES = "twitter-tweet instagram-media tiktok-embed reddit-card bluesky-embed mastodon-embed fb-xfbml-parse-ignore text-post-media".split()


@pytest.mark.parametrize("name", NAMES)
def test_a_post_embedded_in_an_article_stays_in_the_body(name: str) -> None:
    post = f"<blockquote class={name}><p>Walked over it.</p>— Ann (<a href=https://n.example/@ann>@ann</a>) <a href=https://n.example/1>March 5</a></blockquote>"
    article = extract(html=PAGE.replace("{part}", post), url="http://example.com/a/page.html")
    assert "Walked over it." in (article.articleBody or "")
    assert "https://n.example/1" in (article.articleBodyHtml or "")
    assert article.comments == []


def test_footnotes_stay_in_the_body() -> None:
    notes = "<p>So it is.<sup><a href=#n1>1</a></sup></p>"
    html = PAGE.replace("{part}", notes).replace(
        "</div></article>",
        "<section class=footnotes><ol><li id=n1>Built in 1907.</ol></section></div></article>",
    )
    assert "Built in 1907." in (
        extract(html=html, url="http://example.com/a/page.html").articleBody or ""
    )
