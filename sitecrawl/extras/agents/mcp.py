"""`sitecrawl mcp`: the articles of sites for an agent, by the Model Context Protocol on standard
input and output."""

from __future__ import annotations

from argparse import Namespace

from sitecrawl.commands._help import Help, OptionError
from sitecrawl.commands._output import OneLineErrors
from sitecrawl.plugins import install_hint


class McpCommand(OneLineErrors):
    """Serves until its standard input is closed."""

    explains = Help(
        "Serve the articles of sites to an agent (Model Context Protocol, standard input and output)",
        {},
        ("sitecrawl mcp", "sitecrawl mcp --private -s SITECRAWL_DATA_DIR=agent"),
        {"--private": "let the agent name private addresses: --private"},
    )

    def act(self, args: list[str], opts: Namespace) -> None:
        try:
            from sitecrawl.extras.agents.tools import server_of
        except ModuleNotFoundError as error:
            raise OptionError(f"sitecrawl mcp needs {error.name}: {install_hint('mcp')}") from None
        server_of(dict(word.split("=", 1) for word in opts.set), only_public=not opts.private).run(
            "stdio"
        )
