"""URL schemes of synthetic portals. Data and how a scheme becomes a URL; no site's own.

Fields: ``sec`` and ``top`` slugs of the section and its parent, ``sid`` and ``id`` numbers of section and page, ``slug``, ``word``,
``hash`` of the page, ``y m d ym ymd md`` of its date, ``name`` of a fixed page, ``lang``, ``tag``.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

ARTICLES = {
    "gov": "/{sec}/{id}.html /{path}/{ym}/t{ymd}_{id}.html /{path}/{id}.html /art/{y}/{m}/{d}/art_{sid}_{id}.html /{y}-{m}/{d}/content_{id}.htm "
    "/info/{sid}/{id}.htm /{sec}/content/post_{id}.html /{sec}/{hash}.shtml /show.asp?id={id} /detail.jsp?id={id}&cid={sid} /{path}/content_{id}.html "
    "/{sec}/{y}{md}/{id}.html /{sec}/{slug} /content/{id}.jhtml /news/newsDetail.do?articleId={id} /{sec}/{slug}.aspx /site/{sec}/{y}/{slug}",
    "school": "/info/{sid}/{id}.htm /{path}/{id}.html /{sec}/{y}/{md}/c{sid}a{id}/page.htm /{sec}/{id}.htm /show.php?id={id} /news/{sid}/{id}.html "
    "/{sec}/show-{id}.html /view.asp?ArticleID={id}&ClassID={sid} /{sec}/{slug} /{sec}/{slug}.html /{y}/{m}/{slug}/ /{slug}/ /{sec}/content.php?nid={id} "
    "/{name0}/{sec}/{slug}/ /artikel/{id}-{slug} /{sec}/{word}.html",
    "news": "/{sec}/{y}/{m}/{d}/{slug}/ /{sec}/{y}/{m}/{d}/{id}.html /{sec}/{slug}-{id} /{sec}/{slug}_{id}.html /{y}/{m}/{d}/{slug} /a/{ymd}/{id}.htm "
    "/{sec}/{id} /{slug}-{id}.html /{sec}/article{id}.html /article/{slug},{id} /{sec}/c/{y}-{md}/{id}.shtml /n{sid}/{y}/{md}/c{sid}-{id}.html /{path}/{slug}/ "
    "/{sec}/{slug} /story/{hash} /{lang}/{sec}/{slug} /{slug}/{id}/ /p/{id}.html /{sec}/{slug}.html /{ymd}/{slug}-{id} /news/{id} /{sec}/{ym}/{slug}.html",
    "forum": "/thread-{id}-1-1.html /t/{slug}/{id} /viewtopic.php?f={sid}&t={id} /topic/{id}-{slug}/ /{sec}/{id} /{sec}/{slug}.{id}/ /showthread.php?t={id} /read.php?tid={id} "
    "/d/{id}-{slug} /post/{id} /bbs/{sec}/{id}.html /index.php?topic={id}.0 /questions/{id}/{slug} /{sec}/t{id}-{slug} /topic-{id}.aspx",
    "blog": "/{y}/{m}/{d}/{slug}/ /{y}/{m}/{slug}.html /{slug}/ /{slug}.html /{slug} /posts/{slug}/ /post/{id}.html /archives/{id}.html /archives/{id}/ /?p={id} /blog/{slug} "
    "/{y}/{slug}/ /p/{hash}/ /{sec}/{slug}.html /{id}.html /{ymd}/{id}.html /articles/{slug}.html /{y}/{md}/{word}.html /{sec}/{word}/ /{word}.html /entry/{id} /note/{y}-{m}-{d}-{slug}",
    "company": "/news/{id}.html /news/{slug}/ /newsdetail_{id}.html /blog/{slug} /{sec}/{id}.html /article_{id}.aspx /news/detail?id={id} /{slug}/ /{sec}/{slug} /resources/{sec}/{slug} "
    "/index.php?c=show&id={id} /nd.jsp?id={id} /{sec}/{y}/{slug}.html /{sec}_detail/{id}.html /new/{ymd}{id}.html /insights/{slug}.html",
}
SECTIONS = {
    "gov": "/{path}/ /{path}/index.html /{path}/index.shtml /col/col{sid}/index.html /{sec}.html /{sec} /list/{sid}.html /list.asp?cid={sid} /node_{sid}.htm /{path}/list.html "
    "/channel/{sid}.jhtml /{sec}.htm /class/{sid}.html /site/{sec} /{path} /lm/{sid}/",
    "school": "/{path}/list.htm /{sec}.htm /{path}.htm /{sec}/ /list.php?cid={sid} /news/{sid}.html /{sec}/list-{sid}.html /more.asp?ClassID={sid} /{sec} /category/{sec}/ /info/{sid}.htm "
    "/{name0}/{sec}/ /{sec}/index.php /{sec}.html /kategorie/{sid}-{sec} /{sid}/list1.htm",
    "news": "/{sec}/ /{sec} /{path}/ /{path} /{sec}/index.html /section/{sec} /{lang}/{sec} /rubrik/{sec}.html /{sec}.html /n{sid}/index.html /list_{sid}_1.html /{sec}/index.shtml /c/{sec} "
    "/themes/{sid} /{sec}/all /channel-{sid}.html /{top}/{sec}",
    "forum": "/forum-{sid}-1.html /c/{sec}/{sid} /viewforum.php?f={sid} /forum/{sid}-{sec}/ /{sec} /{sec}/ /forumdisplay.php?fid={sid} /thread.php?fid={sid} /t/{sec} /board/{sid} /bbs/{sec}/ /index.php?board={sid}.0 "
    "/questions/tagged/{sec} /{sec}/f{sid} /list/{sid}.aspx",
    "blog": "/category/{sec}/ /categories/{sec}/ /category/{sec} /tags/{sec}/ /{sec}/ /{sec}.html /?cat={sid} /blog/category/{sec} /topics/{sec} /c/{sec}/ /kat/{sec}/ /sort/{sid} /{path}/ /{sec} /label/{sec} "
    "/category-{sid}.html /posts/{sec}/",
    "company": "/news/ /{sec}/ /{sec}.html /{sec} /list_{sid}.html /{sec}_{sid}/ /blog/{sec} /resources/{sec}/ /newslist.aspx?tid={sid} /index.php?c=category&id={sid} /{sec}/index.html /col.jsp?id={sid} /news/{sec}/ "
    "/{sec}list.html",
}
FIXED = (
    "/{name}.html /{name}/ /{name} /about/{name}.html /about/{name}/ /{name}.php /page/{name} /pages/{name}.html /{name}/index.html /{name}.htm /single.php?id={n} /?page_id={n} "
    "/{lang}/{name} /content/{name} /info/{name}.html /{n}.html /about.asp?id={n} /{name0}/{name} /{name0}/{name}.html /static/{name}.htm /{name}.aspx /page_{n}.html /service/{name}/ /web/guest/{name} /index.php?action={name}"
).split()
ARTICLES["org"] = (
    f"{ARTICLES['blog']} {ARTICLES['school']} /actualites/{{slug}} /aktuelles/{{slug}}.html /node/{{id}} /{{name0}}/{{sec}}/{{slug}}.html"
)
SECTIONS["org"] = f"{SECTIONS['blog']} {SECTIONS['school']} /{{path}}.html /taxonomy/term/{{sid}} /{{top}}/{{sec}}.html"
ARTICLES["lists"], SECTIONS["lists"] = ARTICLES["blog"], SECTIONS["blog"]


class Family(NamedTuple):
    """Schemes that come together, since one program makes them: of articles, sections, fixed pages, later parts and people."""

    kinds: str
    article: str
    section: str
    fixed: str
    paging: str
    person: str


_FAMILIES = """
news org blog | /spip.php?article{id} | /spip.php?rubrique{sid} | /spip.php?article{n} | {base}&debut_articles={s} | /spip.php?auteur{n}
news org school | /{slug} | /-{sec}- | /{name} | {base}?debut_articles={s} | /_{name}_
org blog school | /node/{id} | /taxonomy/term/{sid} | /node/{n} | {base}?page={b} | /user/{n}
org blog company news | /blog/{slug} | /category/{sec} | /{name} | {base}?page={b} | /users/{name}
org school gov news | /index.php/{sec}/{id}-{slug} | /index.php/{sec} | /index.php/{name} | {base}?start={s} | /index.php/{name}
org school gov | /index.php?option=com_content&view=article&id={id}:{slug}&catid={sid} | /index.php?option=com_content&view=category&id={sid} | /index.php?option=com_content&view=article&id={n} | {base}&limitstart={s} | /index.php?option=com_contact&id={n}
org blog company news | /{slug}/ | /category/{sec}/ | /{name}/ | {base}page/{p}/ | /author/{name}/
org blog | /?p={id} | /?cat={sid} | /?page_id={n} | {base}&paged={p} | /?author={n}
blog | /{y}/{m}/{slug}.html | /search/label/{tag} | /p/{name}.html | /search?start={s} | /profile/{n}
blog | /post/{id}/{slug} | /tagged/{sec} | /{name} | /page/{p} | /ask
blog | /archives/{id}.html | /archives/cat_{sec}.html | /{name}.html | /index_{p}.html | /mt/{name}
org news | /modules/news/article.php?storyid={id} | /modules/news/index.php?storytopic={sid} | /modules/tinyd/index.php?id={n} | {base}&start={s} | /userinfo.php?uid={n}
news org | /modules.php?name=News&file=article&sid={id} | /modules.php?name=News&new_topic={sid} | /modules.php?name=Content&pid={n} | {base}&pagenum={p} | /modules.php?name=Your_Account&user={n}
gov school company | /contents/{sid}/{id}.html | /channels/{sid}.html | /channels/{n}.html | {stem}_{p}.html | /contents/{n}.html
gov school company | /Item/{id}.aspx | /Category_{sid}/Index.aspx | /Category_{n}/Index.aspx | {dir}Index_{p}.aspx | /User_{n}.aspx
gov school | /info/{sid}/{id}.htm | /{path}.htm | /{path}.htm | {stem}/{p}.htm | /info/{sid}/{n}.htm
gov | /{path}/{ym}/t{ymd}_{id}.html | /{path}/ | /{path}/ | {base}index_{b}.html | /{path}/{name}.html
gov school | /art/{y}/{m}/{d}/art_{sid}_{id}.html | /col/col{sid}/index.html | /col/col{n}/index.html | {dir}index_{p}.html | /art/art_{n}.html
gov school | /{sec}/c{sid}/{y}{md}/{hash}.shtml | /{sec}/c{sid}/list.shtml | /{sec}/c{sid}/one.shtml | {stem}_{p}.shtml | /u/{n}.shtml
gov school company | /ShowNews.aspx?ID={id} | /NewsList.aspx?ClassID={sid} | /About.aspx?ID={n} | {base}&Page={p} | /Person.aspx?ID={n}
company school | /index.php?m=content&c=index&a=show&catid={sid}&id={id} | /index.php?m=content&c=index&a=lists&catid={sid} | /index.php?m=content&c=index&a=lists&catid={n} | {base}&page={p} | /index.php?m=member&id={n}
company school news | /a/{sec}/{y}/{md}/{id}.html | /a/{sec}/ | /a/{name}/ | {dir}list_7_{p}.html | /member/{n}.html
company school news | /plus/view.php?aid={id} | /plus/list.php?tid={sid} | /plus/list.php?tid={n} | {base}&PageNo={p} | /member/index.php?uid={n}
company news | /{sec}/{id}.html | /{sec}/ | /{name}.html | {base}index_{p}.html | /author/{n}.html
company news school | /newslist/{id}.html | /newslist/{long}.html | /newslist/{long}.html | {stem}_{p}.html | /teacher/{long}.html
school gov company | /p/{sid}/{long}.html | /p/{sid}/ | /p/{sid}/{long}.html | {base}index_{p}.html | /p/{sid}/{long}.html
gov school | /page/{id}.html | /list/{hash}.html | /list/{hash}.html | {stem}-{p}.html | /u/{hash}.html
school company | /col{sid}/article.html?id={id} | /col{sid}/articlecolumn.html | /col{sid}/col{n}/article.html | {stem}-{p}.html | /staff/{n}.html
news | /article/{id}.html | /article/item-{sid}.html | /about/item-{n}.html | {stem}-{p}.html | /author/{n}.html
news gov company | /{sec}/{id}.html | /{sec}/{sid}.html | /{sec}/{id}.html | {stem}_{p}.html | /user/{n}.html
news school | /{top}/{id}.html | /{top}/item-{sid}.html | /article/{id}.html | {stem}_{p}.html | /user/{n}.html
gov school | /c{sid}/{y}/{m}/{d}/{hash}.html | /c{sid}/{file}.html | /c{sid}/{file}.html | {stem}_{p}.html | /c{sid}/leader.html
gov school company | /{path}/{id}.htm | /{path}/{file}.htm | /{path}/{file}.htm | {stem}_{p}.htm | /{path}/{n}.htm
org blog | /{name0}/{sec}/{slug}.html | /{name0}/{sec}.html | /{name0}/{name}.html | {base}?page={b} | /{name0}/staff/{name}.html
forum | /viewtopic.php?f={sid}&t={id} | /viewforum.php?f={sid} | /ucp.php?mode={name} | {base}&start={s} | /memberlist.php?mode=viewprofile&u={n}
forum | /viewtopic.php?t={id} | /viewforum.php?f={sid} | /faq.php?mode={name} | {base}&start={s} | /profile.php?mode=viewprofile&u={n}
forum | /topic{id}.html | /forum{sid}.html | /{name}.html | {stem}-{s}.html | /member{n}.html
forum | /{sec}-f{sid}/{slug}-t{id}.html | /{sec}-f{sid}/ | /{name}.php | {dir}page{s}.html | /{name}-u{n}/
forum | /thread-{id}-1-1.html | /forum-{sid}-1.html | /misc.php?mod={name} | {cut}{p}.html | /space-uid-{n}.html
forum | /forum.php?mod=viewthread&tid={id}&extra=page%3D1 | /forum.php?mod=forumdisplay&fid={sid} | /misc.php?mod={name} | {base}&page={p} | /home.php?mod=space&uid={n}
forum | /showthread.php?{id}-{slug} | /forumdisplay.php?{sid}-{sec} | /faq.php?do={name} | {base}/page{p} | /member.php?{n}-{name}
forum | /showthread.php?t={id} | /forumdisplay.php?f={sid} | /{name}.php | {base}&page={p} | /member.php?u={n}
forum | /forum/{sec}/{id}-{slug} | /forum/{sec} | /{name} | {base}/page{p} | /members/{n}-{name}
forum | /threads/{slug}.{id}/ | /forums/{sec}.{sid}/ | /help/{name}/ | {base}page-{p} | /members/{name}.{n}/
forum | /index.php?topic={id}.0 | /index.php?board={sid}.0 | /index.php?action={name} | {base};start={s} | /index.php?action=profile;u={n}
forum | /index.php?showtopic={id} | /index.php?showforum={sid} | /index.php?act={name} | {base}&st={s} | /index.php?showuser={n}
forum | /topic/{id}/{slug} | /category/{sid}/{sec} | /{name} | {base}?page={p} | /user/{name}
forum | /bbs/board.php?bo_table={sec}&wr_id={id} | /bbs/board.php?bo_table={sec} | /bbs/content.php?co_id={name} | {base}&page={p} | /bbs/profile.php?mb_id={name}
forum | /read.php?tid={id} | /thread.php?fid={sid} | /{name}.php | {base}&page={p} | /u.php?uid={n}
"""
FAMILIES = [Family(*line.split(" | ")) for line in _FAMILIES.strip().splitlines()]
HASHED = "/newslist/{long}.html /list/{hash}.html /p/{sid}/{long}.html /channel/{long}/ /{sec}/{hash}/ /c/{hash} /col{long}.html /class/{hash}.htm /node/{hash}.html /{hash}/list.htm".split()
"""Schemes of listings that are named by what a machine drew."""
PRODUCTS = (
    "/product/{sec}/{id}.html /products/{slug}/ /product/{slug}.html /product_{id}.html /shop/{slug} /cpzx/{id}.html /p/{slug}-{id}.html /goods.php?id={id} /productshow.asp?id={id} /{sec}/{slug}.html /{sec}/{id}.html "
    "/product/{sec}/{y}-{m}-{d}/{id}.html /item/{id} /store/{sec}/{slug}.html /pd.jsp?id={id}"
).split()
SHELVES = "/product/{sec}/ /products/{sec}/ /product-category/{sec}/ /productlist_{sid}.html /shop/c/{sec} /cpzx/{sec}/ /category.php?id={sid} /product.asp?cid={sid} /{sec}/ /pr.jsp?groupId={sid} /collections/{sec}".split()
PLAIN = {
    "/{sec}/": "/{slug}/",
    "/{path}/": "/{slug}/",
    "/{sec}": "/{slug}",
    "/{path}": "/{slug}",
    "/{sec}.html": "/{slug}.html",
    "/{sec}.htm": "/{slug}.htm",
}
"""Schemes of sections that some sites use for articles as well."""
TAGS = "/tag/{tag} /tag/{tag}/ /tags/{tag}.html /tags/{tag}/ /topic/{tag} /?tag={tag} /tags.php?k={tag} /t/{tag}.htm /label/{tag} /thema/{tag} /tags/{n} /special/{tag}/ /zt/{n}/ /keyword/{tag}.html /hashtag/{tag} /themes/{tag}/".split()
INDEXES = "/{name}/ /{name} /{name}.html /{name}.php /{name}/index.html /blog/{name}/".split()
MONTHS = "/{y}/{m}/ /{y}/{m} /archives/{y}/{m}/ /archive/{y}-{m}.html /?m={ym} /{ym} /{y}/ /archive.php?month={ym} /date/{y}/{m} /blog/{y}/{m}/".split()
PEOPLE = "/author/{name}/ /u/{n} /space-uid-{n}.html /profile/{name} /home.php?mod=space&uid={n} /people/{name} /staff/{n}.html /user/{n} /@{name} /member.php?u={n} /teacher/{n}.htm /team/{name}/".split()
PAGES = (
    "{base}?page={p} {base}page/{p}/ {base}index_{p}.html {base}?p={p} {base}?start={s} {dir}{p}.html {stem}_{p}.html {stem}-{p}.html {base}page/{p} {dir}list{p}.htm {base}?paged={p} {base}{p}/ {stem}/{p}.htm {base}&page={p} "
    "{base}index{p}.htm {base}?currentPage={p} {stem}/p{p} {base}?pg={p}#list javascript:go({p})".split()
)


FILES = {
    "section": "list index list jump node channel default xxgk_list news_list".split(),
    "other": "one index list page jump detail leader".split(),
}
"""Names of the files of listings and of fixed pages, where a program has one for each of its templates."""


def pick(chance: Random, schemes: dict[str, str], kind: str) -> str:
    """A scheme of a kind of site, now and then that of another kind."""
    return chance.choice(schemes[kind if chance.random() < 0.85 else chance.choice(list(schemes))].split())


def turned(scheme: str, path: str, page: int) -> str:
    """URL of a later part of a listing.

    >>> turned("{base}?page={p}", "/news/", 2), turned("{stem}_{p}.html", "/list_3.html", 2), turned("{base}&page={p}", "/l?c=1", 3)
    ('/news/?page=2', '/list_3_2.html', '/l?c=1&page=3')
    >>> turned("{base}&start={s}", "/l?c=1", 3), turned("{base}?start={s}", "/l.php", 2)
    ('/l?c=1&start=40', '/l.php?start=20')
    """
    number = {"p": page, "b": page - 1, "s": 20 * (page - 1)}
    tail = scheme.removeprefix("{base}")
    if "?" in path:
        tail = tail if tail != scheme and tail[0] in "?&;/" else "&page={p}"
        return path + tail.replace("?", "&").format(**number)
    folder = path[: path.rfind("/") + 1]
    stem, dot, _ = path.rpartition(".")
    stem = stem if dot else path.rstrip("/") or "/index"
    base = path if "?" in scheme or path.endswith("/") else f"{stem}/"
    return scheme.replace("&", "?").format(base=base, dir=folder, stem=stem, cut=stem.rstrip("0123456789"), **number)
