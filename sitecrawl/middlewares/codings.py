"""Whether a compressed answer is complete: Scrapy unpacks a truncated one as far as it goes and
accepts it."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from sitecrawl.limits import LIMITS

_STEP = 65_536  # bytes that are unpacked at a time and discarded
Decoder = tuple[Callable[[bytes], bytes], Callable[[], bool], type[Exception]]
"""Unpacks further input, or the rest without input; whether the stream ended; the error for invalid
data."""


def is_cut(body: bytes, coding: str) -> bool:
    """Whether a body ends before its content coding does. False for empty bodies, unknown codings,
    and bodies larger than a page may be.

    >>> packed = zlib.compress(b"A page of some words.")
    >>> is_cut(packed, "deflate"), is_cut(packed[:-6], "deflate"), is_cut(b"<html>", "gzip"), is_cut(b"<html>", "")
    (False, True, False, False)
    """
    if not body:
        return False
    for make in _DECODERS.get(coding, ()):
        early = _ends_early(body, make)
        if early is not None:
            return early
    return False


def _ends_early(body: bytes, make: Callable[[], Decoder]) -> bool | None:
    """None if the bytes are not in this coding."""
    try:
        unpack, ended, foreign = make()
    except ImportError:
        return None
    size = 0
    try:
        while not ended() and size <= LIMITS.body_bytes:
            unpacked = unpack(body)
            if not unpacked:
                break
            size += len(unpacked)
            body = b""  # the decoder keeps what it has not unpacked yet
    except foreign:
        return None
    return not ended() and size <= LIMITS.body_bytes


def _deflate(bits: int) -> Decoder:
    decoder = zlib.decompressobj(bits)
    return (
        lambda body: decoder.decompress(decoder.unconsumed_tail or body, _STEP),
        lambda: decoder.eof,
        zlib.error,
    )


def _brotli() -> Decoder:
    brotli: Any = import_module("brotli")
    decoder = brotli.Decompressor()
    return partial(decoder.process, output_buffer_limit=_STEP), decoder.is_finished, brotli.error


def _zstandard() -> Decoder:
    zstd: Any = import_module(
        "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    )
    decoder = zstd.ZstdDecompressor()
    return partial(decoder.decompress, max_length=_STEP), lambda: decoder.eof, zstd.ZstdError


_GZIP = (partial(_deflate, 31),)
_DECODERS: dict[str, tuple[Callable[[], Decoder], ...]] = {
    "gzip": _GZIP,
    "x-gzip": _GZIP,
    # some servers send it without its header
    "deflate": (partial(_deflate, 15), partial(_deflate, -15)),
    "br": (_brotli,),
    "zstd": (_zstandard,),
}
