"""References of a page as absolute URLs; the canonical form of a URL: one key for all spellings of
a page, and a clean URL to request."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from urllib.parse import parse_qsl, quote, unquote, urlencode, urljoin, urlsplit, urlunsplit

from sitecrawl.limits import LIMITS, cached
from sitecrawl.urls.scope import bare_host, host_of

_TRACKING = re.compile(
    r"^(?:(?:utm|mtm|hsa|pk|itm|oly|vero|piwik|matomo|mkt|stm)_\w+|(?:fb|g|y|ys|d|tw|tt|fbc|gc|twc|yc|ysc|ir)c?lid"
    r"|msclkid|(?:rb_|ir)?clickid|[gw]braid|g(?:ad_source|clsrc|s_l)|srsltid|spm|_g[al]|_hs(?:enc|mi)|hsctatracking|mc_(?:[ce]id|source|medium)|ml_subscriber(?:_hash)?"
    r"|ga_(?:source|medium|term|content|campaign|place)|igsh(?:id)?|li_fat_id|epik|_openstat|xtor|at_(?:medium|campaign)|s_cid|[in]cid|cmpid|ref_src|hmsr|wt\.mc_id)$",
    re.I,
)
"""Names of parameters that only programs for statistics of visits use. The families are those that
https://github.com/adbar/courlan and the query stripping of Firefox list; its general words ("source",
"session") are judged by what a site does."""
_MAYBE_TRACKING = re.compile(r"^(?:ref|share\w*|from)$", re.I)
"""Names of parameters that tell where a reader comes from or, as often, identify a story: then the
value is a number or a date, or the links of the site show it (``crawl/parameters.py``)."""
_NUMBER = re.compile(r"^\d[\d.:/-]*$")  # an id or a date, which names a page
_FRESH = re.compile(r"^(?:_|cb|nocache|no_cache|rnd|rand|random|ts|timestamp)$", re.I)
_MOMENT = re.compile(
    r"^(?:\d{10,}|0?\.\d+)$"
)  # values of parameters that defeat caches: a time or a random number
_ENDS = frozenset(("to", "till", "until"))  # parameters beside which `from` begins a range
_NAMED = (
    r"phpsessid|jsessionid|aspsessionid\w*|oscsid|zenid|cfid|cftoken|sess(?:ion)?_?id|s?id_?session"
)
_SESSION_NAME = re.compile(rf"^(?:{_NAMED})$", re.I)
_MAYBE_SESSION = re.compile(r"^(?:sid|s|sess|session|token)$", re.I)
"""Names of parameters that hold a session or, as often, a story's number or a search; the value
decides, and the links of the site."""
_RANDOM = re.compile(
    r"^(?=\D*\d)[0-9a-z]{16,}$", re.I
)  # letters and digits: a session id and no word
_SESSION = re.compile(
    rf";(?:{_NAMED}|sid)=[^/?;]*|/\((?:[A-Z]\([^()/]*\))+\)(?=/)|/(?:{_NAMED}|sid)[=-][0-9a-z]{{16,}}(?=/)",
    re.I,
)
FILES = frozenset(
    "jpg jpeg png gif webp svg ico bmp tif tiff avif heic pdf ps djvu doc docx xls xlsx ppt pptx pps odt ods odp rtf csv zip rar 7z gz "
    "tgz bz2 xz tar exe msi dmg apk deb rpm jar iso mp3 m4a mp4 m4v mpg mpeg avi mov wmv wma flv webm ogg wav mid xml rss "
    "atom txt ics vcf kml woff woff2 ttf eot swf psd epub mobi torrent gba nds bin dat".split()
)
"""Extensions of files that are not pages. Unknown extensions may be pages, since content management
systems have their own."""
CODE = frozenset("js css json c h cpp py java".split())
"""Extensions of files in which headlines end, too (``/posts/whats-new-in-node.js``): what comes
tells, by its content type."""
_INDEX = re.compile(r"(?<!/)/(?:index|default)\.(?:s?html?|xhtml)$", re.I)  # index file of a folder
_UNSEEN = re.compile(r"[\x00-\x1f\x7f]")
_ESCAPE = re.compile(r"%[0-9a-fA-F]{2}")
_POSTS = frozenset(
    "post p pid postid post_id comment comment_id commentid cid msg msgid message reply".split()
)
"""Query keys that name one post of a page, if the fragment has the same number:
``?t=7&post=12#12``, ``?tid=7&pid=12#pid12``."""
_TOPICS = frozenset("t tid topic topicid topic_id thread threadid thread_id showtopic id".split())
"""Query keys that name the page of such a post."""
_BREAKS = re.compile(r"[\t\r\n]")
_STEP = r"[\w%~+-][\w%~+.-]*+"  # one part of a path, not . or ..
_PATH = rf"(?:{_STEP}(?:/{_STEP})*+/?)?+(?:\?[\w%&=+.,-]++)?+(?:#[\w-]++)?"
_PLAIN = re.compile(rf"(?a)(?:(https?://[\w.:-]++/)|(/)|((?:\.\./)++|(?=[\w%~+-]))){_PATH}")
"""The most frequent forms of references, which need no parser: a complete URL, or a path from the
root, from a folder above, or from the folder."""
_COMPLETE = re.compile(rf"(?a)(?:https?://[\w.:-]++/|(/)){_PATH}")
"""Those that need no base, or no more of it than its host."""
_ORIGIN = re.compile(r"https?://[\w.:-]+(?=[/?#]|$)", re.A)
_FOLDER = re.compile(rf"(https?://[\w.:-]+/(?:{_STEP}/)*)[^/?#]*(?:[?#]|$)", re.A)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.I)
_ROOTED = (
    "/",
    "http://",
    "https://",
)  # how references begin that depend on the host of their page alone


@cached(4_096)
def url_key(url: str) -> str:
    """The key of a page. Fragment, surely named session and tracking parameters, scheme, ``www.``, escapes, the
    order of parameters, a final slash and the index file of a folder make no difference.

    >>> url_key("https://www.Example.com/a%2Fb/?utm_source=x&p=2#top"), url_key("http://example.com/a/index.html")
    ('example.com/a/b?p=2', 'example.com/a')
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    path = _readable(without_session(parts.path)).replace("?", "%3F")
    pairs = _pairs(parts.query) if parts.query else []
    query = sorted((pair for pair in pairs if not _is_noise(*pair)), key=lambda pair: pair[0])
    path = (path if query else _INDEX.sub("/", path)).rstrip("/")
    return f"{bare_host(parts.netloc)}{path}" + (f"?{_encode_query(query)}" if query else "")


def _readable(path: str) -> str:
    """A path without escapes. If it is not UTF-8 it keeps them, since different pages would get one
    name. Control characters are escaped.

    >>> _readable("/%7Eann"), _readable("/%b1%be"), _readable("/%b5%d8"), _readable("/a%00")
    ('/~ann', '/%B1%BE', '/%B5%D8', '/a%00')
    """
    with suppress(UnicodeDecodeError):
        text = unquote(path, errors="strict")
        return text if text.isprintable() else _UNSEEN.sub(lambda found: quote(found[0]), text)
    return _ESCAPE.sub(lambda escape: escape[0].upper(), path)


def clean_url(url: str, *, identity: Collection[str] = (), noise: Collection[str] = ()) -> str:
    """``url`` without fragment, session and tracking parameters, ready to be requested: those of
    the lists but for the names in ``identity``, and those in ``noise``. A link to
    one post of a page leads to the page, if it names that,
    too: a blog may have its articles under ``/blog/?p=12#more-12``, a forum its topics under
    ``viewtopic?f=2&p=12#p12``.

    >>> clean_url("http://example.com/topic/7?post=12#post-12"), clean_url("http://example.com/topics/?p=12#p12")
    ('http://example.com/topic/7', 'http://example.com/topics/?p=12')
    """
    parts = urlsplit(url)
    kept = _kept_parameters(parts.query, identity=identity, noise=noise)
    if parts.query and parts.fragment and _names_topic(parts.path, kept):
        kept = [pair for pair in kept if not _is_post(*pair, parts.fragment)]
    query = parts.query if len(kept) == len(_pairs(parts.query)) else _encode_query(kept)
    path = quote(without_session(parts.path), safe="/%:@!$&'()*+,;=~") or "/"
    return urlunsplit((parts.scheme, parts.netloc, path, query, ""))


def _names_topic(path: str, pairs: list[tuple[str, str]]) -> bool:
    is_script = "." in path.rpartition("/")[2]
    is_numbered = not is_script and any(map(str.isdigit, path.rstrip("/").rpartition("/")[2]))
    return is_numbered or not _TOPICS.isdisjoint(name.casefold() for name, _ in pairs)


def _is_post(name: str, value: str, fragment: str) -> bool:
    word = (
        fragment.removesuffix(value)
        if name.casefold() in _POSTS and value.isdecimal()
        else fragment
    )
    return word != fragment and not any(map(str.isdigit, word))


def spelled_like(page_url: str, url: str) -> str:
    """``url`` with scheme and ``www.`` as in the URL of the page that links to it, since that host
    has answered.

    >>> spelled_like("http://www.example.com/", "https://example.com/a"), spelled_like("http://example.com/", "http://b.example.com/a")
    ('http://www.example.com/a', 'http://b.example.com/a')
    """
    own, parts = urlsplit(page_url), urlsplit(url)
    if own.netloc == parts.netloc or host_of(url) != host_of(page_url):
        return url
    return urlunsplit(parts._replace(scheme=own.scheme, netloc=own.netloc))


def folder_url(url: str) -> str:
    """The URL of the folder for the URL of its index file; any other URL unchanged.

    >>> folder_url("http://example.com/a/index.html"), folder_url("http://example.com/a/index.html?p=2")
    ('http://example.com/a/', 'http://example.com/a/index.html?p=2')
    """
    return _INDEX.sub("/", url)


def has_session(url: str) -> bool:
    """Whether the path or the query of a valid URL contains a session id.

    >>> [has_session(f"http://example.com{end}") for end in ("/a;jsessionid=5F", "/a?PHPSESSID=1", "/story?sid=42")]
    [True, True, False]
    """
    parts = urlsplit(url)
    pairs = _pairs(parts.query) if parts.query else ()
    is_named = any(
        _SESSION_NAME.match(name) or (_MAYBE_SESSION.match(name) and _RANDOM.match(value))
        for name, value in pairs
    )
    return is_named or bool(_SESSION.search(parts.path))


def without_session(path: str) -> str:
    """A path without its session id.

    >>> without_session("/a.jsp;jsessionid=5F"), without_session("/a;b")
    ('/a.jsp', '/a;b')
    """
    return _SESSION.sub("", path)


def _pairs(query: str) -> list[tuple[str, str]]:
    """Names and values of a query. Bytes that are not UTF-8 are kept as lone surrogates."""
    return parse_qsl(query, keep_blank_values=True, errors="surrogateescape")


def _encode_query(pairs: list[tuple[str, str]]) -> str:
    """A query from names and values, the inverse of :func:`_pairs`.

    >>> _encode_query(_pairs("a=%b1%be&b=%E6%9C%AC"))
    'a=%B1%BE&b=%E6%9C%AC'
    """
    return urlencode(pairs, errors="surrogateescape")


def _kept_parameters(
    query: str, *, identity: Collection[str], noise: Collection[str]
) -> list[tuple[str, str]]:
    """The parameters that distinguish pages."""
    pairs = _pairs(query) if query else []
    ranged = not _ENDS.isdisjoint(name for name, _ in pairs)
    kept = []
    for name, value in pairs:
        known = name.casefold()
        if known in noise or _is_noise(name, value):
            continue
        is_told = known in identity or (ranged and name == "from")
        if is_told or not _is_doubtful(name, value):
            kept.append((name, value))
    return kept


def _is_noise(name: str, value: str) -> bool:
    """Whether a parameter tells nothing of the page on any site."""
    if _FRESH.match(name):
        return bool(_MOMENT.match(value))
    return bool(_TRACKING.match(name) or _SESSION_NAME.match(name))


def _is_doubtful(name: str, value: str) -> bool:
    """Whether a parameter looks like a session or tracking, as those of other sites tell pages
    apart."""
    is_tracking = _MAYBE_TRACKING.match(name) and not _NUMBER.match(value)
    return bool(is_tracking or (_MAYBE_SESSION.match(name) and _RANDOM.match(value)))


def doubtful_names(url: str) -> set[str]:
    """Names of the parameters of a URL, in small letters, that may be sessions or tracking.

    >>> sorted(doubtful_names("http://a.example/read?sid=65f01fc83dbe9533&ref=home&utm_id=3&p=4"))
    ['ref', 'sid']
    """
    with suppress(ValueError):
        return {
            name.casefold()
            for name, value in _pairs(urlsplit(url).query)
            if _is_doubtful(name, value)
        }
    return set()


def without_parameter(url: str, name: str) -> str:
    """A URL without its fragment and the parameters of this name, in small letters.

    >>> without_parameter("http://a.example/read?Sid=7&p=2#top", "sid")
    'http://a.example/read?p=2'
    """
    parts = urlsplit(url)
    pairs = [pair for pair in _pairs(parts.query) if pair[0].casefold() != name]
    return urlunsplit((*parts[:3], _encode_query(pairs), ""))


def is_page(url: str) -> bool:
    """Whether ``url`` can be a web page: http(s), not too long, without lone surrogates, not
    another kind of file."""
    if not url.startswith(("http://", "https://")) or len(url) > LIMITS.url_chars:
        return False
    with suppress(ValueError):
        url.encode()
        _, dot, extension = urlsplit(url).path.rpartition("/")[2].rpartition(".")
        return not dot or extension.lower() not in FILES
    return False


def has_code_extension(url: str) -> bool:
    """Whether the path of a valid URL ends like the name of a program.

    >>> has_code_extension("http://a.example/posts/new-in-node.js?p=1"), has_code_extension("http://a.example/js")
    (True, False)
    """
    _, dot, extension = urlsplit(url).path.rpartition("/")[2].rpartition(".")
    return bool(dot) and extension.lower() in CODE


def absolute_url(base: str, href: str) -> str:
    """Absolute URL of ``href``, as from ``urllib.parse.urljoin``; empty if it is invalid.

    >>> absolute_url("http://a.org/x/", "../b#c"), absolute_url("http://a.org/x/y.html?z", "b/c.html"), absolute_url("http://a.org/", "http://[bad")
    ('http://a.org/b#c', 'http://a.org/x/b/c.html', '')
    """
    href = href.strip()
    if plain := _PLAIN.fullmatch(href):
        begin = "/" if plain[3] is None else plain[3]
        if start := _start(base, begin):
            return href if plain[1] else start + href[len(begin) :]
    is_fragment = href.startswith("#") and "\\" not in href and href.isprintable()
    if is_fragment and (start := _without_fragment(base)):
        return start if href == "#" else start + href
    if "\\" in href:
        href = _forward(href)
    with suppress(ValueError):
        return urljoin(base, _BREAKS.sub("", href))
    return ""


@cached(256)
def _without_fragment(base: str) -> str:
    """The URL at which references to a place on the page itself start; empty without a valid one.
    A page may have a hundred thousand such references.

    >>> _without_fragment("http://a.org/x?y#z"), _without_fragment("/x")
    ('http://a.org/x?y', '')
    """
    with suppress(ValueError):
        return urljoin(base, "#") if base.startswith(("http://", "https://")) else ""
    return ""


@cached(256)
def _start(base: str, begin: str) -> str:
    """The URL at which references start whose ``begin`` is a slash, or the way to a folder above;
    empty if only a parser can read the base.

    >>> _start("http://a.org/x/y/z", "/"), _start("http://a.org/x/y/z", ""), _start("http://a.org/x/y/z", "../../../")
    ('http://a.org/', 'http://a.org/x/y/', 'http://a.org/')
    """
    origin, folder = _ORIGIN.match(base), _FOLDER.match(base)
    if begin == "/" or not (origin and folder):
        return f"{origin[0]}/" if origin and begin == "/" else ""
    # the root has no folder above it
    return max(origin[0], folder[1].rsplit("/", 1 + begin.count("../"))[0], key=len) + "/"


def absolute_urls(base: str, hrefs: Iterable[str]) -> dict[str, str]:
    """Absolute URLs of references, as from :func:`absolute_url`, by reference. Those that mean the
    same on all pages of a host are cached.

    >>> absolute_urls("http://a.org/x/", ["b", "/c?d=e", "../f"])
    {'b': 'http://a.org/x/b', '/c?d=e': 'http://a.org/c?d=e', '../f': 'http://a.org/f'}
    """
    start = _start(base, "/")
    root = start or base
    found = {}
    for href in hrefs:
        plain = _COMPLETE.fullmatch(href) if start else None
        if plain is not None:
            found[href] = start + href[1:] if plain[1] else href
        elif href.startswith(_ROOTED):
            found[href] = _rooted_url(root, href)
        else:
            found[href] = absolute_url(base, href)
    return found


_rooted_url = cached(4_096)(absolute_url)


def _forward(href: str) -> str:
    """A reference with slashes for backslashes before its query, as browsers read it (URL Standard,
    special schemes).

    >>> _forward("\\\\a\\\\b.html?c=\\\\d")
    '/a/b.html?c=\\\\d'
    """
    if _SCHEME.match(href) and not href.casefold().startswith("http"):
        return href
    end = min((at for at in map(href.find, "?#") if at >= 0), default=len(href))
    return href[:end].replace("\\", "/") + href[end:]
