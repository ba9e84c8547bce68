"""The day of publication where a page says several, or one that can be read in two ways."""

from __future__ import annotations

import json

import pytest

import sitecrawl
from sitecrawl.text.dates import find_date

PLACES = "harbour bridge library tram market school park observatory theatre".split()


def page(
    top: str,
    *,
    head: str = "",
    lang: str = "en",
    below: str = "",
    number: int = 0,
) -> str:
    """An article below a headline; ``top`` stands between them, ``below`` behind the first
    paragraph."""
    place = PLACES[number % len(PLACES)]
    prose = [
        f"<p>Paragraph {at} on the {place}, long enough to be read as prose, with commas, and "
        f"written for story {number} by somebody who went there and counted {at + 7} boats.</p>"
        for at in range(5)
    ]
    title = f"The {place} opens after {number + 2} winters of repair"
    return (
        f'<html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title>{head}</head><body><main>'
        f"<h1>{title}</h1>{top}{prose[0]}{below}{''.join(prose[1:])}</main></body></html>"
    )


def published(name: str, day: str) -> str:
    return f'<meta name="{name}" content="{day}">'


def day_of(html: str, url: str = "http://news.example/a/story.html") -> str | None:
    return (sitecrawl.extract(html, url).datePublished or "")[:10] or None


LABELLED = [
    ("tr", "Güncelleme Tarihi: 06.07.2023 09:15 - Giriş Tarihi: 05.07.2023 10:30"),
    ("tr", "Son Güncelleme: 06.07.2023 | Eklenme: 05.07.2023"),
    ("hi", "अपडेटेड: 06 जुलाई 2023 | प्रकाशित: 05 जुलाई 2023"),
    ("bn", "আপডেট: 6 জুলাই 2023 | প্রকাশ: 5 জুলাই 2023"),
    ("pl", "Aktualizacja: 06.07.2023 | Dodano: 05.07.2023"),
    ("pl", "Zmodyfikowano: 06.07.2023, dodany: 05.07.2023"),
    ("vi", "Cập nhật: 06/07/2023 | Đăng lúc: 05/07/2023"),
    ("de", "Aktualisiert am 06.07.2023 | Erschienen am 05.07.2023"),
    ("nl", "Bijgewerkt: 06-07-2023 | Geplaatst: 05-07-2023"),
    ("es", "Actualizado: 06 Julio 2023 Creado: 05 Julio 2023"),
    ("pl", "Poprawiono / aktualizacja: 06 lipiec 2023, utworzono: 05 lipiec 2023"),
    ("ru", "Обновлено: 06 июля 2023 Создано: 05 июля 2023"),
    ("nl", "Laatst bijgewerkt: 06 juli 2023 | Gemaakt: 05 juli 2023"),
    ("et", "Muudetud: 06.07.2023 | Avaldatud: 05.07.2023"),
    ("sl", "Posodobljeno: 06.07.2023 | Objavljeno: 05.07.2023"),
    ("sk", "Upravené: 06.07.2023 | Zverejnené: 05.07.2023"),
    ("bg", "Обновена: 06.07.2023 | Публикувана: 05.07.2023"),
    ("uk", "Оновлено: 06.07.2023 | Додано: 05.07.2023"),
    ("ru", "Обновлено: 06.07.2023 | Добавлено: 05.07.2023"),
    ("id", "Diperbarui: 06/07/2023 | Tayang: 05/07/2023"),
    ("th", "อัปเดต: 06/07/2566 | เผยแพร่: 05/07/2566"),
    ("fr", "Mis à jour le 06/07/2023 | Mis en ligne le 05/07/2023"),
    ("fa", "به‌روز رسانی: ۱۴۰۲/۰۴/۱۵ | منتشر: ۱۴۰۲/۰۴/۱۴"),
    ("ja", "2023年7月6日更新／2023年7月5日公開"),
    ("ko", "2023.07.06 수정 | 2023.07.05 게시"),
    ("zh", "2023-07-06 更新 2023-07-05 发布"),
]


@pytest.mark.parametrize(("lang", "line"), LABELLED)
def test_the_published_one_of_two_labelled_days(lang: str, line: str) -> None:
    assert day_of(page(f"<div>{line}</div>", lang=lang)) == "2023-07-05"


BEHIND = [
    ("de", "Dieser Artikel wurde am 14. Dezember 2015 um 14:48 von Jens Kolk veröffentlicht."),
    ("de", "Dieser Beitrag wurde am 14.12.2015 um 14:48 Uhr von Jens Kolk erstellt."),
    ("de", "Dieser Beitrag wurde am 14.12.2015 um 14:48 von Jens Kolk eingestellt."),
    ("de", "Dieser Artikel wurde am 14. Dezember 2015 um 14:48 geschrieben."),
    ("nl", "Dit artikel is op 14 december 2015 om 14:48 toegevoegd door Jens Kolk."),
    ("nl", "Dit bericht werd op 14 december 2015 om 14:48 door Jens Kolk geplaatst."),
    ("sv", "Det här inlägget blev den 14 december 2015 klockan 14:48 av Jens publicerat."),
    ("tr", "Bu yazı 14 Aralık 2015 tarihinde 14:48 saatinde Jens Kolk yayınladı ve ekledi."),
    ("hu", "Ez a bejegyzés 2015. december 14. 14:48 időpontban Jens Kolk nevén megjelent."),
    (
        "ko",
        "이 글은 2015년 12월 14일 14:48에 옌스 콜크 님이 항구 이야기 분류에 작성하였습니다 읽어 주세요.",
    ),
    (
        "ja",
        "この記事はハーバーブログの編集部により2015年12月14日 14:48に港のカテゴリーで公開されました。",
    ),
]


@pytest.mark.parametrize(("lang", "line"), BEHIND)
def test_a_verb_behind_the_day_announces_it(lang: str, line: str) -> None:
    html = page("", lang=lang).replace(
        "</main>", f'<p class="postmetadata"><small>{line}</small></p></main>'
    )
    assert day_of(html) == "2015-12-14"


@pytest.mark.parametrize(
    ("lang", "line"),
    [
        ("de", "Dieser Artikel wurde am 14. Dezember 2015 in Hafen veröffentlicht."),
        ("nl", "Dit bericht werd op 14 december 2015 in Haven geplaatst."),
        ("tr", "Bu yazı 14 Aralık 2015 tarihinde Liman bölümünde yayınlandı."),
        ("hu", "Ez a bejegyzés 2015. december 14. napján a Kikötő rovatban megjelent."),
        ("ja", "この記事は港のカテゴリーで編集部の手により2015年12月14日に公開されました。"),
        ("ko", "이 글은 항구 이야기 분류에 2015년 12월 14일에 게시되었습니다."),
    ],
)
def test_a_sentence_about_this_article_tells_its_day(lang: str, line: str) -> None:
    html = page("", lang=lang).replace("</main>", f"<p>{line}</p></main>")
    assert day_of(html) == "2015-12-14"


def test_a_verb_behind_a_day_in_prose_announces_no_article() -> None:
    said = "<p>Der lange Bericht wurde am 14. Dezember 2015 von der Stadt veröffentlicht.</p>"
    assert day_of(page("", lang="de", below=said)) is None


@pytest.mark.parametrize(
    ("line", "head", "url", "lang", "day"),
    [
        # the metadata name one of the two readings
        ("06/01/2020", published("article:published_time", "2020-06-01T21:53:12+00:00"), "/a", "en", "2020-06-01"),
        ("06/01/2020", published("article:published_time", "2020-01-06T21:53:12+00:00"), "/a", "en", "2020-01-06"),
        ("Publicado 06/01/2020", published("article:modified_time", "2020-06-01T10:00:00Z"), "/a", "es", "2020-06-01"),
        # the URL does
        ("10/11/2022", "", "/2022/10/11/story", "en", "2022-10-11"),
        ("10/11/2022", "", "/2022/11/10/story", "pt", "2022-11-10"),
        ("10/11/2022", "", "/2022/10/story", "en", "2022-10-11"),
        # a time of day with a zone of North America
        ("10/11/2022 08:00 AM EDT", "", "/a", "en", "2022-10-11"),
        ("10/11/2022, 8:00 p.m. PT", "", "/a", "en", "2022-10-11"),
        ("10/11/2022 08:00 AM IST", "", "/a", "en", "2022-11-10"),
        # another date on the page has a number above 12
        ("10/11/2022 | 10/14/2022", "", "/a", "en", "2022-10-11"),
        ("10/11/2022 | 14/10/2022", "", "/a", "en-US", "2022-11-10"),
        # no text is published after its last change
        ("10/11/2022", published("article:modified_time", "2022-10-20T10:00:00Z"), "/a", "en", "2022-10-11"),
        # the language decides last
        ("10/11/2022", "", "/a", "en-US", "2022-10-11"),
        ("10/11/2022", "", "/a", "es-US", "2022-10-11"),
        ("10/11/2022", '<meta property="og:locale" content="en_US">', "/a", "en", "2022-10-11"),
        ("10/11/2022", '<meta property="og:locale" content="en_GB">', "/a", "en", "2022-11-10"),
        ("10/11/2022", '<meta http-equiv="content-language" content="en-us">', "/a", "", "2022-10-11"),
        ("10/11/2022", '<meta property="og:locale" content="en_US">', "/a", "en-AU", "2022-11-10"),
        ("10/11/2022", "", "/a", "en-GB", "2022-11-10"),
        ("10/11/22", "", "/a", "en-US", "2022-10-11"),
        ("10/11/22", "", "/a", "en-GB", "2022-11-10"),
        ("10/11/22", "", "/2022/10/11/story", "en", "2022-10-11"),
        ("10/11/2022", "", "/a", "fr", "2022-11-10"),
        ("10.11.2022", "", "/a", "en-US", "2022-11-10"),
    ],
)  # fmt: skip
def test_day_and_month_in_the_order_of_the_page(
    line: str, head: str, url: str, lang: str, day: str
) -> None:
    html = page(f"<div>Posted by Ann Lee, <span>{line}</span></div>", head=head, lang=lang)
    assert day_of(html, f"http://news.example{url}") == day


def test_metadata_in_the_order_of_the_page() -> None:
    """Both readings are Tuesdays, so the day of the week does not decide."""
    head = published("article:published_time", "Tue, 07/11/2023 - 17:57")
    assert day_of(page("<p>Updated 07/14/2023</p>", head=head)) == "2023-07-11"
    assert day_of(page("<p>Updated 14/07/2023</p>", head=head)) == "2023-11-07"


def test_a_found_date_keeps_both_readings() -> None:
    found = find_date("06/01/2020 10:30")
    assert found is not None
    assert (found.value, found.other) == ("2020-01-06T10:30:00", "2020-06-01T10:30:00")
    for text in ("13/01/2020", "06.01.2020", "Tue, 07/01/2020", "2020-01-06", "6 January 2020"):
        found = find_date(text)
        assert found is not None
        assert not found.other


@pytest.mark.parametrize(
    ("lang", "title", "line", "day"),
    [
        ("th", "", "15/06/2566 10:30", "2023-06-15"),
        ("th-TH", "", "15-06-2566", "2023-06-15"),
        ("th", "", "วันที่ 15/06/66 เวลา 10.30 น.", "2023-06-15"),
        ("th", "", "15/06/23", "2023-06-15"),
        ("en", "ท่าเรือเก่าเปิดอีกครั้ง", "15/06/2566", "2023-06-15"),
        ("fa", "", "1402/03/25 - 10:30", "2023-06-15"),
        ("fa-IR", "", "25/03/1402", "2023-06-15"),
        ("ar", "", "1444/11/26", "2023-06-15"),
        ("zh-TW", "", "112/06/15", "2023-06-15"),
        ("zh-Hant", "", "112-06-15 10:30", "2023-06-15"),
        ("zh-CN", "", "112/06/15", None),
        ("en", "", "15/06/2566 10:30", None),
    ],
)
def test_years_of_the_calendar_of_the_language(
    lang: str, title: str, line: str, day: str | None
) -> None:
    html = page(f"<div>{line}</div>", lang=lang)
    if title:
        html = html.replace("<title>", f"<title>{title} - ")
    assert day_of(html) == day


@pytest.mark.parametrize(
    "quoted",
    [
        '<blockquote class="twitter-tweet"><p>All is on loan.</p>&mdash; Library <a href="https://t.example/1">September 27, 2020</a></blockquote>',
        "<blockquote>Bibliothèque, 27 septembre 2020</blockquote>",
        "<figure><img src=a.jpg><figcaption>Hafen, 27.09.2020</figcaption></figure>",
        '<div class="bbcode_quote"><div>Ann schrieb am 27.09.2020</div></div>',
        '<div class="quote"><font>本帖由 王明 于 2020-9-27 发表</font></div>',
        '<p class="wp-caption-text">Hafen am Abend, 27.09.2020</p>',
        '<div class="tweet">Library: all is on loan. Sep 27, 2020</div>',
        '<p><a href="/b">Read also: a frost in April surprised all gardeners (27 Sep 2020)</a></p>',
        '<div class="quotetitle">Escrito por Ana, 27/09/2020</div>',
    ],
)
def test_days_of_quotations_and_captions_are_none_of_the_article(quoted: str) -> None:
    head = published("article:published_time", "2020-09-28T23:12:35+00:00")
    assert day_of(page("", head=head, below=quoted)) == "2020-09-28"
    assert day_of(page("", below=quoted)) is None


@pytest.mark.parametrize(
    "teaser",
    [
        "<article><h3><a href='/b'>Frost in April</a></h3><time datetime='2020-09-27'>27 Sep</time></article>",
        "<li><h4><a href='/b'>Frost im April</a></h4><p>27.09.2020</p><p>Er kam in der Nacht.</p></li>",
        "<article><h2><a href='/b'>Geada em abril</a></h2><p>27 de setembro de 2020</p></article>",
    ],
)
def test_days_of_teasers_are_none_of_the_article(teaser: str) -> None:
    html = page("").replace("</main>", f"<section><ul>{teaser * 2}</ul></section></main>")
    assert day_of(html) is None


@pytest.mark.parametrize("names", ["published", "updated published", ""])
def test_the_title_of_an_abbreviation_is_a_day(names: str) -> None:
    abbr = f"<abbr class='{names}' title='2023-07-05T10:30:00+03:00'>10:30</abbr>"
    foot = (
        f"<div class=post-footer>Ann Onym {abbr} <abbr title='Portable Document'>PDF</abbr></div>"
    )
    assert day_of(page("").replace("</main>", f"{foot}</main>")) == "2023-07-05"


def test_a_day_of_a_side_box_replaces_none() -> None:
    head = published("article:published_time", "2020-09-28T23:12:35+00:00")
    box = '<aside class="related"><a href="/b">Frost</a> <span>27 settembre 2020</span></aside>'
    assert day_of(page("", head=head, below=box)) == "2020-09-28"


@pytest.mark.parametrize(
    ("lang", "line"),
    [
        ("de", "27.01.2022"),
        ("fr", "Publié le 27 janvier 2022"),
        ("pl", "27 stycznia 2022"),
        ("ru", "27 января 2022"),
        ("zh", "2022年1月27日"),
        ("es", "27 de enero de 2022"),
    ],
)
@pytest.mark.parametrize("name", ["date", "dc.date", "dcterms.created"])
def test_when_a_record_was_made_gives_way_to_the_printed_day(
    name: str, lang: str, line: str
) -> None:
    head = published(name, "2021-12-20T11:02:44+01:00")
    assert day_of(page(f'<p class="date">{line}</p>', head=head, lang=lang)) == "2022-01-27"
    assert day_of(page("", head=head, lang=lang)) == "2021-12-20"


def test_metadata_of_the_publication_come_before_those_of_the_record() -> None:
    linked = json.dumps({"@type": "NewsArticle", "dateCreated": "2021-12-20"})
    head = f'<script type="application/ld+json">{linked}</script>'
    head += published("article:published_time", "2022-01-27T08:00:00+01:00")
    assert day_of(page("", head=head)) == "2022-01-27"


@pytest.mark.parametrize(
    "line",
    [
        "UPDATED Nov 9, 2020",
        "Aktualisiert: 9. November 2020",
        "Mis à jour le 9 novembre 2020",
        "Actualizado: 9 de noviembre de 2020",
        "更新：2020年11月9日",
        "Обновлено 9 ноября 2020",
    ],
)
def test_the_day_of_a_change_confirms_nothing_and_wins_nothing(line: str) -> None:
    stamp = published("article:published_time", "2020-11-09T03:00:00Z")
    assert day_of(page(f"<p>Nov 8, 2020</p><p>{line}</p>", head=stamp)) == "2020-11-08"
    stamp = published("date", "2020-11-02")
    assert day_of(page(f"<p>{line}</p>", head=stamp)) == "2020-11-02"


@pytest.mark.parametrize(
    "text",
    [
        "25/11/2017 01:57 | Actualizado a 27/11/2017 19:20",
        "25.11.2017, 01:57 Uhr | Aktualisiert 27.11.2017",
        "Publié le 25/11/2017, mis à jour le 27/11/2017",
        "25 ноября 2017, обновлено 27 ноября 2017",
        "2017-11-25 / 更新 2017-11-27",
        "25 novembre 2017 (aggiornato il 27 novembre 2017)",
    ],
)
def test_an_element_of_a_change_may_print_both_days(text: str) -> None:
    for names in ('itemprop="dateModified"', 'class="updated"', ""):
        marked = f'<time {names} datetime="2017-11-27T19:20:45+01:00">{text}</time>'
        assert day_of(page(marked)) == "2017-11-25"


@pytest.mark.parametrize(
    ("stamp", "url", "day"),
    [
        ("2020-02-25T02:25:54+00:00", "/2020/02/24/wells/", "2020-02-24"),
        ("2020-02-25T02:25:54Z", "/news/20200224/wells.html", "2020-02-24"),
        ("2020-02-24T23:30:00Z", "/2020-02-25/wells", "2020-02-25"),
        ("2020-02-25T14:25:54Z", "/2020/02/24/wells/", "2020-02-25"),
        ("2020-02-25T02:25:54+09:00", "/2020/02/24/wells/", "2020-02-25"),
        ("2020-02-25T02:25:54Z", "/2020/02/20/wells/", "2020-02-25"),
    ],
)
def test_an_evening_in_utc_is_the_day_of_the_url(stamp: str, url: str, day: str) -> None:
    head = published("article:published_time", stamp)
    assert day_of(page("", head=head), f"http://news.example{url}") == day


@pytest.mark.parametrize(
    "title",
    [
        "News from the harbour of 24 February 2020",
        "Nachrichten aus dem Hafen vom 24. Februar 2020",
        "Nouvelles du port du 24 février 2020",
        "Noticias del puerto del 24 de febrero de 2020",
        "港口新闻汇总与评论 2020年2月24日",
        "Новости порта за 24 февраля 2020",
    ],
)
def test_a_day_that_the_headline_names_replaces_none(title: str) -> None:
    head = published("article:published_time", "2020-02-25T02:25:54Z")
    html = page("", head=head).replace("The harbour opens after 2 winters of repair", title)
    assert day_of(html) == "2020-02-25"


def test_a_day_above_the_headline_counts() -> None:
    head = published("article:published_time", "2020-02-25T02:25:54Z")
    html = page("", head=head)
    above = html.replace("<h1>", "<p>24. Februar 2020</p><h1>")
    assert day_of(above) == "2020-02-24"
    top = html.replace("<main>", "<header><p>24. Februar 2020</p></header><main>")
    assert day_of(top) == "2020-02-25"


def learned(pages: list[tuple[str, str]]) -> str | None:
    """The day of the first page by a template of the others."""
    site = sitecrawl.SiteModel()
    site.learn([sitecrawl.RawPage(html.encode(), url) for html, url in pages[1:]])
    html, url = pages[0]
    found = site.extract(html=html, url=url)
    assert found.provenance.method == "template"
    return (found.datePublished or "")[:10] or None


@pytest.mark.parametrize(("lang", "last", "day"), [
    ("en", "05/13/2020", "2020-06-01"),
    ("en-US", "13/05/2020", "2020-01-06"),
    ("fr", "05/13/2020", "2020-06-01"),
    ("fil", "05/04/2020", "2020-06-01"),
    ("en-US", "05/04/2020", "2020-06-01"),
    ("es", "05/04/2020", "2020-01-06"),
])  # fmt: skip
def test_one_page_of_a_template_decides_the_order_for_all(lang: str, last: str, day: str) -> None:
    lines = ["06/01/2020", "04/02/2020", "03/07/2020", "02/11/2020", "09/08/2020", last]
    pages = [
        (
            page(
                f"<div class=post>Story <span class=day>{line}</span></div>", lang=lang, number=at
            ),
            f"http://news.example/story/{300 + at}",
        )
        for at, line in enumerate(lines)
    ]
    assert learned(pages) == day


def test_a_template_reads_years_of_the_calendar_of_the_language() -> None:
    pages = [
        (
            page(f"<div class=day>1{at}/0{at + 1}/2566</div>", lang="th", number=at),
            f"http://news.example/story/{300 + at}",
        )
        for at in range(6)
    ]
    assert learned(pages) == "2023-01-10"


def test_a_template_takes_the_evening_from_the_url() -> None:
    days = [("25T02:25:54", "24"), ("20T15:00:00", "20"), ("18T16:00:00", "18")]
    days += [("12T17:00:00", "12"), ("07T18:00:00", "07"), ("03T15:10:00", "03")]
    pages = [
        (
            page("", head=published("article:published_time", f"2020-02-{stamp}Z"), number=at),
            f"http://news.example/2020/02/{day}/story-{at}/",
        )
        for at, (stamp, day) in enumerate(days)
    ]
    assert learned(pages) == "2020-02-24"


@pytest.mark.parametrize(
    ("lang", "day"),
    [
        ("de", "{at}. Januar 2019"),
        ("fr", "le {at} janvier 2019"),
        ("es", "{at} de enero de 2019"),
        ("ru", "{at} января 2019"),
        ("ja", "2019年1月{at}日"),
        ("pl", "{at} stycznia 2019 r."),
        ("en", "January {at}, 2019"),
    ],
)
def test_a_template_drops_metadata_that_contradict_the_print_on_most_pages(
    lang: str, day: str
) -> None:
    """All pages were imported in one week; the lines have no word that one page could go by."""
    pages = [
        (
            page(
                f"<p class=when>{day.format(at=10 + at)}</p>",
                head=published("article:published_time", f"2022-06-0{1 + at}T08:00:00+02:00"),
                lang=lang,
                number=at,
            ),
            f"http://news.example/story/{300 + at}",
        )
        for at in range(6)
    ]
    assert learned(pages) == "2019-01-10"
    later = [(html.replace("2019", "2024"), url) for html, url in pages]
    assert learned(later) == "2022-06-01"


@pytest.mark.parametrize(
    "names",
    ["updated", "entry-date-updated", "date modified", "lastmod", "post-last-edit"],
)
def test_of_two_marked_times_the_changed_one_is_named(names: str) -> None:
    first = f'<time class="{names}" datetime="2017-11-27">Monday</time>'
    other = '<time class="entry-date published" datetime="2017-11-25">Saturday</time>'
    assert day_of(page(f"<p>{first} {other}</p>")) == "2017-11-25"
    assert day_of(page(f"<p>{other} {first}</p>")) == "2017-11-25"
    assert day_of(page(f"<p>{first}</p>")) == "2017-11-27"
    both = '<time class="published updated" datetime="2017-11-26">Sunday</time>'
    assert day_of(page(f"<p>{both}</p>")) == "2017-11-26"


BESIDE = [
    ("en", "Joined: {}"),
    ("en", "Member since {}"),
    ("en", "Last post {}"),
    ("de", "Anmeldungsdatum: {}"),
    ("de", "Registriert seit: {}"),
    ("de", "Neuester Beitrag {}"),
    ("fr", "Inscrit le {}"),
    ("fr", "Dernier message : {}"),
    ("es", "Miembro desde: {}"),
    ("es", "Último mensaje: {}"),
    ("it", "Iscritto il: {}"),
    ("nl", "Laatste bericht: {}"),
    ("pt", "Última resposta: {}"),
    ("pl", "Rejestracja: {}"),
    ("ru", "Зарегистрирован: {}"),
    ("ru", "Последнее сообщение {}"),
    ("tr", "Kayıt Tarihi: {}"),
    ("zh", "注册时间：{}"),
    ("zh", "最后发表 {}"),
    ("ja", "登録日: {}"),
    ("vi", "Ngày tham gia: {}"),
]


@pytest.mark.parametrize(("lang", "label"), BESIDE)
def test_days_of_members_and_of_last_posts_are_none_of_the_thread(lang: str, label: str) -> None:
    line = f"<div>{label.format('2010-03-08')}</div>"
    posted = "<div>mila99</div><div>2020-04-22 10:15</div>"
    url = "http://p.example/forum/viewtopic.php?t=5"
    assert day_of(page(line + posted, lang=lang), url) == "2020-04-22"
    assert day_of(page(f"<div>{label.format('<time>2021-03-08</time>')}</div>", lang=lang)) is None


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("w-published-date", "2023-07-05"),
        ("date-pub", "2023-07-05"),
        ("prism.publicationDate", "2023-07-05"),
        ("x-pubdate", "2023-07-05"),
        ("story:publish_time", "2023-07-05"),
        ("article-publish-timestamp", "2023-07-05"),
        ("publisher-date", None),
        ("page-modified-date", None),
    ],
)
def test_a_meta_element_whose_name_speaks_of_a_publication(name: str, day: str | None) -> None:
    assert day_of(page("", head=published(name, "2023-07-05T06:03:43Z"))) == day


@pytest.mark.parametrize("moment", [1688551800, 1688551800.0, "1688551800", 1688551800000])
def test_a_number_of_seconds_is_a_moment(moment: float | str) -> None:
    linked = json.dumps({"@type": "NewsArticle", "headline": "x", "datePublished": moment})
    script = f'<script type="application/ld+json">{linked}</script>'
    assert day_of(page("", head=script)) == "2023-07-05"
    named = published("article:published_time", str(moment).removesuffix(".0"))
    assert day_of(page("", head=named)) == "2023-07-05"


@pytest.mark.parametrize("moment", ["NaN", "1e999", "-1688551800", "16885518", "9999999999999"])
def test_other_numbers_are_no_moments(moment: str) -> None:
    script = f'<script type="application/ld+json">{{"@type":"Article","datePublished":{moment}}}</script>'
    assert day_of(page("", head=script)) is None


def test_the_start_of_a_live_blog_is_its_day() -> None:
    linked = {"@type": "LiveBlogPosting", "coverageStartTime": "2023-07-05T10:00:00Z"}
    script = f'<script type="application/ld+json">{json.dumps(linked)}</script>'
    assert day_of(page("", head=script)) == "2023-07-05"


@pytest.mark.parametrize("line", ["UPDATED Jul 9, 2023", "Joined Mar 2019", "Stand: 09.07.2023"])
def test_a_line_with_a_date_of_its_own_is_no_label(line: str) -> None:
    assert day_of(page(f"<p>{line}</p><p>Jul 5, 2023</p>")) == "2023-07-05"
