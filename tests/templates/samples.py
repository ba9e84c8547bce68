"""Samples of synthetic sites, and small helpers for the tests of the templates room."""

from __future__ import annotations

from sitecrawl.dom.parse import parse
from sitecrawl.extract.single import Extraction
from tests.pages import article_page

THINGS = (
    "港口大桥",
    "市立图书馆",
    "电车线路",
    "中央市场",
    "第二小学",
    "滨河公园",
    "天文台",
    "大剧院",
    "机场快线",
)


def sample(html: str | bytes, url: str = "http://news.example/a.html") -> Extraction:
    return Extraction(parse(html, url))


def english(count: int, start: int = 0) -> list[Extraction]:
    return [
        sample(article_page(n), f"http://news.example/2024/05/a-{n}.html")
        for n in range(start, start + count)
    ]


def chinese_page(number: int) -> bytes:
    """An article page of a Chinese site, GBK, by-line and share words inside the body's
    container."""
    thing = THINGS[number % len(THINGS)]
    prose = "".join(
        f"<p>这是第{number}号报道的第{k}段，详细说明了{thing}是怎样规划的，由谁出资，以及第{number * 7 + k}街区的居民为什么等了这么久。</p>"
        for k in range(3 + number % 3)
    )
    return f"""<html><head><meta charset="gbk"><title>{thing}今日开通第{number}期-示例新闻网</title></head><body>
<div class="top"><a href="/">首页</a> <a href="/gn/">国内</a> <a href="/gj/">国际</a></div>
<div id="zoom"><h1>{thing}今日开通第{number}期</h1>
<div class="info">发布时间：2019年{number % 12 + 1}月{number % 27 + 1}日 来源：示例日报</div>{prose}
<div class="fx">分享到：微博 微信</div><p class="ed">责任编辑：王小明</p></div>
<div class="bottom">版权所有 示例新闻网 未经许可不得转载</div></body></html>""".encode("gbk")


def chinese(count: int) -> list[Extraction]:
    return [sample(chinese_page(n), f"http://cn.example/{n}.html") for n in range(count)]
