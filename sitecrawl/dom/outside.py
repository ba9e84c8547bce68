"""What stands among the paragraphs of an article and belongs to none: one table of what leaves every
body, told by structure or by the words that publishers use. Where only one page of a site has such an
element, neither a template nor the network knows better."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import islice
from typing import cast
from urllib.parse import quote

from lxml import etree

from sitecrawl.dom.tree import string_of
from sitecrawl.resources import table_beside
from sitecrawl.text.chars import word_count
from sitecrawl.text.names import squeeze

_TABLE = table_beside(__file__)
LONGEST_NOTE = 60  # characters of a line that announces an advertisement
_SPACED = _TABLE["advertising"].replace(" ", "|").replace("_", r"\s")
_UNSPACED = _TABLE["advertising_unspaced"].replace(" ", "|")
ADVERTISING = re.compile(rf"\b(?:{_SPACED})\b|{_UNSPACED}", re.I)
_SHORT_WORDS = ("ad", "ads")  # names of other things as well
_SENTENCE_ENDS = (".", "?", "。", "？", "।")


_STAFF = frozenset(_TABLE["staff"].replace("_", "\xa0").split(" "))
_LONGEST_LABEL = 20  # characters before a colon
_LONGEST_NAMES = 60  # characters of a line of names
_LABELLED = re.compile(rf"^([^\w]{{0,2}}([^\W\d][^:：]{{0,{_LONGEST_LABEL}}}?)\s?[:：])\s*(\S.*)$")
_NO_NAME = re.compile(r"[.!?。！？]\s|[。！？]|\d|[/@]")


def label_of(text: str) -> tuple[str, str]:
    """The label at the beginning of a short line, up to its colon, and what follows; empty if there is
    none.

    >>> label_of("（责任编辑：陈立群）"), label_of("A text that has no label")
    (('（责任编辑：', '陈立群）'), ('', ''))
    """
    found = _LABELLED.match(text) if len(text) <= _LONGEST_NAMES else None
    return (found[1], found[3]) if found else ("", "")


def names_staff(label: str) -> bool:
    """Whether a label names a task of those who make an article.

    >>> names_staff("（责任编辑："), names_staff("Redaktion:"), names_staff("Preis:")
    (True, True, False)
    """
    word = label.strip("（(【[:： ").casefold().replace(" ", "\xa0")
    return word in _STAFF


def may_name_people(text: str) -> bool:
    """Whether what follows a label may be names: it has no digits and no sentence.

    >>> may_name_people("李想　审核：方舟"), may_name_people("12 Euro")
    (True, False)
    """
    return _NO_NAME.search(text) is None


def is_ad_label(text: str) -> bool:
    """Whether a text is nothing but the word for advertising, with signs around it.

    >>> [is_ad_label(text) for text in ("PUBLICIDAD", "- Anzeige -", "(広告)", "Anzeige erstattet")]
    [True, True, True, False]
    """
    if len(text) > LONGEST_NOTE:
        return False
    found = ADVERTISING.search(text)
    if found is None or found[0].casefold() in _SHORT_WORDS:
        return False
    around = text[: found.start()] + text[found.end() :]
    return not any(map(str.isalnum, around))


def mentions_advertising(text: str) -> bool:
    """Whether a short line that is no sentence mentions advertising. Where it stands on several pages,
    or several times on one, it says that the article continues below an advertisement.

    >>> [mentions_advertising(text) for text in ("Sigue leyendo tras el anuncio", "Das war nur Werbung.")]
    [True, False]
    """
    if len(text) > LONGEST_NOTE or text.endswith(_SENTENCE_ENDS):
        return False
    return ADVERTISING.search(text) is not None


_Find = Callable[..., list[etree._Element]]


def _finder(path: str) -> _Find:
    return cast(_Find, etree.XPath(path))


_MAIL = "translate(concat(@name, ' ', @id, ' ', @autocomplete), 'EMAIL', 'email')"
# one path with tests: a union of paths takes time in the square of what it finds
_dialogs = _finder(
    "descendant::*[self::dialog or @role[. = 'dialog' or . = 'alertdialog']"
    " or @aria-modal[. = 'true'] or @style[contains(translate(., ' ', ''), 'position:fixed')]]"
)
_media = _finder("descendant::*[self::video or self::audio]")
_players = _finder(
    "descendant::*[@aria-label][@role='region' or @role='application' or @role='group']"
)
_buttons = _finder(
    "descendant::*[self::button or @role='button' or @role='slider' or @type='range'][1]"
)
_mail_fields = _finder(
    f"descendant::input[@type='email' or (not(@type='hidden') and contains({_MAIL}, 'mail'))]"
)
_notes_in_links = _finder(
    "descendant::a[@target or @rel]/*[last()][not(self::img or self::svg)]"
    "[preceding-sibling::node()[1]][not(normalize-space(following-sibling::text()[1]))]"
    "[string-length(.) > 3 and string-length(.) < 60]"
)
_noisy = _finder(
    "descendant::*[@class][not(*)]"
    "[self::font or self::span or self::i or self::em or self::b or self::u or self::s"
    " or self::small or self::code or self::q][string-length(.) < 40]"
    "[translate(., '~^*&{}|!;#@$%', '') != string(.)]"
)
_classed = _finder("descendant::*[@class]")
_unseen = _finder("descendant::*[@style[contains(., 'overflow') or contains(., '-9')]]")
_queries = _finder("descendant::a[contains(@href, '?') and contains(@href, '//')]")
# a link to an article, and one to the first page of the same host
_syndicated = _finder(
    "descendant::*[a[2]][not(a[3])][starts-with(a[1]/@href, a[2]/@href)]"
    "[contains(a[2]/@href, '//')][substring-after(substring-after(a[2]/@href, '//'), '/') = '']"
)
_doubled = _finder("descendant::*[a[2]][a[last()]/@href = a[last() - 1]/@href][not(a/*)]")
_styles = _finder("/descendant::style")
_PLAYER = re.compile(_TABLE["player"], re.I)
_NEW_WINDOW = re.compile(_TABLE["new_window"], re.I)
_MOST_BOXES = (
    20  # players, and fields for e-mail, that are examined: each may be as large as the page
)
_MOST_LEVELS = 4  # elements around a video or audio that may be its player
_PLAYER_ELEMENTS = 500  # more are no player
_PLAYER_WORDS = 150  # of the controls and dialogs of a player
_CONTROL_WORDS = 20  # of one of them
_SIGN_UP_WORDS = 90  # of a box to sign up
_MOSTLY = 0.6  # share of the elements of a class that must be junk
_LEAST_NOISE = 3  # pieces of junk in a text
_HIDDEN_CLASS = re.compile(
    r"\.(-?[A-Za-z_][\w-]*)\s*\{[^{}]*?(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0"
    r"|(?:left|top|text-indent)\s*:\s*-\d{3}|clip\s*:\s*rect|opacity\s*:\s*0\s*[;}])"
)
_MOST_CLASSES = 500  # that are looked for one by one
_HIDDEN_CHARS = 60  # of a part of a line that its class hides
_STYLE_CHARS = 50_000  # of style sheets in the page that are read


_SLIVER = re.compile(
    r"(?:^|;)\s*(?:max-)?height\s*:\s*1?[1-9]px|(?:^|;)\s*height\s*:\s*10px"
    r"|(?:left|top|text-indent)\s*:\s*-9\d\d"
)
_TITLE_IN_LINK = 10  # characters of a headline that tells a link to share the page
_PATH_IN_LINK = 6  # characters of a path that does
_MOST_QUERIES = 100  # links with parameters that are examined
_SHARE_HOSTS = 2  # that a box to share the page leads to
_SHARE_WORDS = 40  # of such a box
_LONGEST_NOTICE = 40  # words of a line that says where a text appeared first, besides its title
_MEDIA = re.compile(r"\.(?:mp[34]|m4[abv]|og[agv]|opus|aac|wma|wav|flac|webm)(?:[?#]|$)", re.I)
_LONGEST_PLAYER_LINE = 12  # words of a line that plays and downloads one file


def outside_elements(
    root: etree._Element, *, url: str = "", title: str = ""
) -> list[etree._Element]:
    """Elements below ``root`` that are in no article, wherever they stand: dialogs and what is fixed to
    the window, what nobody sees, the controls of players, boxes to sign up by e-mail or to share the
    page of this ``url`` and ``title``, lines that play or download one file, and the line of a feed
    that says where the text appeared first."""
    return [
        *_dialogs(root),
        *_slivers(root),
        *_player_boxes(root),
        *_sign_up_boxes(root),
        *_sharing_boxes(root, url=url, title=title),
        *_notices_of_feeds(root, title),
        *_player_lines(root),
    ]


def _slivers(root: etree._Element) -> Iterator[etree._Element]:
    """Elements that are a few pixels high, or far outside the window: links for search engines."""
    for node in _unseen(root):
        if _SLIVER.search(node.get("style") or "") and node.tag not in ("body", "html"):
            yield node


def _sharing_boxes(root: etree._Element, *, url: str, title: str) -> Iterator[etree._Element]:
    """The largest elements with few words around links that lead to several hosts and name this page."""
    links = _queries(root)[:_MOST_QUERIES]
    if len(links) < _SHARE_HOSTS:
        return
    own, _, path = url.partition("//")[2].partition("/")
    names = [path] if len(path) >= _PATH_IN_LINK else []
    if len(title) >= _TITLE_IN_LINK:
        names.append(title)
    names += [quote(name, safe="") for name in names]
    hosts = defaultdict[etree._Element, set[str]](set)
    for link in links:
        href = link.get("href") or ""
        host = href.partition("//")[2].partition("/")[0]
        if host == own or not any([name in href for name in names]):
            continue
        for above in islice(link.iterancestors(), _MOST_LEVELS):
            if above is root or word_count(string_of(above)) > _SHARE_WORDS:
                break
            hosts[above].add(host)
    for box, known in hosts.items():
        if len(known) >= _SHARE_HOSTS:
            yield box


def _notices_of_feeds(root: etree._Element, title: str) -> Iterator[etree._Element]:
    """Lines with a link that bears the title, and one to the first page of the same host, as feeds
    add them to a text that other sites show."""
    for line in _syndicated(root) if title else ():
        named = string_of(line[0])
        is_short = word_count(string_of(line)) - word_count(named) <= _LONGEST_NOTICE
        if is_short and squeeze(named) == squeeze(title):
            yield line


def _player_lines(root: etree._Element) -> Iterator[etree._Element]:
    """Short lines with two links to one sound or film: one plays it, one downloads it."""
    for line in _doubled(root):
        target = line.xpath("string(a[last()]/@href)")
        if _MEDIA.search(str(target)) and word_count(string_of(line)) <= _LONGEST_PLAYER_LINE:
            yield line


def _player_boxes(root: etree._Element) -> Iterator[etree._Element]:
    """The elements around a video or audio, or called a player, that hold its buttons and short texts
    only. Their captions stay."""
    found = [node for node in _players(root) if _PLAYER.search(node.get("aria-label") or "")]
    for media in _media(root)[:_MOST_BOXES]:
        node = media
        for _ in range(_MOST_LEVELS):
            above = node.getparent()
            if above is None or above is root:
                break
            node = above
            if len(list(islice(node.iter("*"), _PLAYER_ELEMENTS))) == _PLAYER_ELEMENTS:
                break
            if _buttons(node):
                found.append(node)
                break
    for node in found[: 2 * _MOST_BOXES]:
        chunks = [word_count(text) for text in node.itertext() if not text.isspace()]
        is_small = sum(chunks) <= _PLAYER_WORDS and max(chunks, default=0) <= _CONTROL_WORDS
        if is_small and next(node.iter("figcaption"), None) is None:
            yield node


def _sign_up_boxes(root: etree._Element) -> Iterator[etree._Element]:
    """The boxes around fields for e-mail: the largest elements around such a field with few words, and
    less than a third of all."""
    fields = _mail_fields(root)
    if not fields:
        return
    most = min(_SIGN_UP_WORDS, word_count(string_of(root)) // 3)
    for node in fields[:_MOST_BOXES]:
        box = None
        for above in node.iterancestors():
            if above is root or above.tag in ("body", "main", "html"):
                break
            if word_count(string_of(above)) > most or next(above.iter("h1"), None) is not None:
                break
            box = above
        if box is not None:
            yield box


def spoken_elements(root: etree._Element) -> list[etree._Element]:
    """Parts of lines below ``root`` that nobody sees: what a link says of its window, and junk against
    copying."""
    return [*_window_notes(root), *_noise(root), *_hidden_by_class(root)]


def _window_notes(root: etree._Element) -> Iterator[etree._Element]:
    """The last parts of links that say where they open: the words say so, or several links end so."""
    notes = [(node, squeeze(string_of(node))) for node in _notes_in_links(root)]
    counts = Counter([text for _, text in notes])
    for node, text in notes:
        is_named = _NEW_WINDOW.search(string_of(node)) is not None
        if is_named or (counts[text] > 1 and node.get("class") and _is_phrase(string_of(node))):
            yield node


def _is_phrase(text: str) -> bool:
    """Whether a text is several words behind a mark, as in ", opens new tab" and "(external link)"."""
    return text.strip()[:1] in "(,[（、" and word_count(text) > 1


def _noise(root: etree._Element) -> Iterator[etree._Element]:
    """Pieces of junk in a text: elements of one class that hold no word, behind sentences."""
    classes = Counter([node.get("class") for node in _noisy(root) if _is_junk(node)])
    junk = {name for name, count in classes.items() if count >= _LEAST_NOISE}
    if not junk:
        return
    alike = defaultdict[str, list[etree._Element]](list)
    for node in _classed(root):
        name = node.get("class") or ""
        if name in junk:
            alike[name].append(node)
    for nodes in alike.values():
        if sum(map(_is_junk, nodes)) >= _MOSTLY * len(nodes):
            yield from nodes


def _is_junk(node: etree._Element) -> bool:
    """Whether an element holds signs and single letters without a word, behind the end of a
    sentence."""
    if len(node):
        return False
    text = string_of(node)
    before = node.getprevious()
    parent = node.getparent()
    above = parent.text if before is None and parent is not None else None
    behind = (before.tail if before is not None else above) or ""
    ends = behind.rstrip()[-1:]
    is_behind = ends in _MARKS or (before is not None and not ends)
    tokens = text.split()
    if "=" in tokens:
        return False  # a formula
    return is_behind and len(tokens) > 1 and all(sum(map(str.isalnum, one)) < 3 for one in tokens)


_MARKS = (".", "!", "?", ",", ";", "。", "！", "？", "，", "；", "…", "”", '"')


def _hidden_by_class(root: etree._Element) -> Iterator[etree._Element]:
    """Short parts of lines whose class the page itself hides, in a style sheet that it holds."""
    sheets = "".join([style.text or "" for style in _styles(root)])[:_STYLE_CHARS]
    if not sheets:
        return
    # an element in others of its kind would be read once for each
    found = [
        (node, (node.get("class") or "").split())
        for node in root.iter("span", "font", "i", "em", "b", "small", "sup")
        if not len(node) and len(node.text or "") < _HIDDEN_CHARS and node.get("class")
    ]
    classes = {f".{name}" for _, names in found for name in names}
    # few names are looked for sooner than the rules that hide something
    if len(classes) <= _MOST_CLASSES and not any(map(sheets.__contains__, classes)):
        return
    hidden = set(_HIDDEN_CLASS.findall(sheets))
    for node, names in found:
        if not hidden.isdisjoint(names):
            yield node
