"""Fingerprints of texts: alike texts have fingerprints that differ in few bits (simhash: Charikar 2002, doi:10.1145/509907.509965)."""

from __future__ import annotations

from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from sitecrawl.text.chars import words


def fingerprint(text: str) -> str:
    """Simhash of 64 bits over runs of three words, as 16 hex digits; empty for a text without words.

    Two texts with fingerprints that differ in at most three bits are near duplicates (Manku, Jain and Das Sarma 2007).

    >>> fingerprint("The bridge was opened this morning"), fingerprint(" the bridge was OPENED, this morning. ")
    ('9aa736346c285c42', '9aa736346c285c42')
    """
    hashes = [crc32(word.encode("utf-8", "replace")) for word in words(text.casefold())]
    if not hashes:
        return ""
    padded: NDArray[np.uint64] = np.array([*hashes, 0, 0], dtype=np.uint64)
    runs = padded[:-2] + padded[1:-1] * np.uint64(0x100000001B3) + padded[2:] * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):  # the finisher of SplitMix64
        runs = (runs ^ (runs >> np.uint64(shift))) * np.uint64(factor)
    shares = np.unpackbits(runs.astype(">u8").view(np.uint8).reshape(-1, 8), axis=1).mean(axis=0)
    return np.packbits(shares > 0.5).tobytes().hex()
