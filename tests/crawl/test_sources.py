"""Ways in which a page names further rows and lists besides links: attributes, elements that load
a page, choices of a list, clicked sums, scripts and data."""

from __future__ import annotations

from pathlib import Path

import pytest

from sitecrawl.crawl.sources import HintKind, HintSources, hints
from sitecrawl.dom.parse import parse
from tests.crawl.driver import Crawl, Network, Pages
from tests.pages import article_page, listing_page

_HALF = 8


def town(control: str, *places: str, fragment: bool = False) -> Pages:
    """A listing of eight articles with a ``control`` that names further listings of eight each."""
    pages = {f"/2024/05/a-{n}.html": article_page(n) for n in range(_HALF * (len(places) + 1))}
    bare = listing_page(range(_HALF))
    pager = bare[
        bare.index('<div class="pager">') : bare.index(
            "</div></div>", bare.index('<div class="pager">')
        )
        + 6
    ]
    pages["/"] = bare.replace(pager, f"<div>{control}</div>")
    for at, place in enumerate(places, 1):
        whole = listing_page(range(at * _HALF, (at + 1) * _HALF)).replace(pager, "")
        rows = whole[whole.index("<h1>City</h1>") + 13 : whole.index('<div class="footer">')]
        pages[place] = rows if fragment else whole
    return dict(pages)


def crawl_of(pages: Pages, folder: Path) -> Crawl:
    crawl = Crawl.of(Network(pages), folder)
    crawl.run()
    return crawl


ROWS: dict[str, tuple[str, str]] = {
    "htmx": ('<div hx-get="/?page=2" hx-trigger="revealed"></div>', "/?page=2"),
    "htmx as data": ('<div data-hx-get="/page/2/" data-hx-trigger="intersect"></div>', "/page/2/"),
    "relative": ('<div hx-get="?page=2" hx-trigger="revealed"></div>', "/?page=2"),
    "a frame of Turbo": ('<turbo-frame id="r" src="/stories/more" loading="lazy"></turbo-frame>',
                         "/stories/more"),
    "a fragment": ('<include-fragment src="/city/rest"></include-fragment>', "/city/rest"),
    "data of a button": ('<button data-next-page="/liste/seite/2">Mehr laden</button>', "/liste/seite/2"),
    "data of a list, Polish": ('<ul data-load-more-url="/aktualnosci/strona/2"></ul>',
                               "/aktualnosci/strona/2"),
    "an attribute of its own": ('<section next="/city/2/rows"></section>', "/city/2/rows"),
    "unpoly": ('<a up-defer up-href="/page/2/"></a>', "/page/2/"),
    "a button of a form": ('<form action="/search"><button formaction="/older">Older</button></form>',
                           "/older"),
    "a script": ("<script>var o = {nextUrl: '/page/2/', limit: 8};</script>", "/page/2/"),
    "state in the page": ('<script type="application/json">{"pages": {"next": "\\/?page=2"}}</script>',
                          "/?page=2"),
    "state with escaped slashes": (
        '<script>window.__STATE__={"list": {"next": "\\u002F?page=2\\u0026x=1"}}</script>', "/?page=2&x=1"),
    "a query in a script": ("<script>loadMore('?page=2')</script>", "/?page=2"),
}  # fmt: skip


@pytest.mark.parametrize("fragment", [False, True])
@pytest.mark.parametrize("way", ROWS)
def test_further_rows_are_found(tmp_path: Path, way: str, fragment: bool) -> None:
    control, place = ROWS[way]
    assert len(crawl_of(town(control, place, fragment=fragment), tmp_path).feed) == 2 * _HALF


def test_rows_of_a_table_may_be_a_fragment(tmp_path: Path) -> None:
    pages = town(
        '<table><tr hx-get="/?page=2" hx-trigger="revealed"><td></td></tr></table>', "/?page=2"
    )
    rows = "".join(
        f'<tr><td>2024-05-{n:02}</td><td><a href="/2024/05/a-{n}.html">Harbour bridge number {n}</a></td></tr>'
        for n in range(_HALF, 2 * _HALF)
    )
    assert len(crawl_of(pages | {"/?page=2": rows}, tmp_path).feed) == 2 * _HALF


@pytest.mark.parametrize(
    "name", ["hx-post", "hx-delete", "data-hx-put", "ic-post-to", "data-action", "action"]
)
def test_what_is_sent_is_not_requested(name: str) -> None:
    page = parse(f'<div {name}="/rows/12">x</div>', "http://news.example/")
    assert [*hints(page)] == []


@pytest.mark.parametrize(
    "attribute",
    ['data-src="/a.jpg"', 'poster="/a.png"', 'data-bg="/img/a.webp"', 'class="/x"', 'data-id="12"',
     'data-page="2"', 'data-title="/ what a day"', 'data-css="/a.css"', 'title="/a/b"'],
)  # fmt: skip
def test_pictures_and_names_are_no_rows(attribute: str) -> None:
    page = parse(f"<div {attribute}>x</div>", "http://news.example/")
    assert [*hints(page)] == []


_YEARS = (
    "<option>2024</option><option value='2023'>2023</option><option value=' 2022'>2022</option>"
)
_FUNCTION = "function gehe(j) {{ window.location.href = '/archiv/' + j + '/'; }}"
CHOICES: dict[str, tuple[str, str]] = {
    "a sum": ("""<select onchange="location.href='archive.php?year=' + this.options[this.selectedIndex].value">""",
              "/archive.php?year={}"),
    "its own page": ("""<select onchange="location='?year='+this.value">""", "/?year={}"),
    "a path, German": ("""<select onchange="window.location='/archiv/'+this.value+'/'">""", "/archiv/{}/"),
    "a function, Polish": ("<script>function idz(r){location.href='/archiwum?rok='+r}</script>"
                           """<select onchange="idz(this.value)">""", "/archiwum?rok={}"),
    "a function of the element": ("<script>function go(s){if(s.value){document.location.href="
        "'/arsiv-'+s.value+'.html'}}</script><select onchange='go(this)'>", "/arsiv-{}.html"),
    "jQuery": ("""<script>$('#an').change(function(){ window.location.href = '/annee/' + $(this).val(); });"""
               """</script><select id="an">""", "/annee/{}"),
    "a listener": ("""<script>document.getElementById("rok").addEventListener("change", e => {"""
        """ location.assign('/rok/' + encodeURIComponent(e.target.value)); });</script><select id="rok">""",
        "/rok/{}"),
    "a function that reads the list, Polish": ("<script>function pokaz() { var m = document.getElementById('m').value;"
        " document.location = '/archiwum/' + m + '/'; }</script><select id=m onchange='pokaz()'>", "/archiwum/{}/"),
    "a template": ("<select onchange=\"location.href=`/nian/${this.value}.html`\">", "/nian/{}.html"),
    "a search": ("""<select onchange="location.search='y='+this.value">""", "/?y={}"),
    "a variable": ("""<select onchange="var v=this.value; if (v) location.href='/ano/'+v;">""", "/ano/{}"),
    "Alpine": ("""<select @change="window.location.href = '/anno/' + $event.target.value">""", "/anno/{}"),
}  # fmt: skip


@pytest.mark.parametrize("form", CHOICES)
def test_the_years_of_an_archive_are_chosen(tmp_path: Path, form: str) -> None:
    begin, place = CHOICES[form]
    places = [place.format(year) for year in (2024, 2023, 2022)]
    pages = town(f"{begin}{_YEARS}</select>", *places)
    assert len(crawl_of(pages, tmp_path).feed) == 4 * _HALF


@pytest.mark.parametrize(
    "begin",
    [
        '<select onchange="sort(this.value)">',
        """<select onchange="document.cookie='size='+this.value">""",
        """<select onchange="location.href=base+this.value">""",
        """<select onchange="location.href='/fixed'">""",
        '<select name="year">',
        """<select onchange="alert('location of '+this.value)">""",
    ],
)
def test_choices_that_open_no_known_page_name_none(begin: str) -> None:
    page = parse(f"<div>{begin}{_YEARS}</select></div>", "http://news.example/")
    assert not [url for url, kind in hints(page) if kind is HintKind.CHOSEN]


@pytest.mark.parametrize(
    ("action", "path"),
    [
        ("location.href='/archive/'+2023", "/archive/2023"),
        ("window.open('/monat/' + '05' + '.html')", "/monat/05.html"),
        ("location.assign('?y=' + 2023 + '&m=' + 5)", "?y=2023&m=5"),
        ("document.location='/arkiv?aar='+2023; return false", "/arkiv?aar=2023"),
        ("location.replace('/nian/'+2023+'/')", "/nian/2023/"),
    ],
)
def test_sums_of_a_clicked_element_are_read(action: str, path: str) -> None:
    page = parse(f'<span onclick="{action}">2023</span>', "http://news.example/")
    found = [url for url, kind in hints(page) if kind is HintKind.SHOWN]
    assert f"http://news.example{'/' if path[0] == '?' else ''}{path}" in found


def test_many_attributes_and_choices_are_bounded() -> None:
    options = "".join(f"<option>{n}</option>" for n in range(5_000))
    html = f"""<select onchange="location='?y='+this.value">{options}</select>""" + (
        '<i data-url="/a/1"></i>' * 20_000
    )
    assert len([*hints(parse(html, "http://news.example/"))]) <= 202
    long = parse(f'<select onchange="{"`" * 50_000}">{options}</select>', "http://news.example/")
    assert HintSources(long).attributes


COMPOSED = {
    "Next.js": ("/blog/{}", '<script id="__NEXT_DATA__" type="application/json">{{"props": {{"posts": [{}]}}}}</script>',
                '{{"slug": "{}", "tags": ["town"]}}'),
    "a state, with an ending": ("/artikel/{}.html", "<script>window.__STATE__ = {{list: [{}]}}</script>",
                                '{{"id": 7, "url_name": "{}"}}'),
    "Nuxt, with a folder": ("/noticias/{}/", '<script type="application/json">[{}]</script>', '{{"key": "{}"}}'),
}  # fmt: skip


@pytest.mark.parametrize("kind", COMPOSED)
def test_pages_that_data_names_by_their_last_steps_are_found(tmp_path: Path, kind: str) -> None:
    form, state, row = COMPOSED[kind]
    names = [f"the-bridge-number-{n}" for n in range(2 * _HALF)]
    places = [form.format(name) for name in names]
    home = listing_page(range(_HALF)).replace("/city/page/2/", "/")
    for n in range(_HALF):
        home = home.replace(f"/2024/05/a-{n}.html", places[n])
    data = state.format(", ".join(row.format(name) for name in names))
    pages: Pages = {place: article_page(n) for n, place in enumerate(places)}
    pages["/"] = home.replace("</body>", f"{data}</body>")
    network = Network(pages)
    crawl = Crawl.of(network, tmp_path)
    crawl.run()
    assert crawl.paths == sorted(places)
    assert len(network.asked) <= 2 * _HALF + 8
