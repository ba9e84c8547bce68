"""Products of one page: the numbers of ``@``, by as many rows at a time as BLAS multiplies without
threads."""

from __future__ import annotations

import numpy as np
import pytest

from sitecrawl.dom import products
from sitecrawl.dom.products import product

_RANDOM = np.random.default_rng(20)


@pytest.mark.parametrize("rows", [0, 1, 7, 400])
@pytest.mark.parametrize("shape", [(167, 96), (202, 2), (96,)])
def test_the_numbers_are_those_of_one_product(rows: int, shape: tuple[int, ...]) -> None:
    left = _RANDOM.random((rows, shape[0]), np.float32)
    right = _RANDOM.random(shape, np.float32)
    found = product(left, right)
    assert found.dtype == np.float32
    assert np.allclose(found, left @ right, rtol=1e-5)


def test_flags_are_multiplied_as_numbers() -> None:
    assert product(np.array([[True, True]]), np.array([[1.0], [2.0]], np.float32)).tolist() == [
        [3.0]
    ]


def test_no_part_is_large_enough_for_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    whole = np.matmul

    def watched(left: np.ndarray, right: np.ndarray, out: np.ndarray) -> np.ndarray:
        sizes.append(left.size * right.shape[1])
        return whole(left, right, out=out)

    monkeypatch.setattr(products.np, "matmul", watched)
    product(np.ones((2_000, 167)), np.ones((167, 96)))
    assert len(sizes) > 1
    assert max(sizes) <= 1 << 18
