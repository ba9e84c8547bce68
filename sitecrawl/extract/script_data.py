"""The data that a page hands to its scripts, however it is written: as JSON, as a literal of
JavaScript, as JSON within a string or an attribute, in the flat list of Nuxt, in the rows of Next."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import chain, islice
from typing import Any, cast
from urllib.parse import quote, unquote

from lxml import etree

from sitecrawl.limits import LIMITS
from sitecrawl.text.chars import mend_escapes

_MOST_SCRIPTS = 40  # of a page that are read
_LEAST_SOURCE = 200  # characters; a shorter source holds no article
_MOST_TOKENS = 400_000  # of a literal that are read
_LONG_ATTRIBUTES = cast(
    Callable[[etree._Element], list[str]],
    etree.XPath("//body//@*[string-length(.) > 200][contains(., '{')]", smart_strings=False),
)
_TOKEN = re.compile(
    r'"((?:[^"\\]|\\.)*+)"'
    r"|'((?:[^'\\\n]|\\.)*+)'"
    r"|`((?:[^`\\]|\\.)*+)`"
    r"|[{}\[\]():,;]"
    r"|(?:(?:void|new)\s+)?[\w$.+-]+",
    re.S,
)
_ESCAPE = re.compile(r"\\(?:u\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|(.))", re.S)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\n", "b": "", "f": "\n", "v": "\n", "0": "", "\n": ""}
_WORD = re.compile(r"[^\W\d_]+")
_ENCODED = ("%7B", "%5B")  # how JSON begins that is written as a part of a URL
_OF_FUNCTION = re.compile(r"\bfunction\s*\(([\w$,\s]*)\)\s*\{\s*return\b")
_ANGULAR = {
    "&q;": '"',
    "&l;": "<",
    "&g;": ">",
    "&s;": "'",
    "&a;": "&",
}  # BrowserTransferStateModule
_ROWS = "__next_f.push"
_TEXT_ROW = re.compile(rb"(?<![^\n}\]])([0-9a-f]{1,8}):T([0-9a-f]{1,8}),")
_ROW_NUMBER = re.compile(r'"\$([0-9a-f]{1,8})"')


def data_about(root: etree._Element, headline: str) -> Iterator[Any]:
    """The data in the scripts and attributes of a page that holds its headline: dictionaries, lists
    and texts."""
    words = _WORD.findall(headline)
    longest = max(words, key=len, default="")
    for source in _sources(root) if longest else ():
        is_bounded = _LEAST_SOURCE <= len(source) <= LIMITS.jsonld_chars
        if is_bounded and _mentions(longest, source):
            yield read_source(source)


def _sources(root: etree._Element) -> Iterator[str]:
    """The scripts of a page, its long attributes, and the rows that several scripts hand over."""
    rows: list[str] = []
    for script in islice(root.iter("script"), _MOST_SCRIPTS):
        text = script.text or ""
        if _ROWS in text:
            rows.append(text)
        elif "ld+json" not in (script.get("type") or ""):
            yield text
    yield from _LONG_ATTRIBUTES(root)[:_MOST_SCRIPTS]
    if rows:
        yield _joined_rows(rows)


def _mentions(word: str, source: str) -> bool:
    """Whether a source holds a word, as it is or in the escapes of JavaScript or of URLs."""
    if word in source or quote(word) in source:
        return True
    codes = "".join([f"u{ord(char):04x}" for char in word])
    return codes in source.replace("\\", "").casefold()


def is_source(text: str) -> bool:
    """Whether a text within data is data itself."""
    begin = text[:100].lstrip()
    return len(text) >= _LEAST_SOURCE and begin.startswith(("{", "[", *_ENCODED))


def read_source(source: str) -> Any:
    """The data of a script, or of a text that is data; what is no data in it is left out.

    >>> read_source("window.x = {title: 'A', n: [1, \\"b\\"], f: JSON.parse('{}')};")[1]["title"]
    'A'
    >>> read_source('(function(a,b){return {title:b,tags:[]}}(true,"A"))')[0][2]["return"]["title"]
    'A'
    """
    text = source.strip()
    if text.startswith(_ENCODED):
        text = unquote(text)
    if text.startswith("{&q;"):
        for escaped, sign in _ANGULAR.items():
            text = text.replace(escaped, sign)
    text = mend_escapes(text)
    with suppress(ValueError, RecursionError):
        return _with_places(json.loads(text, strict=False))
    return _read_literal(text, _arguments_of(text))


def _read_literal(source: str, names: Mapping[str, Any]) -> list[Any]:
    """The values in a source of JavaScript; those of ``names`` are put where it names them."""
    root: list[Any] = []
    current: dict[str, Any] | list[Any] = root
    above: list[dict[str, Any] | list[Any]] = []
    key: str | None = None
    for token in islice(_TOKEN.finditer(source), _MOST_TOKENS):
        sign = token[0]
        if sign in "{[(":
            inner: dict[str, Any] | list[Any] = {} if sign == "{" else []
            _put(inner, current, key=key)
            above.append(current)
            current = inner
            key = None
        elif sign in "}])":
            current = above.pop() if above else root
            key = None
        elif sign in ",;":
            key = None
        elif sign != ":":
            value = _value_of(token, names)
            if isinstance(current, dict) and key is None:
                key = value if isinstance(value, str) and sign[0] in "\"'`" else sign
            else:
                _put(value, current, key=key)
                key = None
    return root


def _put(value: Any, holder: dict[str, Any] | list[Any], *, key: str | None) -> None:
    if isinstance(holder, list):
        holder.append(value)
    elif key is not None:
        holder[key] = value
    elif isinstance(value, (dict, list)):
        holder.setdefault("", []).append(value)  # a block of statements


def _value_of(token: re.Match[str], names: Mapping[str, Any]) -> Any:
    if token.lastindex is None:
        return names.get(token[0])
    text = token[token.lastindex]
    if "\\" not in text:
        return text
    plain = _ESCAPE.sub(_unescaped, text)
    # a sign beyond the first 65,536 is written as the two halves of its code
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if not code:
        return _SIMPLE.get(found[4], found[4])
    number = int(code, 16)
    return chr(number) if number < 0x110000 else ""


def _arguments_of(source: str) -> dict[str, Any]:
    """The values that a function is called with, by the names of its parameters: Nuxt writes values
    that occur several times once, behind the function."""
    found = _OF_FUNCTION.search(source[:20_000])
    begin = source.rfind("}(")
    if found is None or begin < 0:
        return {}
    given = _read_literal(source[begin + 1 :], {})
    values = given[0] if given and isinstance(given[0], list) else []
    return dict(zip(re.findall(r"[\w$]+", found[1]), values, strict=False))


def _with_places(data: Any) -> Any:
    """Data whose objects name the places of their values in the list that holds them all, as Nuxt 3
    and SvelteKit write it (devalue), with the values in their places."""
    objects = [one for one in data if isinstance(one, dict)] if isinstance(data, list) else []
    places = list(chain.from_iterable(one.values() for one in objects))
    if not places or not all(map(_names_place, places)):
        return data
    for one in data:
        if isinstance(one, dict):
            one.update({key: _placed(at, data) for key, at in one.items()})
        elif isinstance(one, list):
            one[:] = [_placed(at, data) for at in one]
    return data


def _placed(at: Any, data: list[Any]) -> Any:
    return data[at] if _names_place(at) and 0 <= at < len(data) else at


def _names_place(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _texts_of_call(call: list[Any]) -> list[str]:
    """The texts that a call hands over in a list, behind the number of their kind."""
    lists = [one for one in call if isinstance(one, list)]
    return [part for one in lists for part in one[1:] if isinstance(part, str)]


def _joined_rows(scripts: list[str]) -> str:
    """The rows that a Next page hands over piece by piece, as one source; a long text has a row of its
    own, and is put where another row names it."""
    pushed = [found for script in scripts for found in _read_literal(mend_escapes(script), {})]
    pieces = [part for call in pushed if isinstance(call, list) for part in _texts_of_call(call)]
    joined = "".join(pieces)[: LIMITS.jsonld_chars]
    texts: dict[str, str] = {}
    rest: list[bytes] = []
    raw = joined.encode("utf-8", "replace")
    begin = 0
    while found := _TEXT_ROW.search(raw, begin):
        rest.append(raw[begin : found.start()])
        begin = found.end() + int(found[2], 16)
        texts[found[1].decode()] = raw[found.end() : begin].decode("utf-8", "replace")
    rest.append(raw[begin:])
    source = b"\n".join(rest).decode("utf-8", "replace")
    # each text once: it may be long, and named often
    return _ROW_NUMBER.sub(lambda row: json.dumps(texts.pop(row[1], "")), source)
