"""`extract` and `links` without Scrapy, whose import takes longer than the page: the contents of
one page, from a URL or a file."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sitecrawl.commands._alerts import Exit
from sitecrawl.commands._help import (
    Help,
    OptionError,
    Verb,
    complain,
    refuse_settings,
    refuse_unknown,
)
from sitecrawl.errors import nearest
from sitecrawl.items.kinds import PageKind

if TYPE_CHECKING:
    from sitecrawl.items.article import Article
    from sitecrawl.links.classify import Link, Profile
    from sitecrawl.site.answer import LazyExtraction


def _pages(sources: Sequence[str], url: str | None) -> Iterable[tuple[bytes, str | None]]:
    """Bytes and URL of each page. Raises OptionError if none is named, SourceError if one cannot be
    read."""
    from sitecrawl.commands._http import is_web, read_source
    from sitecrawl.crawl.pages import is_binary

    if not all(sources) or not sources:
        raise OptionError("name a page: a URL or a file")
    if url and not is_web(url):
        raise OptionError(
            f"--url {url} is no web URL: give the whole of it, such as --url https://example.com/a.html"
        )
    for source in sources:
        body, own = read_source(source)
        if not body.strip() or body.lstrip()[:1] in (b"{", b"[") or is_binary(body):
            kind = "JSON, an archive or a binary file, not a page" if body.strip() else "empty"
            raise OptionError(
                f"{source} is {kind}: give a URL or an HTML file (sitecrawl batch reads WARC files)"
            )
        yield body, url or own


def _run_extract(
    sources: list[str], opts: argparse.Namespace, *, settings: Mapping[str, Any]
) -> None:
    from sitecrawl.extract.single import ENSEMBLE, methods
    from sitecrawl.links.pagination import next_part
    from sitecrawl.site.answer import LazyExtraction
    from sitecrawl.site.inputs import page_of_html

    forms: dict[str, Callable[[Article], str]] = {
        "text": _as_text,
        "json": lambda article: json.dumps(article.to_dict(), ensure_ascii=False),
        "markdown": _as_markdown,
        "html": lambda article: article.articleBodyHtml,
    }
    method = str(settings.get("SITECRAWL_EXTRACTOR") or ENSEMBLE)
    if method not in methods():
        raise OptionError(f"SITECRAWL_EXTRACTOR={method} is unknown: {nearest(method, methods())}")
    refused = 0
    for html, url in _pages(sources, opts.url):
        page = page_of_html(html, url)
        found = LazyExtraction(page, method=method)
        if not opts.force and _is_listing(found):
            refused += 1
            complain(
                f"{url or 'the page'} looks like a listing page ({found.guess.page_type_score:.0%}):"
                f" sitecrawl crawl {url or 'URL'} writes its articles, --force prints its text"
            )
            continue
        print(forms["json" if opts.json else opts.format](found.article()))
        if url and (rest := next_part(page)):
            complain(
                f"{url} seems to go on at {rest}: this is one page of it, sitecrawl crawl joins them"
            )
    if refused:
        sys.exit(Exit.FAILED)


def _is_listing(found: LazyExtraction, *, surely: float = 0.9) -> bool:
    """Whether a page is so surely a listing that its text is not what was asked for."""
    return found.guess.page_type is PageKind.LISTING and found.guess.page_type_score >= surely


def _as_markdown(article: Article) -> str:
    from sitecrawl.dom.markdown import escape_text
    from sitecrawl.text.chars import fold, without_controls

    headline = fold(without_controls(article.headline or ""))
    title = f"# {escape_text(headline)}\n\n" if headline else ""
    return title + article.articleBodyMarkdown


def _as_text(article: Article) -> str:
    from sitecrawl.items.readable import readable

    return readable(article.to_dict())


def _run_links(
    sources: list[str], opts: argparse.Namespace, *, settings: Mapping[str, Any]
) -> None:
    from sitecrawl.links.classify import classify
    from sitecrawl.links.link_model import model_at, own_model
    from sitecrawl.site.inputs import page_of_html
    from sitecrawl.text.chars import printable
    from sitecrawl.urls.scope import host_of

    state = Path(settings.get("SITECRAWL_DATA_DIR") or ".sitecrawl")
    for html, url in _pages(sources, opts.url):
        if not url:
            raise OptionError(
                "a page given as a file needs its URL: --url https://example.com/news/"
            )
        site = host_of(url)
        model = model_at(str(settings.get("SITECRAWL_LINK_MODEL") or own_model(site)))
        links = classify(page_of_html(html, url), model, profile=_known(site, state))
        shown = [link for link in links if opts.label in (None, link.label)]
        if not links:
            complain(f"{url} has no links")
        elif not shown:
            complain(f"none of the {len(links)} links of {url} has the label {opts.label}")
        for link in shown:
            row = f"{link.label:8} {link.score:.2f}  {link.url}  {link.text[:80]}"
            print(_link_row(link) if opts.json else printable(row))


def _known(site: str, state: Path) -> Profile | None:
    """What crawls and the label editor know of the links of a site."""
    if not (state / "templates.sqlite").is_file():
        return None
    from sitecrawl.crawl.site_models import Sites  # takes longer than the page
    from sitecrawl.crawl.store import Stores

    with closing(Stores(state).learned()) as store:
        return Sites(store).model(site).profile


def _link_row(link: Link) -> str:
    known = {"url": link.url, "text": link.text, "label": link.label, "score": round(link.score, 4)}
    scores = {name: round(score, 4) for name, score in link.scores.items()}
    return json.dumps(known | {"scores": scores, "pagination": link.pagination}, ensure_ascii=False)


_URL = {
    "help": "URL of a page given as a file, for its links and dates: --url https://example.com/a.html"
}
_FORMAT = "what to print: --format markdown (default: %(default)s)"
_EXTRACT = Help(
    "Print the article of a page, from that page alone",
    {"URL|FILE": "page to read, several are allowed; - is standard input"},
    (
        "sitecrawl extract https://example.com/a.html",
        "sitecrawl extract saved.html --url https://example.com/a.html --json",
    ),
    {
        "--url": _URL,
        "--format": {
            "choices": ("text", "json", "markdown", "html"),
            "default": "text",
            "help": _FORMAT,
        },
        "--json": "the whole item, a line of JSON a page: --json",
        "--force": "also of a page that looks like a listing: --force",
    },
)
_LINKS = Help(
    "Print the links of a page, each labelled article, section or other",
    {"URL|FILE": "listing page to read, several are allowed; - is standard input"},
    (
        "sitecrawl links https://example.com/news/ --label article",
        "sitecrawl links saved.html --url https://example.com/news/ -s SITECRAWL_LINK_MODEL=own.npz",
    ),
    {
        "--url": _URL,
        "--label": {
            "choices": ("article", "section", "other"),
            "help": "only links of this label: --label article",
        },
        "--json": "a line of JSON a link, with all scores: --json",
    },
)
SINGLE_PAGE_VERBS = {"extract": Verb(_EXTRACT, _run_extract), "links": Verb(_LINKS, _run_links)}


def run_verb(name: str, words: list[str]) -> None:
    """Run a command that needs no Scrapy. Raises SitecrawlError if it fails."""
    parser, verb = argparse.ArgumentParser(), SINGLE_PAGE_VERBS[name]
    verb.put_on(parser, name)
    opts, sources = parser.parse_known_args(words)
    refuse_unknown(sources, parser)
    verb.act(sources, opts, settings=_settings(opts.set))


def _settings(given: list[str]) -> dict[str, str]:
    """The settings that were typed. Raises OptionError for an unknown one."""
    settings = dict[str, str]()
    for word in given:
        name, sign, value = word.partition("=")
        if not sign:
            raise OptionError(f"-s {word}: write it as NAME=VALUE")
        settings[name] = value
    if settings:  # the check imports Scrapy, which takes longer than the page
        from sitecrawl import settings as ours

        refuse_settings(settings, vars(ours))
    return settings
