"""A small site of our own, served on loopback: an English section, a Chinese one in GBK, a notice board; three templates.

Its sentences are put together by number from places, subjects and phrases. `make crawl` without a URL crawls it."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PLACES = (
    "the old harbour",
    "the west pier",
    "the market hall",
    "the river park",
    "the tram depot",
    "the observatory",
    "the north library",
    "the glass house",
)
SUBJECTS = (
    "ferry line",
    "night market",
    "bicycle bridge",
    "school garden",
    "city archive",
    "flood wall",
    "reading room",
    "weather station",
    "song contest",
)
VERBS = (
    "opens again",
    "closes for repairs",
    "finds a new home",
    "wins a prize",
    "turns fifty",
    "needs volunteers",
    "starts a trial",
    "goes digital",
)
AUTHORS = ("Mara Lindqvist", "Tomas Weir", "Ines Calado", "Jun Okabe")
_SENTENCES = (
    "After months of talks, the council agreed on {day} to pay for the {subject} at {place}, and work began the same week.",
    "Residents who came to the hearing asked, above all, who would keep the {subject} clean once the first crowds were gone.",
    "The engineer in charge said that {place} had been measured twice, because the first plans were drawn before the last flood.",
    "Nobody expects the {subject} to earn money soon; it is meant, as the mayor put it, to bring people back to {place}.",
    "A class of the nearby school counted visitors for {number} days and handed its figures, neatly bound, to the planners.",
    "Older neighbours remember a {subject} that stood here until the fire, and some of them brought photographs.",
    "If the trial goes well, a second {subject} may follow next year, although the money for it has not been found.",
    "The costs, about {number} thousand crowns, are shared between the city and the association of shopkeepers.",
)
ZH_PLACES = ("老港口", "西码头", "中心市场", "滨河公园", "电车库", "天文台", "城北图书馆", "玻璃温室")
ZH_SUBJECTS = ("轮渡航线", "夜间集市", "自行车桥", "校园菜地", "城市档案馆", "防洪墙", "阅览室", "气象站", "歌唱比赛")
ZH_VERBS = ("重新开放", "停工维修", "迁入新址", "获得奖项", "迎来五十周年", "招募志愿者", "开始试运行", "实现数字化")
_ZH_SENTENCES = (
    "经过几个月的讨论，市议会同意为{place}的{subject}拨款，施工在当周就开始了。",
    "参加听证会的居民最关心的是，第一批游客离开以后，由谁来负责{subject}的清洁。",
    "负责工程的技术人员说，{place}已经测量了两次，因为最初的图纸画在上一次洪水之前。",
    "没有人指望{subject}很快盈利；市长说，建设它是为了让人们重新回到{place}。",
    "附近学校的一个班级用{number}天统计了来访人数，并把整理好的数字交给了规划人员。",
    "年长的邻居还记得，火灾之前这里就有过一个{subject}，有人还带来了老照片。",
    "如果试运行顺利，明年可能再建一个{subject}，不过资金还没有着落。",
    "费用大约为{number}万元，由市政府和商户协会共同承担。",
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")


def headline(number: int) -> str:
    """The headline of an English story.

    >>> headline(0)
    'Ferry line at the old harbour opens again'
    """
    subject, place, verb = SUBJECTS[number % 9], PLACES[number % 8], VERBS[(number // 3) % 8]
    return f"{subject.capitalize()} at {place} {verb}"


def zh_headline(number: int) -> str:
    """The headline of a Chinese story."""
    return f"{ZH_PLACES[number % 8]}{ZH_SUBJECTS[number % 9]}{ZH_VERBS[(number // 3) % 8]}"


def paragraphs(number: int, count: int) -> list[str]:
    """English paragraphs, three sentences each."""
    words = {"place": PLACES[number % 8], "subject": SUBJECTS[number % 9], "day": _DAYS[number % 5]}
    return [_paragraph(_SENTENCES, number + 3 * at, words, " ") for at in range(count)]


def zh_paragraphs(number: int, count: int) -> list[str]:
    """Chinese paragraphs, three sentences each."""
    words = {"place": ZH_PLACES[number % 8], "subject": ZH_SUBJECTS[number % 9]}
    return [_paragraph(_ZH_SENTENCES, number + 3 * at, words, "") for at in range(count)]


def _paragraph(sentences: tuple[str, ...], at: int, words: dict[str, str], glue: str) -> str:
    chosen = [sentences[(at + step * 3) % len(sentences)] for step in range(3)]
    return glue.join(sentence.format(number=(at * 7) % 90 + 10, **words) for sentence in chosen)


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
    """Paths of the articles that a crawl of the whole site must find."""
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


class _Handler(BaseHTTPRequestHandler):
    pages = site_pages()
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = self.pages.get(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Type", "text/plain" if self.path.endswith(".txt") else "text/html")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@contextmanager
def serve(port: int = 0) -> Iterator[str]:
    """Serve the site until the block is left, and yield the URL of its front page; port 0 takes a free one."""
    server = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
