"""What is looked at in an answer before anything reads it: the length of its headers, its compressions, and whether it is whole."""

from __future__ import annotations

from typing import Any

from scrapy.exceptions import IgnoreRequest, ResponseDataLossError
from scrapy.http import Response
from twisted.web.client import HTTPConnectionPool

from sitecrawl.limits import LIMITS

_HEAD = ("STATUS", "HEADER")
"""States of Twisted's parser before the body of an answer begins."""


def bound_heads(pool: HTTPConnectionPool) -> None:
    """Close every connection of a pool whose answer has headers without end. Its requests fail as when the server closes it."""
    usual: Any = pool._factory

    class Bounded(usual):  # type: ignore[misc]
        def buildProtocol(self, address: Any) -> Any:  # noqa: N802 (Twisted's name)
            return _bounded(super().buildProtocol(address))

    pool._factory = Bounded


def whole_answer(response: Response) -> Response:
    """The same answer. Raises IgnoreRequest where it is compressed again and again, each time at the cost of a whole page, and
    ResponseDataLossError for a part of one: a range that nobody asked for."""
    if sum(value.count(b",") + 1 for value in response.headers.getlist("Content-Encoding")) > LIMITS.codings:
        raise IgnoreRequest("too large: compressed too often (max size)")
    if response.status == 206:
        raise ResponseDataLossError("half a body")
    return response


def _bounded(protocol: Any) -> Any:
    usual, size = protocol.dataReceived, 0

    def received(data: bytes) -> None:
        nonlocal size
        usual(data)
        parser = protocol._parser
        size = size + len(data) if parser is not None and parser.state in _HEAD else 0
        if size > LIMITS.head_bytes:
            protocol.transport.abortConnection()

    protocol.dataReceived = received
    return protocol
