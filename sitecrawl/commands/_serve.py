"""Serving an editor in the browser from a command."""

from __future__ import annotations

from contextlib import suppress

from scrapy.exceptions import UsageError

from sitecrawl.labels.server import Editor, Work


def serve(work: Work, port: int, what: str) -> None:
    """Serve an editor until Ctrl-C, its address printed. Raises UsageError where the port cannot be used."""
    try:
        editor = Editor(work, port)
    except (OSError, OverflowError) as error:
        raise UsageError(f"port {port} cannot be used ({error})", print_help=False) from error
    with editor:
        print(f"{what} at {editor.url} (Ctrl-C ends)", flush=True)
        with suppress(KeyboardInterrupt):
            editor.serve_forever()
