"""The pages of the demonstration site: an English section, a Chinese one in GBK, a notice board; three templates."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from sitecrawl.demo.texts import AUTHORS, headline, paragraphs, zh_headline, zh_paragraphs

STORIES, ZH_STORIES, NOTICES = 24, 14, 10
_PER_PAGE = 8
_FIRST_DAY = date(2026, 3, 1)

_NAV = '<nav class="top"><a href="/">Front page</a> <a href="/city/">City</a> <a href="/zh/">中文新闻</a> <a href="/board/">Notice board</a> <a href="/about.html">About us</a></nav>'
_FOOT = '<footer><p>Harbour Gazette is a made-up newspaper. <a href="/imprint.html">Imprint</a> <a href="/privacy.html">Privacy</a></p></footer>'


def site_pages() -> dict[str, bytes]:
    """Every page of the site by path, as bytes in its own encoding."""
    pages = {"/": _front(), "/robots.txt": b"User-agent: *\nDisallow: /private/\n"}
    pages |= {
        path: _page(path[1:-5].capitalize(), "<p>A page about the paper itself.</p>")
        for path in ("/about.html", "/imprint.html", "/privacy.html")
    }
    pages |= _section("/city/", "City", [(_story_path(n), headline(n), _day(n)) for n in range(STORIES)])
    pages |= {_story_path(n): _story(n) for n in range(STORIES)}
    pages |= {
        path: _gbk(body)
        for path, body in _section(
            "/zh/", "中文新闻", [(_zh_path(n), zh_headline(n), _day(n)) for n in range(ZH_STORIES)]
        ).items()
    }
    pages |= {_zh_path(n): _gbk(_zh_story(n)) for n in range(ZH_STORIES)}
    pages |= _section(
        "/board/", "Notice board", [(f"/board/{n + 1}.html", _notice_title(n), _day(n)) for n in range(NOTICES)]
    )
    pages |= {f"/board/{n + 1}.html": _notice(n) for n in range(NOTICES)}
    return pages


def article_paths() -> set[str]:
    """Paths of the articles: what a crawl of the whole site must find."""
    return (
        {_story_path(n) for n in range(STORIES)}
        | {_zh_path(n) for n in range(ZH_STORIES)}
        | {f"/board/{n + 1}.html" for n in range(NOTICES)}
    )


def _day(number: int) -> date:
    return _FIRST_DAY + timedelta(days=3 * number)


def _story_path(number: int) -> str:
    return f"/city/{_day(number):%Y/%m}/{'-'.join(headline(number).casefold().split())}-{number + 100}.html"


def _zh_path(number: int) -> str:
    return f"/zh/{_day(number):%Y%m%d}/{4000 + number}.html"


def _notice_title(number: int) -> str:
    return f"Notice {number + 1}: {headline(number + 5)}"


def _page(title: str, content: str) -> bytes:
    head = f'<meta charset="utf-8"><title>{title} - Harbour Gazette</title>'
    return f'<!DOCTYPE html><html lang="en"><head>{head}</head><body>{_NAV}{content}{_FOOT}</body></html>'.encode()


def _gbk(page: bytes) -> bytes:
    return (
        page.decode()
        .replace('charset="utf-8"', 'charset="gbk"')
        .replace('lang="en"', 'lang="zh-CN"')
        .encode("gbk", "xmlcharrefreplace")
    )


def _front() -> bytes:
    teasers = "".join(_teaser(_story_path(n), headline(n), _day(n)) for n in range(5))
    chinese = "".join(f'<li><a href="{_zh_path(n)}">{zh_headline(n)}</a></li>' for n in range(4))
    return _page(
        "Front page",
        f'<main><h1>Harbour Gazette</h1>{teasers}</main><aside class="zh"><h2>中文</h2><ul>{chinese}</ul></aside>',
    )


def _teaser(path: str, title: str, day: date) -> str:
    return f'<div class="teaser"><h2><a href="{path}">{title}</a></h2><span class="day">{day}</span></div>'


def _section(folder: str, name: str, rows: list[tuple[str, str, date]]) -> dict[str, bytes]:
    """The pages of a listing, newest first, with links to the next ones."""
    rows = rows[::-1]
    count = (len(rows) + _PER_PAGE - 1) // _PER_PAGE
    found = {}
    for at in range(count):
        teasers = "".join(_teaser(*row) for row in rows[at * _PER_PAGE : (at + 1) * _PER_PAGE])
        found[_listing(folder, at)] = _page(
            name, f'<main><h1>{name}</h1>{teasers}</main><div class="pager">{_pager(folder, count)}</div>'
        )
    return found


def _listing(folder: str, at: int) -> str:
    return folder if at == 0 else f"{folder}index_{at + 1}.html"


def _pager(folder: str, count: int) -> str:
    return " ".join(f'<a href="{_listing(folder, at)}">{at + 1}</a>' for at in range(count))


def _body(texts: Iterable[str]) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)


def _story(number: int) -> bytes:
    comments = "".join(_comment(number, at) for at in range(number % 4))
    related = "".join(
        f'<li><a href="{_story_path((number + k) % STORIES)}">{headline((number + k) % STORIES)}</a></li>'
        for k in (1, 2)
    )
    return _page(
        headline(number),
        f'<main><article><h1>{headline(number)}</h1><div class="byline">By <span class="author">{AUTHORS[number % 4]}</span>, '
        f'<time datetime="{_day(number)}T08:30:00+01:00">{_day(number):%d %B %Y}</time></div>'
        f'<div class="story">{_body(paragraphs(number, 3 + number % 3))}</div><div class="share">Share this story: <a href="#">mail</a> <a href="#">print</a></div></article>'
        f'<section class="comments"><h2>Comments</h2>{comments}</section></main><aside><h2>Read also</h2><ul>{related}</ul></aside>',
    )


def _comment(number: int, at: int) -> str:
    return (
        f'<div class="comment"><b class="name">reader{number * 3 + at}</b> <span class="when">{_day(number + 1)} 1{at}:05</span>'
        f"<p>I walk past it every day, and on my count of {number + at + 2} visits it was never open.</p></div>"
    )


def _zh_story(number: int) -> bytes:
    return _page(
        zh_headline(number),
        f'<div id="wrap"><div id="position">当前位置：<a href="/">首页</a> &gt; <a href="/zh/">中文新闻</a></div><h1 class="bt">{zh_headline(number)}</h1>'
        f'<p class="laiyuan">发布时间：{_day(number):%Y年%m月%d日} 09:15 来源：港口晚报 作者：林晓{"东南西北"[number % 4]}</p>'
        f'<div id="zhengwen">{_body(zh_paragraphs(number, 3 + number % 3))}</div><p class="bianji">责任编辑：周明</p></div>',
    )


def _notice(number: int) -> bytes:
    text = "<br>".join(paragraphs(number + 5, 2))
    return _page(
        _notice_title(number),
        f'<table class="notice"><tr><td class="subject">{_notice_title(number)}</td></tr><tr><td class="posted">Posted on {_day(number):%d.%m.%Y}</td></tr>'
        f'<tr><td class="text">{text}</td></tr></table>',
    )
