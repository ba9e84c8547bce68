"""URL schemes of synthetic portals. Data and how a scheme becomes a URL; no site's own.

Fields: ``sec`` and ``top`` slugs of the section and its parent, ``sid`` and ``id`` numbers of section and page, ``slug``, ``word``,
``hash`` of the page, ``y m d ym ymd md`` of its date, ``name`` of a fixed page, ``lang``, ``tag``.
"""

from __future__ import annotations

from random import Random

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


def pick(chance: Random, schemes: dict[str, str], kind: str) -> str:
    """A scheme of a kind of site, now and then that of another kind."""
    return chance.choice(schemes[kind if chance.random() < 0.85 else chance.choice(list(schemes))].split())


def turned(scheme: str, path: str, page: int) -> str:
    """URL of a later part of a listing.

    >>> turned("{base}?page={p}", "/news/", 2), turned("{stem}_{p}.html", "/list_3.html", 2), turned("{base}&page={p}", "/l?c=1", 3)
    ('/news/?page=2', '/list_3_2.html', '/l?c=1&page=3')
    """
    if "?" in path:
        return f"{path}&page={page}"
    folder = path[: path.rfind("/") + 1]
    stem, dot, _ = path.rpartition(".")
    stem = stem if dot else path.rstrip("/") or "/index"
    base = path if "?" in scheme or path.endswith("/") else f"{stem}/"
    return scheme.replace("&", "?").format(base=base, dir=folder, stem=stem, p=page, s=20 * (page - 1))
