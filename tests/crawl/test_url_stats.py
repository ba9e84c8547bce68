"""What is known of URLs by their like: kinds, missing pages, one text under every address."""

from __future__ import annotations

from itertools import islice, product

from sitecrawl.crawl.records import RequestContext, Role
from sitecrawl.crawl.url_stats import UrlStats
from sitecrawl.items.kinds import PageKind
from sitecrawl.limits import LIMITS
from sitecrawl.links.classify import Profile
from sitecrawl.site.judge import LEAST_PROMISE


def url(number: int, folder: str = "games") -> str:
    return f"http://a.example/{folder}/{number}.html"


def stats_of(articles: int = 0, others: int = 0) -> UrlStats:
    stats = UrlStats(Profile())
    for n in range(articles + others):
        kind = PageKind.ARTICLE if n < articles else PageKind.LISTING
        stats.record(RequestContext(url(n), Role.ARTICLE), url(n), kind=kind)
    return stats


def test_a_kind_is_known_from_its_pages() -> None:
    assert not stats_of(others=7).are_others(url(99))
    assert stats_of(others=8).are_others(url(99))
    assert not stats_of(others=8).are_others("http://a.example/stories/99.html")
    assert not stats_of(articles=1, others=8).are_others(url(99))
    assert stats_of(articles=8).are_articles(url(99))
    assert stats_of(articles=8).is_article_folder(url(99))
    assert not stats_of(articles=8, others=2).are_articles(url(99))
    assert stats_of(articles=30, others=1).are_articles(url(99))


def test_links_that_a_site_has_forgotten_are_known_from_missing_pages() -> None:
    def found(number: int, group: str = "body/ul/li/a") -> RequestContext:
        return RequestContext(url(number), Role.ARTICLE, group=group)

    stats, met = stats_of(), stats_of()
    met.record(found(0), url(0), kind=PageKind.ARTICLE)
    for number in range(16):
        assert not stats.is_dead(found(99))
        stats.count_of_group(found(number), is_there=False)
        met.count_of_group(found(number), is_there=False)
    assert stats.is_dead(found(99))
    assert not stats.is_dead(found(99, "body/main/h2/a"))
    assert not met.is_dead(found(99))
    for number in range(16):
        met.count_of_group(found(number), is_there=False)
    assert met.is_dead(found(99))


def test_pages_that_no_link_named_are_given_up_by_url_pattern() -> None:
    stats = stats_of()
    for number in range(16):
        stats.count_of_group(
            RequestContext(url(number), Role.ARTICLE, group="hint"), is_there=False
        )
    assert stats.is_dead(RequestContext(url(99), Role.ARTICLE))
    assert not stats.is_dead(RequestContext("http://a.example/stories/99.html", Role.ARTICLE))


def test_the_share_of_articles_moves_from_the_promise_to_what_pages_were() -> None:
    assert stats_of().article_share(url(0), 0.6) == 0.6
    low, lower = (
        stats_of(others=2).article_share(url(9), 0.6),
        stats_of(others=9).article_share(url(99), 0.6),
    )
    assert 0 < lower < low < 0.6
    assert (
        0.6
        < stats_of(articles=2).article_share(url(9), 0.6)
        < stats_of(articles=9).article_share(url(99), 0.6)
        < 1
    )
    many = stats_of(articles=300, others=300)
    assert abs(many.article_share(url(999), 0.99) - 0.5) < 0.02


def test_pages_that_look_like_articles_are_believed_when_they_are_three() -> None:
    stats, shares = stats_of(), []
    for n in range(6):
        context = RequestContext(url(n), Role.MAYBE, 0.01, group="html body ul li a")
        stats.record(context, url(n), kind=PageKind.LISTING, lookalike=True)
        shares.append(stats.article_share(url(99), 0.01))
    assert shares == sorted(shares)
    assert shares[1] < LEAST_PROMISE < shares[2] < 0.5
    assert not stats.evidence
    assert not stats.are_others(url(99))
    assert stats.article_share(url(99, "stories"), 0.01) == 0.01


def test_what_pages_were_is_kept_and_taken_up() -> None:
    stats = stats_of(articles=3, others=2)
    stats.count(url(50), PageKind.LISTING, lookalike=True)
    again = stats_of()
    again.restore(stats.kept())
    assert again.patterns == stats.patterns
    assert again.folders == stats.folders


def test_a_pattern_that_repeats_one_text_is_known() -> None:
    stats = stats_of()
    for n in range(6):
        assert not stats.answers_all(url(99))
        stats.record_text(url(n), True)
    assert stats.answers_all(url(99))
    for n in range(7):
        stats.record_text(url(n), False)
    assert not stats.answers_all(url(99))


def test_evidence_is_given_for_the_place_of_a_link() -> None:
    stats = stats_of()
    context = RequestContext(url(1), Role.ARTICLE, group="div/ul/li/a", guess=(0.6, 0.2, 0.2))
    before = stats.evidence.to_dict()
    stats.record(RequestContext(url(0), Role.ARTICLE), url(0), kind=PageKind.ARTICLE)
    assert stats.evidence.to_dict() == before
    stats.record(context, url(1), kind=PageKind.ARTICLE)
    assert stats.evidence.to_dict() != before


def test_the_ledger_is_bounded() -> None:
    stats = stats_of()
    letters = "bcdfghjklmnpqrstvwxz"
    for names in islice(product(letters, repeat=4), LIMITS.url_patterns + 50):
        stats.count(f"http://a.example/{''.join(names)}/{'x' * 9}.html", PageKind.ARTICLE)
    assert len(stats.patterns) == LIMITS.url_patterns
    assert len(stats.folders) <= LIMITS.url_patterns
