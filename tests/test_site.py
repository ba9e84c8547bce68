"""A site learned and watched: families, trust, drift, redesign, and what a person does with its
templates."""

from __future__ import annotations

import json
import pickle
import zlib
from base64 import b64encode
from collections.abc import Callable

import pytest

from sitecrawl.dom.parse import parse
from sitecrawl.errors import TemplateError
from sitecrawl.extras.overrides.by_hand import template_of
from sitecrawl.extras.overrides.template_edits import (
    difference,
    find,
    lock,
    put,
    roll_back,
    set_field,
    versions,
)
from sitecrawl.items.feed_items import revise
from sitecrawl.items.kinds import TemplateState
from sitecrawl.limits import LIMITS
from sitecrawl.site.inputs import RawPage
from sitecrawl.site.model import SiteModel
from sitecrawl.site.samples import StoredPages, pack, unpack
from sitecrawl.site.verdict import EventKind, Verdict
from sitecrawl.templates.template import Template
from sitecrawl.templates.verify import word_f1
from tests.pages import article_page
from tests.redesigns import REDESIGNS, body_of, page
from tests.templates.samples import chinese_page


def crawl(model: SiteModel, numbers: range, change: Callable[[str], str] = str) -> list[Verdict]:
    return [model.observe(change(page(n)), f"http://news.example/{n}.html", 0.95) for n in numbers]


def test_one_family_at_most_keeps_its_pages_parsed() -> None:
    stored, pages = (
        StoredPages(),
        [parse(page(n), f"http://news.example/{n}.html") for n in range(4)],
    )
    stored.show("one", pages[:2])
    stored.show("two", pages[2:])
    assert stored.shown == {"one": [pack(one) for one in pages[:2]], "two": pages[2:]}
    assert [one.url for one in stored.of("one")] == [one.url for one in pages[:2]]


def learned(count: int = 8) -> SiteModel:
    model = SiteModel()
    model.learn([(f"http://news.example/{n}.html", page(n)) for n in range(count)])
    return model


def test_two_kinds_of_pages_give_two_templates() -> None:
    model = SiteModel()
    model.learn(
        [
            (f"http://x.example/{n}", html)
            for n in range(5)
            for html in (article_page(n), chinese_page(n))
        ]
    )
    assert len(model.templates) == 2
    assert (
        "first paragraph of story 9"
        in model.extract(article_page(9), "http://x.example/9").articleBody
    )
    found = model.extract(chinese_page(9), "http://x.example/c9")
    assert found.provenance.method == "template"
    assert "第9号报道" in found.articleBody


def test_unknown_pages_get_the_fallback_and_it_says_so() -> None:
    article = learned().extract(
        "<article><h1>Other</h1>"
        + "<p>Plain words in a row, quite a few of them.</p>" * 5
        + "</article>",
        "http://news.example/x",
    )
    assert article.provenance.method == "fallback"
    assert "Plain words" in article.articleBody


@pytest.mark.parametrize("html", ["", b"", "<p>", b"\x00\xff", "<div>" * 3000])
def test_no_page_raises(html: str | bytes) -> None:
    model = learned(4)
    assert (
        model.extract(html, "http://news.example/y").to_dict()["provenance"]["method"] == "fallback"
    )
    model.learn([("http://news.example/z", html)])
    model.observe(html, "http://news.example/z")


def test_every_field_of_a_template_article_can_be_read() -> None:
    item = learned().extract(page(9), "http://news.example/9.html").to_dict()
    assert item["headline"] == "The bridge story 9"
    assert item["datePublished"] == "2024-10-10"
    assert "Ann Onym" in item["authors"][0]["name"]
    assert item["inLanguage"] == "en"
    assert set(item["provenance"]["fields"]) >= {"articleBody", "headline", "datePublished"}


def test_the_first_pages_wait_until_the_template_is_trusted() -> None:
    model = SiteModel()
    verdicts = crawl(model, range(10))
    assert [verdict.waits for verdict in verdicts] == [True] * 8 + [False] * 2
    assert [event.kind for event in verdicts[3].events] == ["induced", "trusted"]
    assert len({verdict.family for verdict in verdicts}) == 1
    assert [v.article.provenance.method for v in verdicts if v.article] == ["fallback"] * 4 + [
        "template"
    ] * 6
    assert model.extract(page(0), "http://news.example/0.html").provenance.method == "template"


def test_what_waits_at_the_end_is_settled() -> None:
    model = SiteModel()
    crawl(model, range(3))
    assert not model.templates
    assert [event.kind for event in model.settle()] == ["induced", "trusted"]
    assert model.extract(page(1), "http://news.example/1.html").provenance.method == "template"


@pytest.mark.parametrize("name", sorted(REDESIGNS))
def test_a_redesign_is_met(name: str) -> None:
    model = SiteModel()
    crawl(model, range(30))
    verdicts = crawl(model, range(30, 60), REDESIGNS[name])
    wrong = served = 0
    for number, verdict in enumerate(verdicts, 30):
        assert verdict.article is not None
        score = word_f1(body_of(number), verdict.article.articleBody)
        templated = verdict.article.provenance.method == "template"
        wrong += templated and score < 0.8
        served += templated and score >= 0.95
        assert not (templated and score < 0.2)
    assert wrong <= 5
    assert served >= 20


def test_a_long_quiet_year_raises_no_alarm() -> None:
    model = SiteModel()
    assert not [
        event
        for verdict in crawl(model, range(120))
        for event in verdict.events
        if event.kind in ("drifting", "redesigned")
    ]


def test_a_model_goes_round_through_json() -> None:
    model = learned()
    again = SiteModel.from_dict(json.loads(json.dumps(model.to_dict())))
    assert again.to_dict() == model.to_dict()
    assert again.extract(page(9), "http://news.example/9.html").provenance.method == "template"


@pytest.mark.parametrize("url", ["http://example.com/a-{}.html", ""])
def test_the_order_of_the_pages_that_are_learned_does_not_matter(url: str) -> None:
    """A template was that of the last twelve pages, and later still so for pages without URLs."""
    pages = [RawPage(article_page(n), url.format(n)) for n in range(20)]
    first, second = SiteModel("example.com"), SiteModel("example.com")
    first.learn(pages)
    second.learn(reversed(pages))
    assert first.to_dict() == second.to_dict()


@pytest.mark.parametrize(
    "data", [None, {}, {"protocol": 9}, {"protocol": 1, "site": "x", "families": [{}]}]
)
def test_damaged_models_are_refused(data: object) -> None:
    with pytest.raises(TemplateError):
        SiteModel.from_dict(data)


def test_a_locked_template_outlives_a_redesign() -> None:
    model = learned()
    lock(model, "template-1")
    crawl(model, range(30, 60), REDESIGNS["body id now holds navigation"])
    kept = find(model, "template-1")[1]
    assert (kept.version, kept.locked) == (1, True)


def test_edit_compare_and_roll_back() -> None:
    model = learned()
    edited = Template.from_dict(model.templates[0].to_dict())
    edited.body.without.append(".//p[1]")
    put(model, edited)
    assert (edited.version, edited.edited) == (2, True)
    assert "Paragraph 0 of" not in model.extract(page(9), "http://news.example/9.html").articleBody
    assert ".//p[1]" in difference(model, "template-1", old=1, new=2)
    roll_back(model, "template-1", version=1)
    assert "Paragraph 0 of" in model.extract(page(9), "http://news.example/9.html").articleBody
    assert len(list(versions(model))) == 2
    with pytest.raises(TemplateError, match="version 7"):
        find(model, "template-1", version=7)


@pytest.mark.parametrize("by_hand", [False, True])
def test_the_body_that_a_person_chose_stays_where_the_extractor_reads_more(by_hand: bool) -> None:
    def summed_up(html: str) -> str:
        number = html.partition(" story ")[2].split()[0]
        lines = (
            f"Line {k} of summary {number}: what the reader will learn here, and who said so."
            for k in range(20)
        )
        lead = "".join(f"<p>{line}</p>" for line in lines)
        return html.replace(
            '<div class="text">', f'<div class="lead">{lead}</div><div class="text">'
        )

    model = SiteModel("news.example")
    if by_hand:
        put(
            model,
            template_of({"site": "news.example", "body": "div.text", "fields": {"title": "h1"}}),
        )
    else:
        model.learn([(f"http://news.example/{n}.html", summed_up(page(n))) for n in range(8)])
        put(model, set_field(find(model, "template-1")[1], "body", source="div.text"))
    verdicts = crawl(model, range(10, 60), summed_up)
    articles = [verdict.article for verdict in verdicts if verdict.article]
    assert len(articles) == 50
    assert {article.provenance.method for article in articles} == {"template"}
    assert not any("summary" in article.articleBody for article in articles)
    flagged = [article for article in articles if article.provenance.flags]
    assert 0 < len(flagged) < 10, "those that were compared"
    assert {flag for article in flagged for flag in article.provenance.flags} == {"unconfirmed"}


def test_a_redesign_replaces_what_a_person_changed() -> None:
    model = learned()
    put(model, set_field(find(model, "template-1")[1], "date", source="span.date"))
    verdicts = crawl(model, range(30, 60), REDESIGNS["all renamed, table layout"])
    assert verdicts[-1].article is not None
    assert verdicts[-1].article.provenance.method == "template"
    assert word_f1(body_of(59), verdicts[-1].article.articleBody) > 0.95


def test_templates_travel_to_another_model() -> None:
    other = SiteModel("news.example")
    put(other, Template.from_dict(learned().templates[0].to_dict()))
    assert other.extract(page(9), "http://news.example/9.html").provenance.method == "template"


def test_a_family_may_have_any_name() -> None:
    model = learned()
    document = model.templates[0].to_dict() | {"name": "reviews"}
    put(model, Template.from_dict(document))
    model.learn([(f"http://news.example/x{n}.html", article_page(n)) for n in range(4)])
    assert {"template-1", "reviews", "template-2"} <= {family.name for family in model.families}


def test_a_date_of_change_that_a_person_gave_an_address_is_read_there() -> None:
    model = learned()
    html = page(20).replace("<body>", '<body><p id="changed">Changed on 2031-02-03</p>', 1)
    assert model.extract(html, "http://news.example/20.html").dateModified is None
    document = model.templates[0].to_dict()
    document["fields"]["dateModified"] = {"sources": ['id("changed")']}
    put(model, Template.from_dict(document))
    assert model.extract(html, "http://news.example/20.html").dateModified == "2031-02-03"


def test_a_candidate_answers_only_where_the_extractor_finds_nothing() -> None:
    model = learned()
    template = model.templates[0]
    template.state = TemplateState.CANDIDATE
    assert model.extract(page(20), "http://news.example/20.html").provenance.method == "fallback"
    assert template.state == "candidate"


def test_an_address_that_is_none_is_survived() -> None:
    model = SiteModel()
    model.learn([("http://[::1", page(n)) for n in range(6)])
    assert model.site == ""
    assert model.extract(page(9), "http://[::1").headline == "The bridge story 9"


def test_a_date_beyond_all_calendars_is_none() -> None:
    item = {"url": "http://example.com/a", "dateModified": None}
    revise(item, dict(item), modified="Fri, 31 Dec 9999 23:59:59 -0500")
    assert item["dateModified"] is None


# ---- between crawls
def reloaded(model: SiteModel) -> SiteModel:
    return SiteModel.from_dict(json.loads(json.dumps(model.to_dict())))


def test_a_page_a_day_is_enough_for_a_template() -> None:
    model = SiteModel("news.example")
    methods, kinds = [], []
    for number in range(10):
        verdict = crawl(model, range(number, number + 1))[0]
        assert verdict.article is not None
        methods.append(verdict.article.provenance.method)
        kinds += [str(event.kind) for event in (*verdict.events, *model.settle())]
        model = reloaded(model)
    assert methods[-5:] == ["template"] * 5
    assert kinds.count("trusted") == 1


def test_samples_go_when_the_template_is_trusted_and_refined() -> None:
    model = SiteModel()
    crawl(model, range(3))
    assert [len(kept) for kept in model.to_dict()["samples"].values()] == [3]
    crawl(model, range(3, 4))
    assert model.templates[0].is_trusted
    assert [len(kept) for kept in model.to_dict()["samples"].values()] == [4]
    crawl(model, range(4, 12))
    assert model.to_dict()["samples"] == {}


def test_samples_come_back_when_their_family_is_met() -> None:
    model = SiteModel()
    crawl(model, range(3))
    again = reloaded(model)
    assert again.to_dict() == model.to_dict()
    assert not again.families[0].samples
    crawl(again, range(3, 4))
    assert [sample.page.url[-6:] for sample in again.families[0].samples] == [
        f"{n}.html" for n in range(4)
    ]
    assert again.templates[0].is_trusted


def test_a_redesign_is_learned_a_page_a_day() -> None:
    change = REDESIGNS["body id now holds navigation"]
    model = SiteModel()
    crawl(model, range(20))
    served = []
    for number in range(20, 36):
        verdict = crawl(model, range(number, number + 1), change)[0]
        assert verdict.article is not None
        good = word_f1(body_of(number), verdict.article.articleBody) >= 0.95
        served.append(good and verdict.article.provenance.method == "template")
        model.settle()
        model = reloaded(model)
    assert all(served[-6:])


def test_nothing_new_is_not_induced_again() -> None:
    model = SiteModel()
    crawl(model, range(2))
    model.settle()
    version = model.families[0].versions[-1].version
    again = reloaded(model)
    assert again.settle() == []
    assert again.families[0].versions[-1].version == version


def test_a_page_met_again_is_one_sample() -> None:
    model = SiteModel()
    crawl(model, range(2))
    for _ in range(3):
        model = reloaded(model)
        crawl(model, range(2))
        assert [event.kind for event in model.settle()].count(EventKind.TRUSTED) == 0
    assert len(model.families[0].samples) == 2
    assert model.families[0].collected == 2


@pytest.mark.parametrize("html", ["", "!", "eJw=", b64encode(b"not deflated").decode()])
def test_damaged_samples_are_left_out(html: str) -> None:
    model = SiteModel()
    crawl(model, range(2))
    document = model.to_dict()
    document["samples"]["template-1"][0]["html"] = html
    again = SiteModel.from_dict(document)
    crawl(again, range(5, 6))
    assert [sample.page.url[-6:] for sample in again.families[0].samples] == ["1.html", "5.html"]


@pytest.mark.parametrize(
    "samples", [3, {"template-1": 4}, {"template-1": [{}]}, {"template-1": ["x"]}]
)
def test_a_document_with_damaged_samples_is_refused(samples: object) -> None:
    with pytest.raises(TemplateError):
        SiteModel.from_dict(SiteModel("x").to_dict() | {"samples": samples})


def test_a_sample_that_would_explode_is_left_out() -> None:
    packed = {
        "url": "",
        "html": b64encode(zlib.compress(b"<p>" + b"a " * LIMITS.body_bytes)).decode(),
    }
    assert unpack(packed) is None


def test_a_packed_page_is_read_as_it_was() -> None:
    for html in (
        page(3),
        chinese_page(3),
        "<p>a&nbsp;&lt;b&gt; \U0001f600<br>c<noscript>d</noscript>",
    ):
        one = parse(html, "http://x.example/3")
        other = unpack(pack(one))
        assert other is not None
        assert (other.url, other.document.chunks, other.document.tags) == (
            one.url,
            one.document.chunks,
            one.document.tags,
        )


def test_a_model_goes_round_through_pickle() -> None:
    model = SiteModel("news.example", "2026-01-02", method="justext")
    crawl(model, range(3))
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert again.to_dict() == model.to_dict()
    assert (again.families.today, again.method) == ("2026-01-02", "justext")
    assert repr(again) == "<SiteModel 'news.example': 1 families of pages, 0 templates>"


# ---- articles that look like listing pages
def crowded(number: int, links: int) -> str:
    """An article of one sentence beside ``links`` dated headlines of other articles."""
    teasers = "".join(
        f'<h2><a href="/2024/05/b-{n}.html">Story {n} of the tram line, told in detail</a></h2><i>2024-05-{n % 27 + 1:02d}</i>'
        for n in range(links)
    )
    head, _, rest = article_page(number).partition('<div class="text">')
    text = f'<div class="text"><p>The {number}th bridge is open, and few people came to see it.</p></div>'
    return (
        head
        + text
        + rest.partition("</div>")[2].replace('<div class="side">', f'<div class="side">{teasers}')
    )


@pytest.mark.parametrize("links", [20, 40, 80])
def test_a_short_article_among_many_links_is_known_by_its_template_and_its_url(links: int) -> None:
    model = SiteModel()
    for number in range(14):
        model.observe(article_page(number), f"http://x.example/2024/05/a-{number}.html", 0.95)

    def found(path: str, promise: float) -> str:
        article = model.observe(crowded(77, links), f"http://x.example{path}", promise).article
        return article.articleBody if article else ""

    assert "77th bridge" in found("/2024/05/a-77.html", 0.3)
    assert not found("/2024/05/a-77.html", 0.05)  # no link promised an article
    assert not found("/city/", 0.3)  # the template has met no such URL


# ---- what changes within a design
PROMISES = [
    f"Our partner number {n} offers hosting, a free domain and daily backups from one euro a month."
    for n in range(4)
]


def story(number: int, inside: str = "", moved: bool = False, beside: str = "") -> str:
    """A page of eight paragraphs; with ``moved`` the second half stands in a block of its own
    behind the body."""
    said = [
        f"<p>Paragraph {k} of story {number} tells at some length, and with a comma, what council {number * 7 + k} said of bridge {number + k}.</p>"
        for k in range(8)
    ]
    first, second = "".join(said[:4]), "".join(said[4:])
    second = f'</div><div class="more-part">{second}</div>' if moved else f"{second}</div>"
    head = f"<head><title>Story {number} of the bridge - The Example</title></head>"
    top = (
        f'<ul class="menu"><li><a href="/">Home</a></li></ul><h1>Story {number} of the bridge</h1>'
    )
    return (
        f'<html>{head}<body>{top}<div class="story">{inside}{first}{second}{beside}</body></html>'
    )


def told(model: SiteModel, numbers: range, make: Callable[[int], str]) -> list[Verdict]:
    return [model.observe(make(n), f"http://news.example/{n}.html", 0.95) for n in numbers]


def body(model: SiteModel, html: str, number: int) -> str:
    return model.extract(html, f"http://news.example/{number}.html").articleBody


def advertised(number: int) -> str:
    box = "".join(f"<p>{PROMISES[k % 4]}</p>" for k in (number, number + 1))
    return story(number, f'<div class="promo-box">{box}</div>')


def test_a_block_that_begins_to_stand_in_the_body_is_learned_away() -> None:
    model = SiteModel()
    told(model, range(12), story)
    verdicts = told(model, range(12, 22), advertised)
    assert any(event.detail == "new elements" for verdict in verdicts for event in verdict.events)
    assert any("promo-box" in rule for rule in model.templates[0].body.without)
    for number in (12, 21):
        assert "Our partner" not in body(model, advertised(number), number)
        assert f"Paragraph 7 of story {number}" in body(model, advertised(number), number)


def test_a_model_that_only_extracts_says_that_the_site_may_have_changed() -> None:
    model = SiteModel()
    model.learn([(f"http://news.example/{number}.html", story(number)) for number in range(12)])
    new = "The council of the bridge spoke, at length, of all that it cost. " * 4
    boxed = story(30, f"<div class=see-also><p>{new}</p></div>")
    for html, flags in (
        (story(30), []),
        (boxed, ["unconfirmed"]),
        (story(30, moved=True), ["template-doubted"]),
    ):
        article = model.extract(html, "http://news.example/30.html")
        assert "Paragraph 7 of story 30" in article.articleBody
        assert article.provenance.flags == flags


def test_a_new_block_that_is_body_is_learned_as_such() -> None:
    model = SiteModel()
    told(model, range(12), story)

    def quoted(number: int) -> str:
        line = f"The mayor, who opened bridge {number * 3}, told the reporters in detail what it had cost, and why it took so long."
        return story(
            number,
            f'<div class="voices"><p>{line}</p><p>{line.replace("mayor", "builder")}</p></div>',
        )

    told(model, range(12, 22), quoted)
    assert "div.voices" in (model.templates[0].body.known or [])
    assert "told the reporters" in body(model, quoted(30), 30)


def test_a_notice_on_every_page_raises_no_alarm() -> None:
    notice = "".join(
        f"<p>Before you go on, paragraph {n}: we keep cookies on your device, to count visits, and you may agree or refuse.</p>"
        for n in range(30)
    )
    model = SiteModel()
    told(model, range(12), story)
    verdicts = told(
        model, range(12, 24), lambda n: story(n, beside=f'<div class="layer">{notice}</div>')
    )
    assert not [
        event
        for verdict in verdicts
        for event in verdict.events
        if event.kind in (EventKind.DRIFTING, EventKind.REDESIGNED)
    ]
    last = verdicts[-1].article
    assert last is not None
    assert (last.provenance.method, last.provenance.flags) == ("template", [])


def test_half_of_the_body_in_a_second_block_is_not_lost_in_silence() -> None:
    model = SiteModel()
    told(model, range(12), story)
    verdicts = told(model, range(12, 24), lambda n: story(n, moved=bool(n % 2)))
    model.settle()
    for number, verdict in enumerate(verdicts, 12):
        article = verdict.article
        assert article is not None
        if verdict.waits:
            article = model.extract(
                story(number, moved=bool(number % 2)), f"http://news.example/{number}.html"
            )
        assert f"Paragraph 7 of story {number}" in article.articleBody or article.provenance.flags


def test_a_page_that_was_doubted_waits() -> None:
    model = SiteModel()
    told(model, range(12), story)
    verdict = told(model, range(13, 14), lambda n: story(n, moved=True))[0]
    assert verdict.article is not None
    assert (verdict.waits, verdict.article.provenance.flags) == (True, ["template-doubted"])


def test_what_was_met_lately_outlives_a_crawl() -> None:
    model = SiteModel()
    told(model, range(12), story)
    for number in range(12, 22):
        told(model, range(number, number + 1), advertised)
        model = SiteModel.from_dict(json.loads(json.dumps(model.to_dict())))
    assert any("promo-box" in rule for rule in model.templates[0].body.without)


# ---- pages of another kind
def department(number: int) -> str:
    """A page of a department: all of ``id="main"`` below the headline is its text."""
    text = "".join(
        f"<p>Part {k}: office {number * 5 + k} opens on day {k} and answers letters of citizens in street {number}.</p>"
        for k in range(5)
    )
    return f"<html><title>Department {number} - The Town</title><body><div class='top'><a href='/'>Town</a></div><div id='main'><h1>Department {number}</h1>{text}</div></body></html>"


def news(number: int) -> str:
    """An article of the same site: its text is a block among others of ``id="main"``, the slogan of
    the page stands in ``h1``."""
    text = "".join(
        f"<p>Paragraph {k} of story {number}: how bridge {k * 7 + number} was planned, who paid for it, and why it took so long.</p>"
        for k in range(6)
    )
    more = "".join(
        f"<li><a href='/news/{number + k}.html'>Another story, number {number + k}, that many people read</a></li>"
        for k in range(15)
    )
    said = "".join(
        f"<div class='reply'><b>Reader {k}</b><p>I cross bridge {k + number} each day, and I doubt it.</p></div>"
        for k in range(8)
    )
    return f"""<html><title>The bridge story {number} - The Town</title><body><div class='top'><a href='/'>Town</a></div><div id='main'>
<section class='story'><header class='head'><h1>News of our town</h1><h2>The bridge story {number}</h2><time>2024-05-{number % 27 + 1:02d}</time></header>
<div class='text'>{text}</div><footer class='foot'><ul class='more'>{more}</ul></footer></section><section class='talk'><h3>Replies</h3>{said}</section></div></body></html>"""


def town() -> SiteModel:
    model = SiteModel()
    model.learn([(f"http://town.example/department-{n}/", department(n)) for n in range(8)])
    return model


def test_a_template_answers_pages_of_another_kind_only_where_the_extractor_agrees() -> None:
    model = town()
    assert (
        model.extract(department(9), "http://town.example/department-9/").provenance.method
        == "template"
    )
    for number in range(4):
        article = model.extract(news(number), f"http://town.example/news/{number}.html")
        assert "I doubt it" not in article.articleBody
        assert f"Paragraph 5 of story {number}" in article.articleBody
        assert article.datePublished == f"2024-05-{number + 1:02d}"


def test_a_page_of_another_kind_is_less_sure() -> None:
    model = town()
    same, other = (
        model.extract(department(9), f"http://town.example/{path}/")
        for path in ("department-9", "news/2024/5")
    )
    assert same.provenance.method == other.provenance.method == "template"
    assert other.provenance.confidence < same.provenance.confidence


def test_a_template_that_leaves_nothing_of_the_body_is_doubted() -> None:
    model = learned()
    model.templates[0].body.without.append('.//p[contains(concat(" ", @class, " "), " part ")]')
    article = model.extract(
        page(20).replace("<p>Para", "<p class='part'>Para"), "http://news.example/20.html"
    )
    assert word_f1(body_of(20), article.articleBody) > 0.9
    assert (article.provenance.method, article.provenance.flags) == (
        "fallback",
        ["template-doubted"],
    )


def test_a_page_that_waits_again_after_a_kill_checks_no_template() -> None:
    model = SiteModel()
    crawl(model, range(4))
    assert model.templates[0].is_trusted
    assert not model.is_settled("template-1")
    crawl(model, range(4))
    assert model.families[0].checked == 0
    crawl(model, range(4, 8))
    assert model.is_settled("template-1")


LAYER = "".join(
    f"<p>Before you go on, part {k}: we and our partners keep cookies on your device, to count visits, to show what may interest you; agree, choose, or refuse.</p>"
    for k in range(12)
)


@pytest.mark.parametrize(
    "box", ['<div class="layer">{}</div>', '<section id="consent"><h2>Cookies</h2>{}</section>']
)
@pytest.mark.parametrize("before", ['<div class="footer">', '<div class="text">', "</body>"])
def test_what_a_page_is_doubted_for_is_not_learned_from_it(box: str, before: str) -> None:
    def grown(number: int) -> str:
        text = box.format(LAYER)
        return page(number).replace(
            before, f"{before}{text}" if "text" in before else f"{text}{before}"
        )

    model = SiteModel()
    crawl(model, range(4))
    for number in range(4, 14):
        model.observe(grown(number), f"http://news.example/{number}.html", 0.95)
    assert (
        word_f1(model.extract(grown(20), "http://news.example/20.html").articleBody, body_of(20))
        > 0.95
    )
    (template, *_) = model.templates
    assert not template.is_whole_page


PICTURE, SCAN = (
    '<img src="/photos/{n}.jpg" width="800">',
    '<a href="/files/{n}.pdf">Open the scan</a>',
)


@pytest.mark.parametrize(
    ("content", "flags"),
    [
        (PICTURE, ["no-text"]),
        (SCAN, ["no-text"]),
        ('<iframe src="https://video.example/{n}"></iframe>', ["no-text"]),
        ('<a href="/next/{n}.html">Next</a>', []),
        ('<img src="/icon.gif" width="16">', []),
        ("", []),
    ],
)
def test_an_article_without_text_says_what_it_is(content: str, flags: list[str]) -> None:
    def empty(number: int) -> str:
        before, text, rest = page(number).partition('<div class="text">')
        return (
            before
            + text
            + content.format(n=number)
            + rest[rest.index('</div><div class="share">') :]
        )

    alone = SiteModel().extract(empty(3), "http://news.example/3.html")
    by_template = learned().extract(empty(30), "http://news.example/30.html")
    for found in (alone, by_template):
        if not found.articleBody.strip():
            assert [flag for flag in found.provenance.flags if flag == "no-text"] == flags
            assert flags or (
                found.provenance.confidence == 0 and "unsure" in found.provenance.flags
            )
    assert (
        "no-text"
        not in learned().extract(page(31) + content, "http://news.example/31.html").provenance.flags
    )
    assert not alone.articleBody.strip()
