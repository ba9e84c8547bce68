"""A plugin of pytest that holds tests to the seconds of CPU that their mark ``costs`` names. It is
loaded by ``python -m benchmarks attacks --only seconds`` and never by the tests: a busy machine
would make them fail."""

from __future__ import annotations

import time
from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that took more CPU than its mark allows."""
    began = time.process_time()
    result = yield
    seconds = time.process_time() - began
    mark = item.get_closest_marker("costs")
    if mark is not None:
        assert seconds < mark.args[0], f"{seconds:.2f} s of CPU"
    return result
