"""Bytes to text: the declared encoding of a page, or a better one when the declaration is missing or wrong."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Callable, Sequence

from charset_normalizer import from_bytes
from w3lib.encoding import html_body_declared_encoding, html_to_unicode, http_content_type_encoding

from sitecrawl.limits import LIMITS
from sitecrawl.text.language import ALPHABETS, COMMON

_TRIED = (
    "gb18030 big5 big5hkscs euc_jp euc_jis_2004 cp932 shift_jis cp949 cp1250 cp1251 cp1252 cp1253 cp1255 cp1256 cp1258 "
    "koi8_r koi8_u iso8859_5 iso8859_6 iso8859_7 iso8859_8 mac_cyrillic cp866 cp874"
).split()
"""Encodings that are tried."""
_BYTES, _SAMPLE = 500_000, 65_536
"""Bytes from the first one beyond ASCII on that are looked at, and on which encodings are tried."""
_TEXT = 200_000
"""Characters of a decoded page that are examined."""
_QUOTES = "\xa0«»‘’“”„–—…"
_MARKS = _QUOTES + "·•©®°€™¿¡§½"
_RUNS = re.compile(rb"[\x80-\xff]+")
_LONGEST_RUN = 2
"""Letters beyond ASCII that stand side by side in a language written in Latin letters."""
_MOSTLY = 0.75
"""Share of the bytes beyond ASCII in such runs, from which a page is in Latin letters."""
_CLEARLY = 0.06
"""By how much more of what is no ASCII must be letters of one language for another encoding than the one browsers assume."""
_EDGE = f"[^\x00-\x7f{_QUOTES}]"
_BEYOND, _ASCII = re.compile(_EDGE), re.compile("[\x00-\x7f]{2,}")
_ROUTINE = re.compile(
    f"(?<!{_EDGE})[\xc0-\xd6\xd8-\xf6\xf8-\u024f]{{1,{_LONGEST_RUN}}}(?!{_EDGE})"
    "|[\u03ac-\u03ce\u0430-\u045f\u0491\u05d0-\u05ea\u0620-\u064a\u0e01-\u0e3a]{2,}"
)
"""Letters of Latin languages among ASCII, small ones of other alphabets side by side."""
_COMMON = re.compile(f"[\u3041-\u30ff{COMMON}]")
_COMMON_WEIGHT = 2
_FEW = 12
"""Fewest non-ASCII characters that allow a judgement."""
LEGIBLE = 0.2
"""Legibility from which an encoding is believed."""
_BETTER = 0.2
"""How much more legible a page must be in another encoding than in the one declared."""
_BOMS = (BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE)
_SEVERAL = 8
"""Bytes that multi-byte sequences take beyond a byte a character, from which they are no chance."""
_ZERO, _ESCAPE = b"\x00", b"\x1b"
"""What tells UTF-16, UTF-32 and the encodings of ISO 2022 although all bytes are ASCII."""
_WIDE = ("utf-16", "utf-32")
"""Encodings in which every markup character holds a zero byte: without one, the header lies."""
_NO_PAGES = frozenset(
    "base64 bz2 hex idna mbcs oem palmos punycode quopri raw-unicode-escape rot-13 undefined unicode-escape uu zlib".split()
)
"""Codecs of Python's own: no page is written in them; they raise errors, or decode in quadratic time."""
_DAMAGE = 0.6
"""Share of U+FFFD among what is no ASCII up to which a page is UTF-8 with foreign parts: sequences are not valid by chance."""
_LIES = 0.002
"""Share of U+FFFD above which a declared encoding counts as wrong."""


def decode(body: bytes, content_type: str | None = None) -> tuple[str, str]:
    """Text and encoding of ``body``, by BOM, header, declaration or guess; a wrong declaration is overruled.

    >>> decode("<meta charset=utf-8>中文网页".encode("gbk"))[0][-4:]
    '中文网页'
    """
    body = body[: LIMITS.body_bytes]
    plain = plain_text(body)
    if plain is not None:
        return plain, "utf-8"
    encoding, text = _as_declared(content_type, body, _guess)
    if encoding.startswith(_WIDE) and b"\x00" not in body[:4096]:
        encoding, text = _as_declared(None, body, _guess)
    if not encoding.startswith("utf") and _is_utf8(body):
        return body.decode("utf-8", "replace"), "utf-8"
    return _redetect(body, text, encoding) if _lies(text) or legibility(text) < LEGIBLE else (text, encoding)


def _as_declared(content_type: str | None, body: bytes, found: Callable[[bytes], str]) -> tuple[str, str]:
    """Encoding and text by what header and body declare, else by ``found``; a codec that no page is written in does not count."""
    declared = http_content_type_encoding(content_type)
    if declared is not None and not _is_for_pages(declared):
        declared = content_type = None
    inside = None if declared else html_body_declared_encoding(body)
    if inside is not None and not _is_for_pages(inside):
        content_type = f"text/html; charset={found(body)}"
    return html_to_unicode(content_type, body, auto_detect_fun=found)


def _is_for_pages(encoding: str) -> bool:
    return encoding.replace("_", "-") not in _NO_PAGES


def plain_text(body: bytes) -> str | None:
    """Text of a body that is UTF-8 beyond doubt, whatever is declared: several multi-byte sequences, or none at all."""
    if body.startswith(_BOMS) or _ZERO in body or _ESCAPE in body:
        return None
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if len(body) - len(text) >= _SEVERAL or text.isascii() else None


def _redetect(body: bytes, text: str, encoding: str) -> tuple[str, str]:
    """Text in the encoding that the page itself declares, or in the guessed one, if it is more legible than ``text``."""
    beyond = len(text) - len(text.encode("ascii", "ignore"))
    if encoding == "utf-8" and text.count("\ufffd") <= _DAMAGE * beyond:
        return text, encoding
    other = _guess(body)
    named, found = _as_declared(None, body, lambda _: other)
    return most_legible([(text, encoding), (found, named), (body.decode(other, "replace"), other)])


def _is_utf8(body: bytes) -> bool:
    """Whether ``body`` holds several multi-byte sequences, all valid: no other encoding meets that by chance."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(body) - 3:
            return False
        text = body[: error.start].decode("utf-8")
        body = body[: error.start]
    return len(body) - len(text) >= _SEVERAL


def _lies(text: str) -> bool:
    return "\ufffd" in text and text.count("\ufffd") > max(3, _LIES * len(text))


def _guess(body: bytes) -> str:
    """Encoding found by trial: valid UTF-8 is no coincidence, the other encodings are ranked by statistics.

    >>> _guess("新闻中心首页今日要闻".encode("utf-8"))
    'utf-8'
    """
    return "utf-8" if body.isascii() or _is_utf8(body) else guess(body)


def guess(body: bytes) -> str:
    """Encoding of a body that is neither ASCII nor UTF-8: by letters where it is Latin, else by trial.

    >>> guess("El niño pequeño, en el jardín".encode("cp1252")), guess("Oraşul este aşezat lângă râu".encode("cp1250"))
    ('cp1252', 'cp1250')
    """
    first = _RUNS.search(body)
    start = max(0, first.start() - _FEW) if first else 0
    body = body[start : start + _BYTES]
    runs = _RUNS.findall(body)
    high = b"".join(runs)
    if sum(len(run) for run in runs if len(run) <= _LONGEST_RUN) >= _MOSTLY * len(high):
        return _latin(Counter(high))
    found = list(from_bytes(body[:_SAMPLE], cp_isolation=_TRIED))
    readable = (match.encoding for match in found if legibility(str(match)) >= LEGIBLE)
    return next(readable, found[0].encoding if found else "cp1252")


def _latin(counts: Counter[int]) -> str:
    """The encoding in which most non-ASCII bytes are letters of one language."""
    shares = {
        encoding: max(_share(counts, encoding, letters) for letters in languages)
        for encoding, languages in ALPHABETS.items()
    }
    best = max(shares, key=lambda encoding: shares[encoding])
    return best if shares[best] > shares["cp1252"] + _CLEARLY else "cp1252"


def _share(counts: Counter[int], encoding: str, letters: str) -> float:
    chars = Counter[str]()
    for byte, count in counts.items():
        chars[bytes([byte]).decode(encoding, "replace").lower()] += count
    known = sum(count for char, count in chars.items() if char in letters)
    return known / max(1, sum(count for char, count in chars.items() if char not in _MARKS))


def legibility(text: str) -> float:
    """How much the non-ASCII characters look like a language, 0..1: near 0 in a wrong encoding, 1 when there are few of them.

    >>> legibility("Сегодня город рассказал"), legibility("Ñåãîäíÿ ãîðîä ðàññêàçàë")
    (0.95..., 0.0)
    """
    text = _ASCII.sub(" ", text[:_TEXT])
    beyond = len(_BEYOND.findall(text))
    if beyond < _FEW:
        return 1.0
    routine = sum(map(len, _ROUTINE.findall(text)))
    return min(1.0, (routine + _COMMON_WEIGHT * len(_COMMON.findall(text))) / beyond)


def most_legible(readings: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """The best of several readings of one body, as (text, encoding); the first is the declared one.

    A declaration is overruled where another reading is clearly more legible, or as legible without U+FFFD.
    """
    best, *others = readings
    lies = "\ufffd" in best[0]
    least = legibility(best[0]) + (0.0 if lies else _BETTER), -best[0].count("\ufffd")
    for reading in others:
        score = legibility(reading[0]), -reading[0].count("\ufffd")
        if score > least:
            best, least = reading, score
    return best
