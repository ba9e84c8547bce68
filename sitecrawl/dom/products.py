"""Matrix products that never start a thread: OpenBLAS would wake all cores for what one page needs,
and they spin for longer than the product takes. That made a page cost four times its CPU.
OPENBLAS_NUM_THREADS would help, but it is the caller's own choice, so it is not changed here."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_SERIAL = 1 << 18
"""Multiplications of a product up to which OpenBLAS uses one thread (``SMP_THRESHOLD_MIN *
GEMM_MULTITHREAD_THRESHOLD`` in its interface/gemm.c)."""

Array = NDArray[Any]


def product(rows: Array, matrix: Array) -> Array:
    """``rows @ matrix`` (n x d by d x m, or d), by as many rows at a time as OpenBLAS multiplies in
    the calling thread.

    >>> product(np.ones((3, 2)), np.ones((2, 1))).tolist(), product(np.ones((1, 2)), np.ones(2)).tolist()
    ([[2.0], [2.0], [2.0]], [2.0])
    """
    if matrix.ndim == 1:
        found: Array = np.einsum("ij,j->i", rows, matrix)
        return found
    step = max(1, _SERIAL // max(1, matrix.size))
    if len(rows) <= step:
        return rows @ matrix
    found = np.empty((len(rows), matrix.shape[1]), np.result_type(rows, matrix))
    for at in range(0, len(rows), step):
        np.matmul(rows[at : at + step], matrix, out=found[at : at + step])
    return found
