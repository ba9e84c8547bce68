"""A process beside a worker that only makes processes. It is forked before the worker has a reactor
or a connection, so what it makes begins with all modules and models loaded, and with nothing
else."""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection

_MOST = 65_536  # bytes of an order: the row of a site

Act = Callable[[str, Connection], None]
"""What a new process does with an order, and its end of a pipe; then it ends."""


class Forker:
    """The process that makes processes for ``act``. It ends with this one, however that ends."""

    def __init__(self, act: Act) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # or each process would copy what is loaded at its first collection
        gc.freeze()
        if os.fork() == 0:
            self._socket.close()
            _serve(theirs, act)
        theirs.close()

    def start(self, order: str) -> Connection:
        """Make a process; our end of its pipe. Raises OSError."""
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._socket, [order.encode()], [theirs.fileno()])
        return Connection(ours.detach())


def _serve(orders: socket.socket, act: Act) -> None:
    """Make a process for each order until there can be no more; never returns."""
    # a service manager tells all processes of a worker to stop; these hear it from the worker
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the ends of processes wait for nobody
    while True:
        order, fds, _, _ = socket.recv_fds(orders, _MOST, 1)
        if not fds:
            os._exit(0)
        if os.fork() == 0:
            orders.close()
            _begin(act, order.decode(), pipe=Connection(fds[0]))
        os.close(fds[0])


def _begin(act: Act, order: str, *, pipe: Connection) -> None:
    """In a new process; never returns."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    code = 1
    try:
        act(order, pipe)
        code = 0
    finally:
        logging.shutdown()
        sys.stderr.flush()
        os._exit(code)
