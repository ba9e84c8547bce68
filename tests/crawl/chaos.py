"""A crawl of a generated site by a machine of hypothesis: answers in any order, lost and damaged
ones, kills at any write, restarts, clocks that jump.

Whatever happened, in the end every listed article must stand in the feed once, with the text that
the site gave it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from sitecrawl.crawl import pipeline
from sitecrawl.crawl.database import Database
from sitecrawl.crawl.pipeline import CrawlStep
from sitecrawl.crawl.records import FailedPage, FetchedPage, Role
from sitecrawl.extras.demo import headline, paragraphs
from sitecrawl.items.feed_items import identity
from tests.crawl.driver import HOME, Crawl, Network

SITES = st.fixed_dictionaries(
    {
        "articles": st.integers(3, 24),
        "teasers": st.integers(8, 12),
        "layouts": st.integers(1, 3),
        "sections": st.integers(1, 3),
        "related": st.integers(0, 3),
        "paragraphs": st.integers(3, 6),
        "etags": st.booleans(),
    }
)
"""What a site is like: its articles, those of a listing page, ways to lay out an article, sections,
links below an article, paragraphs."""
_NEXT = "/page/{}/{}/"
_LAYOUTS = (
    '<article><h1>{title}</h1><p class="by">{day} by {author}</p><div class="text">{prose}</div></article>',
    '<main><div class="head"><h1>{title}</h1></div><section class="story">{prose}</section><div class="sign">{author}, {day}</div></main>',
    '<table><tr><td class="side">Sport Town Harbour</td><td class="main"><h1>{title}</h1><div class="date">{day}</div>{prose}</td></tr></table>',
)


class Killed(BaseException):
    """The process is gone, as by a kill."""


def site_of(plan: dict[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """The pages of a site by path, and the text of each article by its path."""
    numbers = range(plan["articles"])
    texts = {article_path(plan, number): _text(plan, number) for number in numbers}
    pages = {article_path(plan, number): _article(plan, number) for number in numbers}
    for section in range(plan["sections"]):
        own = [number for number in numbers if number % plan["sections"] == section]
        for page, at in enumerate(range(0, max(1, len(own)), plan["teasers"])):
            more = at + plan["teasers"] < len(own)
            pages[_NEXT.format(section, page)] = _listing(
                plan, section, own[at : at + plan["teasers"]], page if more else -1
            )
    menu = "".join(
        f'<h2><a href="{_NEXT.format(section, 0)}">Section {section}</a></h2>'
        for section in range(plan["sections"])
    )
    latest = _teasers(plan, list(numbers)[:3])
    pages["/"] = _page(plan, "Gazette", f"<h1>Gazette</h1>{latest}{menu}")
    return pages, texts


def article_path(plan: dict[str, Any], number: int) -> str:
    words = "-".join(headline(number).casefold().split())
    return f"/{number % plan['sections']}/2026/{number}-{words}.html"


def _text(plan: dict[str, Any], number: int) -> str:
    return "\n".join(
        f"Report {number}, part {at}. {text}"
        for at, text in enumerate(paragraphs(number, plan["paragraphs"]))
    )


def _article(plan: dict[str, Any], number: int) -> str:
    title = f"{headline(number)}, case {number}"
    prose = "".join(f"<p>{text}</p>" for text in _text(plan, number).splitlines())
    layout = _LAYOUTS[number % plan["sections"] % plan["layouts"]]
    others = [(number + 1 + at) % plan["articles"] for at in range(plan["related"])]
    related = f'<div class="more"><h3>More</h3>{_teasers(plan, others)}</div>' if others else ""
    told = layout.format(
        title=title, day=f"2026-01-{number % 28 + 1:02d}", author="Jun Okabe", prose=prose
    )
    return _page(plan, title, told + related)


def _teasers(plan: dict[str, Any], numbers: list[int]) -> str:
    row = '<div class="teaser"><h2><a href="{}">{}, case {}</a></h2></div>'
    return "".join(
        row.format(article_path(plan, number), headline(number), number) for number in numbers
    )


def _listing(plan: dict[str, Any], section: int, numbers: list[int], page: int) -> str:
    more = (
        f'<div class="pager"><a href="{_NEXT.format(section, page + 1)}" rel="next">Older</a></div>'
        if page >= 0
        else ""
    )
    return _page(
        plan, f"Section {section}", f"<h1>Section {section}</h1>{_teasers(plan, numbers)}{more}"
    )


def _page(plan: dict[str, Any], title: str, content: str) -> str:
    links = "".join(
        f'<a href="{_NEXT.format(section, 0)}">Section {section}</a> '
        for section in range(plan["sections"])
    )
    head = f"<!DOCTYPE html><html lang=en><head><title>{title} - Gazette</title></head>"
    foot = '<div class="foot">All rights reserved</div>'
    return f'{head}<body><div class="nav"><a href="/">Home</a> {links}</div><div id=main>{content}</div>{foot}</body></html>'


class Chaos(RuleBasedStateMachine):
    """One site and its crawl. ``damaged`` are the paths whose answers were not what the site
    has."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="sitecrawl-chaos-"))
        self.homes, self.damaged = 0, set[str]()
        self.feed: list[dict[str, Any]] = []
        self.now = pipeline.now

    @initialize(plan=SITES)
    def open(self, plan: dict[str, Any]) -> None:
        pages, self.texts = site_of(plan)
        self.network = Network(dict(pages), etags=plan["etags"])
        self.start()

    @property
    def home(self) -> Path:
        return self.folder / str(self.homes)

    def start(self) -> None:
        self.crawl = Crawl.of(self.network, self.home, self.feed)
        self.crawl.take(self.begun())

    def begun(self) -> CrawlStep:
        return self.crawl.session.begin(
            frozenset(map(identity, self.feed)), lambda: list(self.feed)
        )

    def take(self, verb: Callable[[], CrawlStep]) -> None:
        self.crawl.take(verb())

    def answer_of(self, which: int) -> FetchedPage | FailedPage | None:
        waiting = self.crawl.waiting
        if not waiting:
            return None
        waiting.rotate(-(which % len(waiting)))
        return self.network.fetch(waiting.popleft())

    def verb(self, answer: FetchedPage | FailedPage | None) -> CrawlStep:
        session = self.crawl.session
        if answer is None:
            return session.idle()
        return session.failed(answer) if isinstance(answer, FailedPage) else session.page(answer)

    # ---- what happens
    @rule(which=st.integers(0, 30), many=st.integers(1, 12))
    def answers(self, which: int, many: int) -> None:
        for at in range(many):
            self.crawl.take(self.verb(self.answer_of(which + at)))

    @rule(which=st.integers(0, 30))
    def loses(self, which: int) -> None:
        """A request fails for good."""
        answer = self.answer_of(which)
        if isinstance(answer, FetchedPage):
            self.crawl.take(
                self.verb(FailedPage(answer.context, "the server answered 503", may_pass=True))
            )

    @rule(
        which=st.integers(0, 30),
        body=st.sampled_from((b"", b"<html><body><h1>Error</h1>Try again.", b"\x00\xff" * 50)),
    )
    def damages(self, which: int, body: bytes) -> None:
        """An article comes as something else. Two at most: of a site that does so all the time the
        crawl learns that its links are no articles."""
        answer = self.answer_of(which)
        if isinstance(answer, FetchedPage):
            is_article = answer.context.role is Role.ARTICLE and len(self.damaged) < 2
            self.damaged |= {answer.context.key} if is_article else set()
            self.crawl.take(
                self.verb(replace(answer, body=body, status=200, etag="") if is_article else answer)
            )

    @rule(lost=st.integers(0, 3))
    def is_killed(self, lost: int) -> None:
        """A kill between two steps; the last lines of the feed never came to the disk."""
        self.crawl.kill()
        del self.feed[len(self.feed) - min(lost, len(self.feed)) :]
        self.start()

    @rule(which=st.integers(0, 30), writes=st.integers(0, 12))
    def is_killed_writing(self, which: int, writes: int) -> None:
        """A kill in the middle of a step: the files are what they were at that statement."""
        self.killed_in(lambda: self.verb(self.answer_of(which)), writes)
        self.start()

    @rule(writes=st.integers(0, 12))
    def is_killed_beginning(self, writes: int) -> None:
        """A kill, and one more while the next run begins."""
        self.crawl.kill()
        self.crawl = Crawl.of(self.network, self.home, self.feed)
        self.killed_in(self.begun, writes)
        self.start()

    def killed_in(self, verb: Callable[[], CrawlStep], writes: int) -> None:
        left, run, copy = [writes], Database._run, self.folder / str(self.homes + 1)

        def counted(db: Database, *given: Any) -> Any:
            left[0] -= 1
            if left[0] < 0 and not copy.exists():
                shutil.copytree(self.home, copy, ignore=shutil.ignore_patterns("*-shm"))
                raise Killed
            return run(db, *given)

        Database._run = counted  # type: ignore[method-assign,assignment]
        try:
            self.crawl.take(verb())
        except Killed:
            self.homes += 1
        finally:
            Database._run = run  # type: ignore[method-assign]
        self.crawl.kill()

    @rule()
    def is_stopped(self) -> None:
        """A stop in order: what is under way is interrupted."""
        while self.crawl.waiting:
            planned = self.crawl.waiting.popleft()
            self.crawl.take(
                self.crawl.session.failed(FailedPage(planned.context, "stopped", interrupted=True))
            )
        self.end("shutdown")
        self.start()

    @rule(day=st.sampled_from(("1970-01-01", "2025-12-31", "2040-01-01")))
    def clock_jumps(self, day: str) -> None:
        pipeline.now = lambda: f"{day}T00:00:00.000000Z"
        self.crawl.sites.models[next(iter(self.crawl.sites.models))].families.today = day

    # ---- the end
    def end(self, reason: str) -> None:
        self.crawl.take(self.crawl.session.close(reason))
        self.crawl.sites.close()
        self.crawl.session.ended(written=True, finished=reason == "finished")

    def finish(self) -> None:
        """The rest of the run, in order and undisturbed."""
        while True:
            answer = self.answer_of(0)
            step = self.verb(answer)
            self.crawl.take(step)
            if answer is None and not step:
                break
        self.end("finished")

    def teardown(self) -> None:
        try:
            if hasattr(self, "crawl"):
                self.finish()
                self.start()
                self.finish()  # a second visit finds what the first one could not fetch
                self.compare()
        finally:
            pipeline.now = self.now
            shutil.rmtree(self.folder)

    def compare(self) -> None:
        """The feed against the site."""
        written = [identity(item) for item in self.feed]
        assert len(written) == len(set(written)), "twice"
        latest = {item["url"].removeprefix(HOME): item for item in self.feed}
        damaged = {path for path in self.texts if f"news.example{path}" in self.damaged}
        assert set(latest) <= set(self.texts), "no article"
        assert set(latest) >= set(self.texts) - damaged, sorted(
            set(self.texts) - damaged - set(latest)
        )
        for path in set(latest) - damaged:
            assert latest[path]["articleBody"] == self.texts[path], path
