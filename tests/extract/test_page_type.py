"""What kind of page is it: a heading that is a link says that the page leads on to its article."""

from __future__ import annotations

from sitecrawl.dom.parse import parse
from sitecrawl.extract.single import Extraction

PROSE = (
    "<p>"
    + "The ferry left the harbour at nine, and nobody on board knew what the captain had decided that night. "
    * 4
)


def page(head: str) -> str:
    return f"""<html><head><title>Ferries - The Example</title></head><body><nav><a href="/">Home</a> <a href="/tags/">Tags</a></nav>
<main><h1>Ferries</h1><article>{head}<p>Published on <time datetime="2024-05-03">3 May 2024</time></p>{PROSE}</article></main>
<footer>The Example</footer></body></html>"""


def test_headings_that_lead_on() -> None:
    heads = (
        '<h2><a href="/posts/ferry/">The ferry</a></h2><a href="/posts/tram/"><h3>The tram</h3></a>'
    )
    own = '<h2><a href="#top">Up</a></h2><h2><a href="http://other.example/">Elsewhere</a></h2><h2>Plain</h2>'
    own_page = parse(page(heads + own), "http://example.com/tags/ferries/")
    leading = own_page.leading
    assert [
        text for text, leads in zip(own_page.document.blocks.texts, leading, strict=True) if leads
    ] == [
        "The ferry",
        "The tram",
    ]


def test_a_heading_that_links_to_what_the_page_calls_its_own_url_leads_nowhere() -> None:
    """The same article may be requested by another URL, with the number of a session or of a
    campaign."""
    link = page('<h2><a href="/?p=959">The night ferry</a></h2>')
    named, nameless = (
        Extraction(parse(html, "http://example.com/?p=959&visit=7"))
        for html in (
            link.replace(
                "<title>", '<link rel="canonical" href="http://example.com/?p=959"><title>'
            ),
            link,
        )
    )
    assert named.page_type == "article"
    assert nameless.page_type != "article" or nameless.page_type_score < named.page_type_score - 0.1


def test_a_heading_that_links_to_the_url_of_its_page_leads_nowhere_whatever_campaign_it_names() -> (
    None
):
    own_page = parse(
        page('<h2><a href="/ferry">Up</a></h2>'), "http://example.com/ferry?utm_source=feed"
    )

    assert not own_page.leading.any()


def test_the_head_of_one_article_speaks_for_a_listing() -> None:
    led, plain = (
        Extraction(parse(page(head), "http://example.com/tags/ferries/"))
        for head in (
            '<h2><a href="/posts/the-night-ferry/">The night ferry</a></h2>',
            "<h2>The night ferry</h2>",
        )
    )
    assert plain.page_type == "article"
    assert led.page_type != "article" or led.page_type_score < plain.page_type_score - 0.1


def test_posts_with_times_are_a_thread_and_an_article_in_a_box_named_post_is_none() -> None:
    heads = [f"<p class='author'>Ann Onym, 3 May 2024 at 0{n}:30</p>" for n in range(1, 5)]
    posts = "".join(f"<div class='post message'>{head}{PROSE}</div>" for head in heads)
    thread = page("").replace(PROSE, posts)
    assert Extraction(parse(thread, "http://example.com/t/5")).page_type == "thread"
    years = "<p>In 2024: a ferry</p><p>In 2023: a tram</p><p>In 2020: a bus</p>"
    below = "".join(f"<p>Posted at 1{n}:30</p>" for n in range(4))
    article = (
        page("")
        .replace("<article>", "<article class='post'>")
        .replace("<footer>", f"<footer>{below}")
    )
    article = article.replace(PROSE, f"{PROSE}{years}{PROSE}")
    assert Extraction(parse(article, "http://example.com/ferry")).page_type == "article"
