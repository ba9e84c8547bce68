"""Fingerprints of texts: alike texts have fingerprints that differ in few bits (simhash: Charikar 2002, doi:10.1145/509907.509965)."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

_POWERS = np.array([pow(0x9E3779B97F4A7C15, place, 1 << 64) for place in range(1, 9)], dtype=np.uint64)
_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.int64)  # of each byte
_IS_LETTER = np.array([chr(code).isalnum() for code in range(128)] + [True])


def fingerprint(text: str) -> str:
    """Simhash of 64 bits over runs of eight letters and digits, as 16 hex digits; empty for a text without any.

    Two texts with fingerprints that differ in at most three bits are near duplicates (Manku, Jain and Das Sarma 2007).

    >>> fingerprint("The bridge was opened this morning"), fingerprint(" the bridge was OPENED, this morning. ")
    ('7b1aa108c2b603f9', '7b1aa108c2b603f9')
    """
    codes = np.frombuffer(text.casefold().encode("utf-32-le", "surrogatepass"), np.uint32)
    letters = codes[_IS_LETTER[np.minimum(codes, 128)]].astype(np.uint64)
    if not letters.size:
        return ""
    runs = sliding_window_view(np.pad(letters, (0, _POWERS.size - 1)), _POWERS.size) @ _POWERS
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):  # the finisher of SplitMix64
        runs = (runs ^ (runs >> np.uint64(shift))) * np.uint64(factor)
    octets = runs.astype(">u8").view(np.uint8).reshape(-1, 8).T
    counts = [np.bincount(octet, minlength=256) @ _BITS for octet in octets]
    return np.packbits(2 * np.concatenate(counts) > runs.size).tobytes().hex()
