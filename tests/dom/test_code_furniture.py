"""Line numbers and buttons are no part of code, whatever their elements are called."""

from __future__ import annotations

import pytest

from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content

CODE = "```\nload(1)\n  keep(2)\n```"
PLAIN = "<pre>load(1)\n  keep(2)</pre>"


def numbered(number: str, *, line: str = "<span>{} {}</span>\n") -> str:
    rows = [
        line.format(number.format(at), text) for at, text in enumerate(("load(1)", "  keep(2)"), 1)
    ]
    return (
        "".join(rows).replace("</i> ", "</i>").replace("</a> ", "</a>").replace("</td> ", "</td>")
    )


EXAMPLES = {
    "inline styles": "<pre>" + numbered("<i style='user-select:none;color:#777'> {}</i>") + "</pre>",
    "names that mean nothing": "<pre><code>" + numbered("<i class=x7q>{}</i>") + "</code></pre>",
    "links": "<pre>" + numbered("<a href='#L{0}' id=L{0}>{0}</a>") + "</pre>",
    "data attributes": "<pre>" + numbered("<i data-n={0} class=zz>{0}:</i>", line="<div>{} {}</div>") + "</pre>",
    "a table of lines": "<table class=hl><tr><td data-line-number=1></td><td><span>load</span>(1)</td></tr><tr><td data-line-number=2></td><td>  keep(2)</td></tr></table>",
    "numbers in cells": "<table>" + numbered("<td style='user-select: none'>{}</td>", line="<tr>{} <td>{}</td></tr>") + "</table>",
    "a block a row": "<table><tr><td>7</td><td><pre>load(1)</pre></td></tr><tr><td>8</td><td><pre>  keep(2)</pre></td></tr></table>",
    "a table around": f"<table><tr><td><pre>1\n2</pre></td><td>{PLAIN}</td></tr></table>",
    "a later part": "<pre>" + numbered("<i class=n>4{}</i>", line="{} {}\n") + "</pre>",
    "a gap behind each number": "<pre>" + numbered("<b class=n>0{}</b>&#9;") .replace("&#9; ", "&#9;")+ "</pre>",
    "a column before": f"<div class=k><pre aria-hidden=true>1\n2</pre>{PLAIN}</div>",
    "a list of numbers": f"<div class=k><ol class=nums><li>7</li><li>8</li></ol>{PLAIN}</div>",
    "a column behind": f"<div class=k><div>{PLAIN}</div><div class=z><span>1</span><br><span>2</span></div></div>",
    "lines that are code": "<pre><code><span>load(1)</span></code><code>  keep(2)</code></pre>",
    "lines that are paragraphs": "<pre><p>load(1)</p>\n<p>  keep(2)</p></pre>",
    "a division of code": "<div role=code class=view><div>load(1)</div><div><span>  keep</span>(2)</div></div>",
    "code in lines": "<p><code>load(1)<br>  keep(2)</code></p>",
    "rows of code": "<table><tr><td><div class=a1>1</div><div class=a2>2</div></td><td><div class=k><div><code>load</code><code>(1)</code></div><div><code>&nbsp;&nbsp;</code><code>keep(2)</code></div></div></td></tr></table>",
    "a link that copies": f"<div>{PLAIN}<a class=cp href='javascript:void(0)'>Αντιγραφή</a></div>",
    "a button above": f"<div><div class=wrap><button aria-label='Copy'>Copy to Clipboard</button><div class=ok>Copied!</div></div>{PLAIN}</div>",
    "a German button": f"<div class=x1><div class=x2><button>Kopieren</button><span class=x3>Kopiert!</span></div>{PLAIN}</div>",
    "a Chinese button": f"<figure>{PLAIN}<div><span role=button>复制</span><span>已复制</span></div></figure>",
    "a button beside its answer": f"<div><button>Kopieren</button><span class=ok>Kopiert!</span>{PLAIN}</div>",
    "a script that copies": f"<div><div class=bar><em onclick='copycode(this)'>复制代码</em></div>{PLAIN}</div>",
    "a Russian button": f"<div>{PLAIN}<span class='btn-clipboard'>Скопировать код</span></div>",
    "a button in the code": "<pre><button>コピー</button>load(1)\n  keep(2)</pre>",
    "a custom element": f"<div>{PLAIN}<clipboard-copy>Copy</clipboard-copy></div>",
    "a confirmation": f"<div class=code>{PLAIN}<div class=codeCopied>Done!</div></div>",
}  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_only_the_code_is_kept(name: str) -> None:
    content = Content([parse(f"<p>Before.</p>{EXAMPLES[name]}<p>Behind.</p>").root])
    markdown = content.markdown.replace("| ", "").replace(" |", "").replace("\xa0", " ")
    assert markdown == f"Before.\n\n{CODE}\n\nBehind."
    assert content.text.replace("\xa0", " ") == "Before.\nload(1)\n  keep(2)\nBehind."


KEPT = {
    "a table": ("<table><tr><td>1</td><td><code>ls</code></td></tr><tr><td>2</td><td><code>cd</code></td></tr></table>", "1 ls\n2 cd"),
    "blocks beside blocks": ("<table><tr><td><pre>a</pre></td><td><pre>b</pre></td></tr><tr><td>c</td><td><pre>d</pre></td></tr></table>", "a\nb\nc\nd"),
    "results": ("<pre><b>1</b>\n<b>2</b>\n<b>3</b></pre>", "1\n2\n3"),
    "lines of results": ("<pre><b>1\n</b><b>2\n</b><b>3\n</b></pre>", "1\n2\n3"),
    "numbers beside code": ("<ul><li>3</li><li>5</li></ul><pre>a\nb</pre>", "3\n5\na\nb"),
    "more numbers than lines": ("<div><p>x</p><pre>1\n2\n3</pre><pre>a</pre></div>", "x\n1\n2\n3\na"),
    "prose that was not closed": ("<pre><p>One.</p><h2>Two</h2><p>Three.</p></pre>", "One.\nTwo\nThree."),
    "a word of code": ("<p>Type <code>ls</code> or <code>cd</code>.</p>", "Type ls or cd."),
    "numbers of a program": ("<pre>x = [<i>1</i>, <i>2</i>, <i>3</i>]</pre>", "x = [1, 2, 3]"),
    "labels that do not count": ("<pre><b>10</b> LET\n<b>20</b> GOTO</pre>", "10 LET\n20 GOTO"),
    "the name of a file": ("<div><div>app.py</div><pre>x</pre></div>", "app.py\nx"),
    "a name beside a button": ("<div><div><b>app.py</b><button>Copy</button></div><pre>x</pre></div>", "app.py\nx"),
    "a sentence about copies": ("<div><p class=copy>Copy the file, then type what stands below here:</p><pre>x</pre></div>", "Copy the file, then type what stands below here:\nx"),
    "a button of the page": (f"<div><p>{'Text of the page. ' * 9}</p><span role=button>Mehr</span><pre>x</pre></div>", "Text of the page. " * 9 + "\nMehr\nx"),
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_what_only_looks_like_it_stays(name: str) -> None:
    html, text = KEPT[name]
    assert Content([parse(html).root]).text == text.replace(" \n", "\n")


def test_many_blocks_cost_no_more_than_their_size() -> None:
    page = parse(
        "<div>" + "<pre><i>1</i> a\n<i>2</i> b</pre><button>Copy</button>" * 5_000 + "</div>"
    )
    assert not page.meter.is_spent
