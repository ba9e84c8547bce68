"""What is known of URLs by their like: kinds, and folders whose pages are gone."""

from __future__ import annotations

from pathlib import Path

from sitecrawl.crawl.frontier import Frontier
from sitecrawl.crawl.tallies import Tallies
from tests.crawl.runner import Answer, crawl, served
from tests.crawl.test_trials import story, story_link

TAGS = ("anglers", "bakers", "coopers", "drapers", "engravers", "farriers", "glovers", "hatters", "joiners")


def url(number: int) -> str:
    return f"http://a.example/games/{number}.html"


def test_a_kind_is_known_from_its_pages() -> None:
    tallies = Tallies()
    for n in range(8):
        assert not tallies.is_hopeless(url(n))
        tallies.learn(url(n), False)
    assert tallies.is_hopeless(url(99))
    assert not tallies.is_hopeless("http://a.example/stories/99.html")
    tallies.learn(url(8), True)
    assert not tallies.is_hopeless(url(99))


def test_what_is_taken_back_counts_as_no_article() -> None:
    tallies = Tallies()
    for n in range(8):
        tallies.learn(url(n), True)
    assert tallies.is_article_family(url(99))
    for n in range(8):
        tallies.unlearn(url(n))
    assert tallies.is_hopeless(url(99))


def test_pages_that_are_gone_tell_on_their_like() -> None:
    tallies = Tallies()
    for n in range(99):
        tallies.lose(url(n))
    assert not tallies.is_hopeless(url(99))
    tallies.lose(url(99))
    assert tallies.is_hopeless(url(100))
    for n in range(4):
        tallies.learn(url(n), True)
    assert not tallies.is_hopeless(url(99))


def test_a_relative_address_that_leads_nowhere_twice_is_broken() -> None:
    tallies = Tallies()
    tallies.lose("http://a.example/tags/one/posts/a.html", "posts/a.html")
    assert not tallies.is_broken("posts/a.html")
    tallies.lose("http://a.example/tags/two/posts/a.html", "posts/a.html")
    assert tallies.is_broken("posts/a.html")
    assert not tallies.is_broken("posts/b.html")
    assert not tallies.is_broken(None)


def test_dead_candidates_park_their_pattern() -> None:
    frontier = Frontier(patience=6)
    for n in range(20):
        frontier.add(url(n), "maybe", 0.3, 1)
    tried = 0
    while (candidate := frontier.pop()) is not None:
        frontier.fail(candidate.url, candidate.kind)
        tried += 1
    assert tried == 3
    assert not frontier.lost


def test_a_dead_folder_costs_few_requests(tmp_path: Path) -> None:
    pages: dict[str, bytes | Answer] = {
        f"/2024/05/the-bridge-is-{n}-years-old.html": story(n).encode() for n in range(20)
    }
    games = "".join(
        f'<li><h2><a href="/games/{n}.html">How the {n} knights of the old bridge became a game</a></h2></li>'
        for n in range(400)
    )
    stories = "".join(map(story_link, range(20)))
    pages["/"] = f"<html><body><main><ul>{stories}</ul><ul>{games}</ul></main></body></html>".encode()
    with served(pages) as server:
        run = crawl(f"{server.url}/", tmp_path / "out.jsonl", "-a", "scope=site")
    assert run.code == 0
    assert len(run.items) == 20
    assert len({path for path in server.asked if path.startswith("/games/")}) < 150


def test_a_link_that_is_relative_by_mistake_costs_few_requests(tmp_path: Path) -> None:
    """A summary links to "knights/..." and stands on many listing pages, each in a folder of its own."""
    pages: dict[str, bytes | Answer] = {
        f"/2024/05/the-bridge-is-{n}-years-old.html": story(n).encode() for n in range(20)
    }
    tags = "".join(f'<li><a href="/tag/{name}/">{name}</a></li>' for name in TAGS)
    mistake = (
        '<li><h2><a href="knights/how-the-knights-kept-the-bridge.html">How the knights kept the bridge</a></h2></li>'
    )
    for at, path in enumerate(("/", *(f"/tag/{name}/" for name in TAGS))):
        shown = "".join(story_link(n) for n in range(20) if n % 10 == at)
        pages[path] = (
            f"<html><body><nav><ul>{tags}</ul></nav><main><ul>{shown}{mistake}</ul></main></body></html>".encode()
        )
    with served(pages) as server:
        run = crawl(f"{server.url}/", tmp_path / "out.jsonl", "-a", "scope=site")
    assert len(run.items) == 20
    assert len({path for path in server.asked if "knights/" in path}) <= 4
