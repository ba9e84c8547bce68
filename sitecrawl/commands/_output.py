"""Standard output of a command, whose reader may stop when it has enough."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_PIPE = 141
"""128 and the number of SIGPIPE."""


@contextmanager
def readers_may_leave() -> Iterator[None]:
    """Ends the command without a word once the reader of a pipe left (``| head``), with the exit code the shell gives for that."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(_PIPE)
