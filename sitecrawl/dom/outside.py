"""What stands among the paragraphs of an article and belongs to none: one table of what leaves every
body, told by structure or by the words that publishers use. Where only one page of a site has such an
element, neither a template nor the network knows better."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from lxml import etree

from sitecrawl.dom.document import Document
from sitecrawl.dom.link_boxes import link_boxes
from sitecrawl.dom.nodes import class_of, finder, style_sheet
from sitecrawl.dom.tree import Flat, string_of
from sitecrawl.resources import table_beside
from sitecrawl.text.caseless import Caseless
from sitecrawl.text.chars import word_count
from sitecrawl.text.names import squeeze

_TABLE = table_beside(__file__)
LONGEST_NOTE = 60  # characters of a line that announces an advertisement
_SPACED = _TABLE["advertising"].replace(" ", "|").replace("_", r"\s")
_UNSPACED = _TABLE["advertising_unspaced"].replace(" ", "|")
ADVERTISING = Caseless(rf"\b(?:{_SPACED})\b|{_UNSPACED}")
_SHORT_WORDS = ("ad", "ads")  # names of other things as well
_SENTENCE_ENDS = (".", "?", "。", "？", "।")


_STAFF = frozenset(_TABLE["staff"].replace("_", "\xa0").split(" "))
_LONGEST_LABEL = 20  # characters before a colon
_LONGEST_NAMES = 60  # characters of a line of names
_LABELLED = re.compile(rf"^([^\w]{{0,2}}([^\W\d][^:：]{{0,{_LONGEST_LABEL}}}?)\s?[:：])\s*(\S.*)$")
# behind the end of a sentence another label may stand
_NO_NAME = re.compile(r"[.!?]\s(?![^:：.]{1,20}[:：])|[。！？]|\d|[/@]")


def label_of(text: str) -> tuple[str, str]:
    """The label at the beginning of a short line, up to its colon, and what follows; empty if there is
    none.

    >>> label_of("（责任编辑：陈立群）"), label_of("A text that has no label")
    (('（责任编辑：', '陈立群）'), ('', ''))
    """
    if len(text) > _LONGEST_NAMES:
        return "", ""
    found = _LABELLED.match(text)
    if found:
        return found[1], found[3]
    # Chinese papers write a blank in place of the colon
    word, _, rest = text.partition(" ")
    return (f"{word} ", rest) if word > "\u3000" and names_staff(word) else ("", "")


def names_staff(label: str) -> bool:
    """Whether a label names a task of those who make an article.

    >>> names_staff("（责任编辑："), names_staff("Redaktion:"), names_staff("Preis:")
    (True, True, False)
    """
    word = label.strip("（(【[:： ").casefold().replace(" ", "\xa0")
    return word in _STAFF


def may_name_people(text: str) -> bool:
    """Whether what follows a label may be names: it has no digits and no sentence.

    >>> [may_name_people(text) for text in ("李想　审核：方舟", "Ann Onym. Photo: Bo Derr", "12 Euro")]
    [True, True, False]
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


_with_attributes = finder("descendant::*[@style or @role or @aria-modal]")
_MEDIA = ("video", "audio")
_DIALOGS = ("dialog", "alertdialog")
_BOXES = ("region", "application", "group")  # roles that a player may have
_buttons = finder(
    "descendant::*[self::button or @role='button' or @role='slider' or @type='range'][1]"
)
_notes_in_links = finder(
    "descendant::a[@target or @rel]/*[last()][not(self::img or self::svg)]"
    "[preceding-sibling::node()[1]][not(normalize-space(following-sibling::text()[1]))]"
    "[string-length(.) > 3 and string-length(.) < 60]"
)
_NOISY = frozenset(("font", "span", "i", "em", "b", "u", "s", "small", "code", "q"))
_NOISE_CHARS = 40  # of a piece of junk
_SIGNS = re.compile(r"[~^*&{}|!;#@$%]")  # one of which a piece of junk holds
_classed = finder("descendant::*[@class]")
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
_HIDEABLE = frozenset(("span", "font", "i", "em", "b", "small", "sup"))
_HIDDEN_CHARS = 60  # of a part of a line that its class hides


class _MarkedElements(NamedTuple):
    """The elements that tags and attributes may tell to be outside of an article."""

    styled: list[etree._Element]
    """Those with a style, a role, or a word that a dialog stands above the page."""
    media: list[etree._Element]
    inputs: list[etree._Element]
    dialogs: list[etree._Element]


def outside_elements(
    root: etree._Element, document: Document | None = None, *, url: str, title: str
) -> list[etree._Element]:
    """Elements below ``root`` that are in no article, wherever they stand: dialogs and what is fixed to
    the window, the controls of players, boxes to sign up by e-mail, and what its links tell
    (:func:`link_boxes`). ``document`` is that of a page with this root, ``url`` and ``title`` are those
    of the page."""
    marked = _marked_below(root) if document is None else _marked_in(document)
    return [
        *marked.dialogs,
        *filter(_is_dialog, marked.styled),
        *_player_boxes(root, marked),
        *_sign_up_boxes(root, marked.inputs),
        *link_boxes(root, marked.styled, url=url, title=title),
    ]


def _marked_below(root: etree._Element) -> _MarkedElements:
    return _MarkedElements(
        _with_attributes(root),
        list(root.iterdescendants(*_MEDIA)),
        list(root.iterdescendants("input")),
        list(root.iterdescendants("dialog")),
    )


def _marked_in(document: Document) -> _MarkedElements:
    """The same, told by the columns of a page."""
    attributes = document.attributes
    styled = {*attributes["role"], *attributes["aria-modal"], *attributes["style"]} - {0}

    def elements(numbers: Iterable[int]) -> list[etree._Element]:
        return [document.nodes[at] for at in numbers]

    return _MarkedElements(
        elements(sorted(styled)),
        elements(document.tagged(*_MEDIA)),
        elements(document.tagged("input")),
        elements(document.tagged("dialog")),
    )


def _is_dialog(node: etree._Element) -> bool:
    return (
        node.get("role") in _DIALOGS
        or node.get("aria-modal") == "true"
        or "position:fixed" in (node.get("style") or "").replace(" ", "")
    )


def _is_player(node: etree._Element) -> bool:
    label = node.get("aria-label") or ""
    return node.get("role") in _BOXES and _PLAYER.search(label) is not None


def _takes_mail(field: etree._Element) -> bool:
    """Whether a field is one for an address of e-mail."""
    kind = field.get("type")
    if kind in ("email", "hidden"):
        return kind == "email"
    names = [field.get(name) or "" for name in ("name", "id", "autocomplete")]
    return "mail" in " ".join(names).lower()


def _player_boxes(root: etree._Element, marked: _MarkedElements) -> Iterator[etree._Element]:
    """The elements around a video or audio, or called a player, that hold its buttons and short texts
    only. Their captions stay."""
    found = list(filter(_is_player, marked.styled))
    for media in marked.media[:_MOST_BOXES]:
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


def _sign_up_boxes(
    root: etree._Element, inputs: Sequence[etree._Element]
) -> Iterator[etree._Element]:
    """The boxes around fields for e-mail: the largest elements around such a field with few words, and
    less than a third of all."""
    fields = list(filter(_takes_mail, inputs))
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


def spoken_elements(flat: Flat) -> list[etree._Element]:
    """Parts of lines that nobody sees: what a link says of its window, and junk against copying."""
    root = flat.nodes[0]
    notes = _window_notes(root) if "a" in flat.tags else ()
    return [*notes, *_noise(flat), *_hidden_by_class(flat)]


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


def _leaves(flat: Flat, tags: Collection[str], *, most: int) -> list[int]:
    """The elements below the root with one of ``tags`` that hold less than ``most`` characters, no
    other element, and have a class."""
    ends = flat.ends
    places = [at for at, tag in enumerate(flat.tags) if tag in tags and ends[at] == at + 1 and at]
    classes = list(map(class_of, map(flat.nodes.__getitem__, places)))
    classed = [at for at, name in zip(places, classes, strict=True) if name is not None]
    sizes = map(len, [flat.texts[at] or "" for at in classed])
    return [at for at, size in zip(classed, sizes, strict=True) if size < most]


def _noise(flat: Flat) -> Iterator[etree._Element]:
    """Pieces of junk in a text: elements of one class that hold no word, behind sentences."""
    leaves = _leaves(flat, _NOISY, most=_NOISE_CHARS)
    noisy = [flat.nodes[at] for at in leaves if _SIGNS.search(flat.texts[at] or "")]
    classes = Counter([node.get("class") for node in noisy if _is_junk(node)])
    junk = {name for name, count in classes.items() if count >= _LEAST_NOISE}
    if not junk:
        return
    alike = defaultdict[str, list[etree._Element]](list)
    for node in _classed(flat.nodes[0]):
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


def _hidden_by_class(flat: Flat) -> Iterator[etree._Element]:
    """Short parts of lines whose class the page itself hides, in a style sheet that it holds."""
    leaves = _leaves(flat, _HIDEABLE, most=_HIDDEN_CHARS)
    if not leaves:
        return
    sheets = style_sheet(flat.nodes[0])
    if not sheets:
        return
    nodes = [flat.nodes[at] for at in leaves]
    found = [(node, (node.get("class") or "").split()) for node in nodes]
    classes = {f".{name}" for _, names in found for name in names}
    # few names are looked for sooner than the rules that hide something
    if len(classes) <= _MOST_CLASSES and not any(map(sheets.__contains__, classes)):
        return
    hidden = set(_HIDDEN_CLASS.findall(sheets))
    for node, names in found:
        if not hidden.isdisjoint(names):
            yield node
