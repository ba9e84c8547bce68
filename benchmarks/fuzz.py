"""Pages, feeds and documents that nobody would write, and crawls that are killed at any write, for
an hour. Needs no data. The tests take the same strategies for some seconds. What fails is printed
with the seed, as small as hypothesis can make it; hypothesis looks for pages that cost more and
more."""

from __future__ import annotations

import copy
import io
import json
import random
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, seed, settings, target
from hypothesis import strategies as st
from hypothesis.stateful import get_state_machine_test
from lxml import etree
from lxml.html import defs

from benchmarks.harness import asked, spent
from benchmarks.live_markup import BASES, TREES, foreign
from benchmarks.work import SHAPES
from sitecrawl.api import classify_links, extract
from sitecrawl.crawl.file_entries import NamingFile
from sitecrawl.crawl.named_files import feeds_of, sitemaps_of
from sitecrawl.dom.parse import parse
from sitecrawl.dom.tree import KEPT, KEPT_ATTRIBUTES
from sitecrawl.errors import ModelError, TemplateError
from sitecrawl.links.classify import classify
from sitecrawl.links.link_model import load_model
from sitecrawl.resources import model_path
from sitecrawl.site.model import SiteModel
from tests.crawl.chaos import Chaos

URL = "http://example.com/news/story-1.html"
SECONDS = 2.0  # CPU that no page may cost

# ---- pages
_TAGS = sorted(defs.tags) + (
    "comment main nobr plaintext template x-own foreignObject desc annotation-xml xmp noembed image".split()
)
_NAMES = (
    "class id style href src title alt itemprop itemtype datetime content property name rel type lang dir hidden width height "
    "start colspan rowspan onclick data-src http-equiv charset xml:lang xlink:href aria-label = \" ' \u00e9"
).split()
_VALUES = st.sampled_from((
    "", " ", "article", "comment author date", "post-1 post", "next", "display:none", "http://example.com/a/1.html",
    "/2024/01/31/a-story.html", "?page=2", "//[::1", "http://[bad/", "javascript:x()", "data:text/html,<script>", "\x00",
    "2024-01-31T10:00:00+25:00", "0000-00-00", "99999-99-99", "\ud83d\ude00", "\udfff", "\u202e", "x" * 3000, "a " * 500, "1" * 400, "%zz%", "#", "&#0;",
    "&amp", "text/html; charset=utf-7", "0; url=/b", "article:tag", "og:type", "datePublished", "application/ld+json", "NaN",
    "-1", "1e999", "\u0660\u0661", "\uff11\uff12",
))  # fmt: skip
_TEXTS = st.sampled_from((
    "Some words of a paragraph, which says little.", "By Ann Onym, 31 January 2024 10:00", "2024\u5e7413\u670845\u65e5", "\u65b0\u95fb\u4e2d\u5fc3\u9996\u9875\uff0c\u4eca\u65e5\u8981\u95fb\u3002",
    "&nbsp;", "&#xD800;", "&#x110000;", "&lt;script&gt;", "&notanentity;", "&", "<", ">", "]]>", "<!--", "-->", "<!DOCTYPE x [<!ENTITY a 'b'>]>",
    "<![CDATA[x]]>", "<?php echo 1 ?>", "</", "</>", "<p", "<a href=", "<a href='", "\x00\x01\x1e\x1f\x7f", "\ufeff", "\ufffe\uffff", "\u2028\u2029\x85",
    '<script type="application/ld+json">{"@type": "NewsArticle", "headline": ["x", 1], "author": {"name": {"name": 7}}, "datePublished": 5}</script>',
    '<script type="application/ld+json">[[[{"@graph": {"@type": ["Article", null]}}]]]</script>',
    '<script type="application/ld+json">{"@type": "Article", "articleBody": "\\ud800", "keywords": {"a": 1}, "image": [[]]}</script>',
    '<meta property="article:published_time" content="31.02.2024">', '<base href="http://[">', '<base href="data:x">', "\n" * 50, " " * 300, "\u3000" * 50, "word " * 400,
    "**[x](javascript:y)** `` ` | > # 1. <img onerror=x>", "e\u0301" * 100, "\u0430\u0431\u0432 \u0433\u0434\u0435",
))  # fmt: skip
_ATTRIBUTES = st.lists(
    st.tuples(st.sampled_from(_NAMES), _VALUES, st.sampled_from(('"', "'", ""))), max_size=4
)
_OPENINGS = st.builds(
    lambda tag, attributes: (
        f"<{tag}{''.join(f' {name}={quote}{value}{quote}' for name, value, quote in attributes)}>"
    ),
    *(st.sampled_from(_TAGS), _ATTRIBUTES),
)
_PIECES = st.one_of(
    _TEXTS,
    _OPENINGS,
    st.builds("</{}>".format, st.sampled_from(_TAGS)),
    st.builds(lambda piece, times: piece * times, _OPENINGS, st.sampled_from((2, 5, 40, 300))),
    st.builds(
        lambda piece, text, times: (piece + text) * times,
        _OPENINGS,
        _TEXTS,
        st.sampled_from((3, 12, 60)),
    ),
    st.builds(
        lambda name, size: SHAPES[name](size),
        st.sampled_from(sorted(SHAPES)),
        st.sampled_from((300, 4000)),
    ),
    st.text(max_size=30),
)
_FRAME = (
    "<!DOCTYPE html><html lang=en><head><title>Story {0} - Gazette</title></head><body><div class=nav><a href=/>Home</a> <a href=/city/>City</a></div>"
    "<div id=main><h1>Story {0}</h1><div class=by>2026-01-1{0} by Jun Okabe</div><div class=text>{1}{2}</div></div><div class=foot>All rights reserved</div>"
)
_ENCODINGS = (
    "utf-8",
    "gb18030",
    "utf-16",
    "utf-16-be",
    "cp1251",
    "shift_jis",
    "iso2022_jp",
    "utf-7",
    "latin-1",
)
_CHARSETS = ("utf-16", "gbk", "no-such", "\x00")
_TYPES = (
    None,
    "",
    "text/html",
    *(f"text/html; charset={name}" for name in _CHARSETS),
    "a/b;charset=utf-7",
)
TEXT = st.lists(_PIECES, max_size=14).map("".join)
PAGES = st.one_of(
    TEXT,
    st.builds(
        lambda text, encoding, cut: text.encode(encoding, "replace")[cut:],
        *(TEXT, st.sampled_from(_ENCODINGS), st.sampled_from((0, 0, 0, 1, 3))),
    ),
    st.binary(max_size=400),
)


def _page(number: int, inside: str) -> str:
    """Page ``number`` of a site, with some HTML below its text."""
    told = f"of story {number}, about the ferry line and what the council said of it."
    return _FRAME.format(number, "".join(f"<p>Part {at} {told}</p>" for at in range(5)), inside)


def check_page(html: str | bytes, kind: str | None) -> None:
    """A page alone: parsed, its links classified, its article extracted and rendered in every
    form."""
    page = parse(html, URL, kind)
    assert len(page.document.blocks) <= len(page.document.chunks)
    for link in classify(page):
        assert 0 <= link.score <= 1
        link.url.encode()
    classify_links(html, URL)
    article = extract(html, URL)
    json.dumps(article.to_dict(), ensure_ascii=False, allow_nan=False).encode()
    article.articleBodyMarkdown.encode()
    check_clean(article.articleBodyHtml)


def check_clean(html: str) -> None:
    """Clean HTML holds the elements and attributes that it may hold, and links by http and mail."""
    document = etree.fromstring(
        f"<html><body>{html}</body></html>", etree.HTMLParser(huge_tree=True)
    )
    for node in document.iter():
        assert node.tag in KEPT or node.tag in ("html", "body"), node.tag
        assert set(node.attrib) <= set(KEPT_ATTRIBUTES.get(str(node.tag), ())), node.attrib
        for name in ("href", "src"):
            assert node.get(name, "http://").startswith(("http://", "https://", "mailto:")), (
                node.get(name)
            )


def check_site(inside: list[str]) -> None:
    """Pages of one site: learned, observed, settled, kept and read again."""
    pages = [_page(number, part) for number, part in enumerate(inside)]
    model = SiteModel()
    model.learn(
        [
            (f"http://example.com/s/{number}", page)
            for number, page in enumerate(pages[: len(pages) // 2])
        ]
    )
    for number, page in enumerate(pages):
        verdict = model.observe(page, f"http://example.com/s/{number}", 0.9)
        if verdict.article is not None:
            json.dumps(verdict.article.to_dict(), ensure_ascii=False, allow_nan=False).encode()
    model.settle()
    document = json.loads(json.dumps(model.to_dict(), allow_nan=False))
    again = SiteModel.from_dict(document)
    assert again.to_dict() == document
    for number, page in enumerate(pages):
        check_clean(again.extract(page, f"http://example.com/s/{number}").articleBodyHtml)


# ---- documents
_ODD: tuple[Any, ...] = (
    None, True, -1, 0, 2**70, 1.5, float("inf"), float("nan"), "", "x", "\ud800", "//*[", "(" * 5000, "a" * 100_000, [], {}, [[]], {"x": []},
    json.loads("[" * 900 + "]" * 900), "2026-99-99", ["x"] * 20_000,
)  # fmt: skip


def trained_site() -> dict[str, Any]:
    """The document of a site with templates, samples and evidence."""
    model = SiteModel("example.com", "2026-01-31")
    for number in range(8):
        model.observe(
            _page(number, "<ul><li><a href=/x>Share</a></ul>"),
            f"http://example.com/s/{number}",
            0.95,
        )
    return dict(json.loads(json.dumps(model.to_dict())))


def damaged(document: Any, moments: random.Random) -> Any:
    """A document one or two of whose values are others, or gone."""
    document = copy.deepcopy(document)
    for _ in range(moments.randint(1, 2)):
        at = document
        while at:
            key = moments.choice(list(at) if isinstance(at, dict) else range(len(at)))
            if not isinstance(at[key], dict | list) or not at[key] or moments.random() >= 0.85:
                if moments.random() < 0.2:
                    del at[key]
                else:
                    at[key] = moments.choice(_ODD)
                break
            at = at[key]
    return document


def refused(read: Callable[[], Any]) -> tuple[Any, bool]:
    """What was read, or None and True where it is refused, which must be in one line."""
    told = ""
    try:
        return read(), False
    except (TemplateError, ModelError) as error:
        told = str(error)
    assert len(told.splitlines()) == 1
    assert len(told) < 1000
    return None, True


def check_model(body: bytes, path: Path) -> bool:
    """A damaged model file is refused in one line, or gives probabilities. Whether it was
    refused."""
    path.write_bytes(body)
    model, is_refused = refused(lambda: load_model(path))
    page = parse("<h2><a href=/2024/a-story.html>A story of the day</a></h2>" * 3, URL)
    for link in () if is_refused else classify(page, model):
        assert np.isfinite(list(link.scores.values())).all()
    return is_refused


def damaged_file(body: bytes, moments: random.Random) -> bytes:
    """A file with other bits, without its end, or whose arrays are others."""
    way = moments.randrange(4)
    if way == 0:
        return body[: moments.randrange(len(body))]
    if way == 1:
        return _other_array(body, moments)
    data = bytearray(body)
    for _ in range(moments.choice((1, 8, 60))):
        data[moments.randrange(len(data))] ^= 1 << moments.randrange(8)
    return bytes(data)


def _other_array(body: bytes, moments: random.Random) -> bytes:
    """An archive, sound as such, that holds an array of another type, shape or size."""
    others = ([], np.full((2, 2), np.nan), "x", [1 + 2j], np.zeros((3, 0, 2)), np.full(5, np.inf))
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(body)) as old, zipfile.ZipFile(out, "w") as new:
        chosen = moments.choice(old.namelist())
        file = io.BytesIO()
        np.lib.format.write_array(file, np.asarray(moments.choice(others)), allow_pickle=False)
        other = file.getvalue() if moments.random() < 0.7 else _claims_much(old.read(chosen))
        for name in old.namelist():
            new.writestr(name, other if name == chosen else old.read(name))
    return out.getvalue()


def _claims_much(data: bytes) -> bytes:
    """The header of an array that claims far more numbers than there are."""
    head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 3), }"
    head += b" " * (118 - 1 - len(head) % 118) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + data[-16:]


# ---- feeds and sitemaps
_MARKS = (
    "<rss> <urlset> <feed> <url> <sitemap> <item> <entry> <loc> <link> <pubDate> <guid> </item> </url> </loc> </guid> [ ] { } , : "
    '"items" "url" "date_published" \nSitemap: <link\thref="/a"/> <link\trel="alternate"\ttype="application/rss+xml"\thref="//[">'
)
_PARTS = st.sampled_from(_MARKS.split(" "))
FEEDS = st.lists(st.one_of(_PARTS, _PARTS, _VALUES, _TEXTS), max_size=30).map(
    lambda parts: "".join(parts).encode("utf-8", "replace")
)


def check_feed(body: bytes) -> None:
    """A feed, a sitemap or a robots.txt: it names addresses or nothing."""
    for hint in NamingFile.of(body).entries(URL):
        assert hint.url.startswith("http"), hint.url
        hint.url.encode()
    assert all(map(str.encode, [*sitemaps_of(body, URL), *feeds_of(parse(body, URL))]))


# ---- running
def _timed_page(html: str | bytes, kind: str | None) -> None:
    """Check a page; one that costs more for each of its characters is a better start for the
    next."""
    seconds = spent(lambda: check_page(html, kind))
    target(seconds / (len(html) + 500), label="CPU a character")
    assert seconds < SECONDS, "over the budget"


def check_markdown(html: str, base_url: str) -> None:
    """No reader of the Markdown of a page finds an element or a URL that its clean HTML lacks."""
    found = foreign(html, base_url)
    assert not found, found


def _document_check() -> Check:
    whole, page = trained_site(), _page(3, "")

    def check(number: int) -> None:
        document = damaged(whole, random.Random(number))
        model, is_refused = refused(lambda: SiteModel.from_dict(document))
        if not is_refused:
            model.extract(page, URL)
            model.observe(page, URL, 0.9)
            model.settle()

    return check


def _model_file(number: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        check_model(
            damaged_file(model_path("links.npz").read_bytes(), random.Random(number)),
            Path(folder) / "m.npz",
        )


Check = Callable[..., object]
_SEEDS = (st.integers(0, 1 << 40),)
PROPERTIES: dict[str, Callable[[], Check]] = {
    "pages": lambda: given(PAGES, st.sampled_from(_TYPES))(check_page),
    "sites": lambda: given(st.lists(TEXT, min_size=3, max_size=7))(check_site),
    "markdown": lambda: given(TREES, BASES)(check_markdown),
    "documents": lambda: given(*_SEEDS)(_document_check()),
    "models": lambda: given(*_SEEDS)(_model_file),
    "feeds": lambda: given(FEEDS)(check_feed),
    "crawls": lambda: Chaos,
}

_TIMED: dict[str, Callable[[], Check]] = {
    **PROPERTIES,
    "pages": lambda: given(PAGES, st.sampled_from(_TYPES))(_timed_page),
}
"""As the benchmark takes them: a page is timed, too, which no test does."""


def rounds(run: Check, number: int, examples: int) -> None:
    """One round of a property or a state machine, from a seed."""
    checks = list(HealthCheck)
    once = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=checks,
        print_blob=False,
    )
    seed(number)(
        get_state_machine_test(run, settings=once) if isinstance(run, type) else once(run)
    )()


def main(arguments: list[str]) -> int:
    """Rounds of each property in turn until the time is up. The first failure ends it; the line
    before says how to play it again."""
    args = asked(
        __doc__,
        arguments,
        minutes=60.0,
        seed=0,
        examples=100,
        only=("", "a part of the name of a property"),
    )
    end, number = time.monotonic() + 60 * args.minutes, args.seed
    while time.monotonic() < end:
        for name in (name for name in _TIMED if args.only in name):
            play = f"--only {name} --seed {number} --examples {args.examples} --minutes 0"
            print(f"again: python -m benchmarks fuzz {play}")
            rounds(_TIMED[name](), number, args.examples)
        number += 1
    print(f"{number - args.seed} rounds: no error, none over {SECONDS:.0f} s of CPU")
    return 0
