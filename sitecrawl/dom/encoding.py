"""Bytes to text: the declared encoding of a page, or a better one if the declaration is missing or
wrong."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress

from charset_normalizer import from_bytes
from w3lib.encoding import html_body_declared_encoding, html_to_unicode, http_content_type_encoding

from sitecrawl.limits import LIMITS
from sitecrawl.text.language import ALPHABETS, COMMON

_TRIED = (
    "gb18030 big5 big5hkscs euc_jp euc_jis_2004 cp932 shift_jis cp949 cp1250 cp1251 cp1252 cp1253 cp1255 cp1256 cp1258 "
    "koi8_r koi8_u iso8859_5 iso8859_6 iso8859_7 iso8859_8 mac_cyrillic cp866 cp874"
).split()
_NO_PAGES = frozenset(
    "base64 bz2 hex idna mbcs oem palmos punycode quopri raw-unicode-escape rot-13 undefined unicode-escape uu zlib".split()
)
"""Python's own codecs, in which no page is written; some raise errors, some decode in quadratic
time."""
_BOMS = (BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE)
_QUOTES = "\xa0«»‘’“”„–—…"  # beyond ASCII in texts of every language, so no sign of one
_SYMBOLS = _QUOTES + "·•©®°€™¿¡§½"
_LATIN_RUN = 2  # longest run of non-ASCII letters in languages with Latin letters
_RUNS = re.compile(rb"[\x80-\xff]+")
_EDGE = f"[^\x00-\x7f{_QUOTES}]"
_FOREIGN = re.compile(
    f"[^\x00-\x7f{_SYMBOLS}À-ſȘ-țẞẠ-ỹ]"
)  # letters of other alphabets, and rare signs
_BEYOND, _ASCII = re.compile(_EDGE), re.compile("[\x00-\x7f]{2,}")
_ROUTINE = re.compile(
    f"(?<!{_EDGE})[\xc0-\xd6\xd8-\xf6\xf8-\u024f]{{1,{_LATIN_RUN}}}(?!{_EDGE})"
    "|[\u03ac-\u03ce\u0430-\u045f\u0491\u05d0-\u05ea\u0620-\u064a\u0e01-\u0e3a]{2,}"
)
"""Letters of Latin languages among ASCII, and two or more small letters of another alphabet side by
side."""
_COMMON = re.compile(f"[\u3041-\u30ff{COMMON}]")  # kana and the most frequent Chinese characters
_FEW = 12  # least number of non-ASCII characters that allows a decision
# legibility from which an encoding is accepted, and by which another one must exceed the declared
# one
LEGIBLE = 0.2


def decode(body: bytes, content_type: str | None = None) -> tuple[str, str]:
    """Text and encoding of ``body`` by BOM, header, declaration or guess; a wrong declaration is
    ignored.

    >>> decode("<meta charset=utf-8>中文网页".encode("gbk"))[0][-4:]
    '中文网页'
    """
    body = body[: LIMITS.body_bytes]
    plain = plain_text(body)
    if plain is not None:
        return plain, "utf-8"
    encoding, text = _as_declared(content_type, body, fallback=_utf8_or_guess)
    if encoding.startswith(("utf-16", "utf-32")) and b"\x00" not in body[:4096]:
        # every markup character holds a zero byte in these, so the header lies
        encoding, text = _as_declared(None, body, fallback=_utf8_or_guess)
    if (
        not encoding.startswith("utf")
        and not body.isascii()
        and (whole := _utf8_text(body)) is not None
    ):
        return whole, "utf-8"
    damage, beyond = text.count("\ufffd"), len(text) - len(text.encode("ascii", "ignore"))
    if (
        damage <= max(3, len(text) / 500)
        and damage < max(1, beyond)
        and legibility(text) >= LEGIBLE
    ):
        return text, encoding
    if encoding == "utf-8" and damage <= 0.6 * beyond:
        return text, encoding  # UTF-8 with foreign parts: sequences are not valid by chance
    other = _utf8_or_guess(body)
    declared, reread = _as_declared(None, body, fallback=lambda _: other)
    return most_legible(
        [(text, encoding), (reread, declared), (body.decode(other, "replace"), other)]
    )


def redecoded(text: str) -> str:
    """``text``, but UTF-8 that a caller decoded as Latin-1 is decoded anew: some HTTP clients do so
    where no header names an encoding.

    >>> redecoded("中文网页".encode().decode("latin-1")), redecoded("El niño pequeño")
    ('中文网页', 'El niño pequeño')
    """
    with suppress(UnicodeEncodeError):
        return plain_text(text.encode("latin-1")) or text
    return text


def _as_declared(
    content_type: str | None, body: bytes, *, fallback: Callable[[bytes], str]
) -> tuple[str, str]:
    """Encoding and text by the declarations in header and body, else by ``fallback``. Codecs in
    which no page is written are ignored."""
    declared = http_content_type_encoding(content_type)
    if declared is not None and declared.replace("_", "-") in _NO_PAGES:
        declared = content_type = None
    inside = None if declared else html_body_declared_encoding(body)
    if inside is not None and inside.replace("_", "-") in _NO_PAGES:
        content_type = f"text/html; charset={fallback(body)}"
    return html_to_unicode(content_type, body, auto_detect_fun=fallback)


def plain_text(body: bytes) -> str | None:
    """Text of a body that is certainly UTF-8, whatever is declared: several multi-byte sequences,
    or none. A zero byte or an escape character indicates UTF-16, UTF-32 or ISO 2022, although all
    bytes may be ASCII."""
    return (
        None if body.startswith(_BOMS) or b"\x00" in body or b"\x1b" in body else _utf8_text(body)
    )


def _utf8_text(body: bytes, *, valid: float = 0.75) -> str | None:
    """Text of a body in ASCII or UTF-8, perhaps cut in a multi-byte sequence; else None. The share
    ``valid`` of the sequences must be valid, because programs cut texts in the middle of a
    character. Few sequences may be valid by chance. So there must be eight bytes of them, or they
    are letters of Latin languages, quotes and dashes (in other encodings such bytes do not stand
    side by side), or the body says that it is UTF-8."""
    try:
        text, damage = body.decode("utf-8"), 0
    except UnicodeDecodeError as error:
        text = body[: error.start if error.start >= len(body) - 3 else None].decode(
            "utf-8", "replace"
        )
        damage = text.count("\ufffd")
    if damage and damage > (1 - valid) * (len(text) - len(text.encode("ascii", "ignore"))):
        return None
    is_sure = body.isascii() or len(body) - len(text) >= 8 or not _FOREIGN.search(text)
    return text if is_sure or html_body_declared_encoding(body) == "utf-8" else None


def _utf8_or_guess(body: bytes) -> str:
    return guess(body) if _utf8_text(body) is None else "utf-8"


def guess(
    body: bytes, *, looked_at: int = 500_000, tried_on: int = 65_536, mostly: float = 0.75
) -> str:
    """Encoding of a body that is neither ASCII nor UTF-8.

    It is Latin where the share ``mostly`` of the bytes beyond ASCII stands in short runs; then the
    letters decide, else trial. Only
    ``looked_at`` bytes from the first one beyond ASCII on are counted, and encodings are tried on
    ``tried_on`` of them.

    >>> guess("El niño pequeño, en el jardín".encode("cp1252")), guess("Oraşul este aşezat lângă râu".encode("cp1250"))
    ('cp1252', 'cp1250')
    """
    first = _RUNS.search(body)
    start = max(0, first.start() - _FEW) if first else 0
    body = body[start : start + looked_at]
    runs = _RUNS.findall(body)
    high = b"".join(runs)
    if sum(len(run) for run in runs if len(run) <= _LATIN_RUN) >= mostly * len(high):
        return _latin(Counter(high))
    body = body[:tried_on]
    found = list(from_bytes(body, cp_isolation=_TRIED))  # none where a single character is damaged
    readable = (match.encoding for match in found if legibility(str(match)) >= LEGIBLE)

    def worth(encoding: str) -> float:
        text = body.decode(encoding, "replace")
        return legibility(text) - text.count("\ufffd") / len(text)

    return next(readable, None) or max(
        (*(match.encoding for match in found), "cp1252", *_TRIED), key=worth
    )


def _latin(counts: Counter[int], *, clearly: float = 0.06) -> str:
    """The encoding in which most bytes beyond ASCII are letters of one language; cp1252 unless
    another is better by ``clearly``."""

    def share(encoding: str, letters: str) -> float:
        chars = Counter[str]()
        for byte, count in counts.items():
            chars[bytes([byte]).decode(encoding, "replace").lower()] += count
        known = sum(count for char, count in chars.items() if char in letters)
        return known / max(1, sum(count for char, count in chars.items() if char not in _SYMBOLS))

    shares = {
        name: max(share(name, letters) for letters in languages)
        for name, languages in ALPHABETS.items()
    }
    best = max(shares, key=lambda encoding: shares[encoding])
    return best if shares[best] > shares["cp1252"] + clearly else "cp1252"


def legibility(text: str, *, looked_at: int = 200_000) -> float:
    """How much the non-ASCII characters look like a language, 0..1: near 0 in a wrong encoding, 1
    if there are few of them.

    >>> legibility("Сегодня город рассказал"), legibility("Ñåãîäíÿ ãîðîä ðàññêàçàë")
    (0.95..., 0.0)
    """
    text = _ASCII.sub(" ", text[:looked_at])
    beyond = len(_BEYOND.findall(text))
    if beyond < _FEW:
        return 1.0
    return min(
        1.0, (sum(map(len, _ROUTINE.findall(text))) + 2 * len(_COMMON.findall(text))) / beyond
    )


def most_legible(readings: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """The best of several decodings of one body, as (text, encoding); the first is the declared
    one. The declared one is rejected if another decoding is clearly more legible, or as legible and
    without U+FFFD."""
    best, *others = readings
    damage = best[0].count("\ufffd")
    least = legibility(best[0]) + (0.0 if damage else LEGIBLE), -damage
    for decoding in others:
        score = legibility(decoding[0]), -decoding[0].count("\ufffd")
        if score > least:
            best, least = decoding, score
    return best
