"""The local server of the editors: only this machine, and only who knows the URL."""

from __future__ import annotations

from collections.abc import Iterator
from http.client import HTTPConnection
from threading import Thread

import pytest

from sitecrawl.extras.editor.loopback import LoopbackHandler, LoopbackServer, whole_number


class Handler(LoopbackHandler):
    def get(self, path: list[str]) -> tuple[str, str]:
        return "text/plain", f"page {whole_number(path[0])}"


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(Handler) as found:
        Thread(target=found.serve_forever, daemon=True).start()
        yield found
        found.shutdown()


def asked(
    server: LoopbackServer, path: str, *, host: str = "", method: str = "GET"
) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    connection.request(method, path, headers={"Host": host or server.host})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def test_only_this_machine_and_who_knows_the_url_may_read(server: LoopbackServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert asked(server, f"/{server.token}/0") == (200, "page 0")
    refused = (403, "refused: foreign host")
    assert asked(server, f"/{server.token}/0", host="evil.example") == refused
    assert asked(server, f"/{server.token}/0", host=f"localhost:{server.server_port}") == refused
    assert asked(server, "/wrong/0") == (403, "refused: wrong token")
    changed = (403, "refused: nothing is changed here")
    assert asked(server, f"/{server.token}/0", method="POST") == changed
    for path in ("none", "../0", "-1", ""):
        assert asked(server, f"/{server.token}/{path}")[0] == 400, path
