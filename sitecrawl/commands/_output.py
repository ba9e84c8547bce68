"""What the Scrapy commands share: help, and errors in one line."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand

from sitecrawl import settings
from sitecrawl.commands._help import Help, Verb, one_line_errors, refuse_settings, refuse_unknown

if TYPE_CHECKING:
    from sitecrawl.crawl.config import CrawlSettings


# options of Scrapy for its developers: they work, and our help does not list them
_OF_DEVELOPERS = ("--nolog", "--profile", "--pidfile", "--pdb")


class Explained:
    """Mixin for commands: ``explains`` is the help, and unknown options are refused."""

    settings: Any
    crawler_process: Any
    explains: ClassVar[Help]
    parser: ArgumentParser

    def short_desc(self) -> str:
        return self.explains.what

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)  # type: ignore[misc]
        for action in parser._actions:
            if action.option_strings[-1] in _OF_DEVELOPERS:
                action.help = SUPPRESS
        self.explains.put_on(parser, type(self).__name__.removesuffix("Command").lower())
        self.parser = parser

    def process_options(self, args: list[str], opts: Namespace) -> None:
        """Read the options, and end the process for an invalid setting, which may be one of the log
        that Scrapy opens next."""
        super().process_options(args, opts)  # type: ignore[misc]
        with one_line_errors():
            refuse_settings(self.settings or {}, vars(settings))


class OneLineErrors(Explained, ScrapyCommand):
    """A command that needs no project and reports errors, and that it was interrupted, in one
    line."""

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def run(self, args: list[str], opts: Namespace) -> None:
        with one_line_errors():
            refuse_unknown(args, self.parser)
            self.act(args, opts)

    def act(self, args: list[str], opts: Namespace) -> None:
        """Run the command. Raises SitecrawlError if it fails."""
        raise NotImplementedError

    @property
    def known(self) -> CrawlSettings:
        """Our settings. Raises ArgumentError for invalid ones."""
        from sitecrawl.crawl.config import CrawlSettings

        return CrawlSettings.from_settings(self.settings)


class PageCommand(OneLineErrors):
    """A command that ``sitecrawl`` runs without loading Scrapy, for those who type ``scrapy``."""

    verb: ClassVar[Verb]

    def act(self, args: list[str], opts: Namespace) -> None:
        self.verb.act(args, opts, settings=self.settings)
