"""Elements that are headings, lists or raised text by role or style are these in every format."""

from __future__ import annotations

import pytest

from sitecrawl.dom.parse import parse
from sitecrawl.dom.render import Content

MEANT = {
    "a heading": ("<div role=heading aria-level=3>为什么冰走了</div><p>水高。</p>", "### 为什么冰走了\n\n水高。"),
    "a heading in a span": ("<div><span role='heading' aria-level='4'>Почему</span></div><p>Вода.</p>", "#### Почему\n\nВода."),
    "a heading without a level": ("<p role=\"heading\">لماذا</p><p>ماء.</p>", "## لماذا\n\nماء."),
    "a level that there is not": ("<div role=heading aria-level=12>Γιατί</div>", "## Γιατί"),
    "a heading around a block": ("<div role=heading><p>One.</p><p>Two.</p></div>", "One.\n\nTwo."),
    "a list": ("<div role=list><div role=listitem>둘</div><div role=listitem>셋</div></div>", "- 둘\n- 셋"),
    "a list of other things": ("<div role=list><p>One.</p><div role=listitem>Two.</div></div>", "One.\n\nTwo."),
    "raised": ("<p>10<span style='font-size:70%;vertical-align:super'>9</span> м</p>", "10<sup>9</sup> м"),
    "lowered": ("<p>x<span style='vertical-align: sub'>12</span></p>", "x<sub>12</sub>"),
    "set elsewhere": ("<p>x<span style='vertical-align:middle'>12</span></p>", "x12"),
}  # fmt: skip


@pytest.mark.parametrize("name", MEANT)
def test_what_is_meant_is_written(name: str) -> None:
    html, markdown = MEANT[name]
    content = Content([parse(f"<body>{html}</body>").root])
    assert content.markdown == markdown
    assert Content([parse(content.html).root]).markdown == markdown
