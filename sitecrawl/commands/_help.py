"""Help of the commands with examples, and one line for a mistake. Independent of Scrapy."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, NoReturn

from sitecrawl.commands._alerts import Exit
from sitecrawl.errors import NO_ROOM, DatabaseError, SitecrawlError, nearest, unknown_setting

_POSITIVE = (
    "CONCURRENT_REQUESTS",
    "CONCURRENT_REQUESTS_PER_DOMAIN",
    "CONCURRENT_ITEMS",
    "DOWNLOAD_TIMEOUT",
)


# words of a command line in the environment, as a list in JSON: `ps` shows a command line to
# every user of the machine, and settings hold passwords and keys
HIDDEN_WORDS = "SITECRAWL_WORDS"


class OptionError(SitecrawlError):
    """Invalid input: an option, a setting, an argument."""


@dataclass(frozen=True, slots=True)
class Help:
    """What a command does, what its arguments mean, examples, and its options. An option is
    described by the keywords of ``add_argument``; a text alone is the help of a switch. Several
    names of an option are separated by blanks."""

    what: str
    words: Mapping[str, str] = field(default_factory=dict)
    examples: tuple[str, ...] = ()
    options: Mapping[str, str | Mapping[str, Any]] = field(default_factory=dict)

    def put_on(self, parser: argparse.ArgumentParser, name: str) -> None:
        """Add the options, set the help of the command ``name``, and print one line for a
        mistake."""
        for names, how in self.options.items():
            known = {"action": "store_true", "help": how} if isinstance(how, str) else how
            parser.add_argument(*names.split(), **known)
        parser.prog = f"sitecrawl {name}"
        parser.usage = (
            f"sitecrawl {name} {' '.join(f'{word}...' for word in self.words)} [options]".replace(
                "  ", " "
            )
        )
        parser.description, parser.formatter_class = self.what, argparse.RawDescriptionHelpFormatter
        width = max(map(len, self.words), default=0)
        words = [f"  {word:{width}}  {meaning}" for word, meaning in self.words.items()]
        parts = {"arguments": words, "examples": [f"  {example}" for example in self.examples]}
        parser.epilog = "\n\n".join(
            "\n".join([f"{title}:", *lines]) for title, lines in parts.items() if lines
        )
        parser.error = _refuse  # type: ignore[method-assign]


@dataclass(frozen=True, slots=True)
class Verb:
    """A command that needs no Scrapy: its help, and the function that runs it with the words, the
    options and the ``settings``."""

    help: Help
    act: Callable[..., None]

    def put_on(self, parser: argparse.ArgumentParser, name: str) -> None:
        """Add the options, and ``-s`` as Scrapy's commands have it."""
        self.help.put_on(parser, name)
        parser.add_argument_group("Global Options").add_argument(
            "-s",
            "--set",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="set/override setting (may be repeated)",
        )


def _refuse(message: str) -> NoReturn:
    complain(f"{message} (--help lists the options)")
    sys.exit(Exit.USAGE)


def hidden_words() -> list[str]:
    """Takes the words of this command that the environment holds out of it, so that no child of the
    process gets them. Raises OptionError."""
    raw = os.environ.pop(HIDDEN_WORDS, "[]")
    try:
        words = json.loads(raw)
    except ValueError:
        words = None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise OptionError(
            f"{HIDDEN_WORDS} is no list of words in JSON: take it out of the environment"
        )
    return words


def complain(what: object) -> None:
    """Print one line about a problem, with control characters escaped."""
    from sitecrawl.text.chars import printable

    print(f"sitecrawl: {printable(str(what))}", file=sys.stderr)


def refuse_unknown(words: list[str], parser: argparse.ArgumentParser) -> None:
    """Raise OptionError if one of the words is an unknown option."""
    known = [
        name
        for action in parser._actions
        for name in action.option_strings
        if name.startswith("--")
    ]
    for word in words:
        if word.startswith("-") and word != "-":
            name = word.partition("=")[0]
            raise OptionError(f"no option {name}: {nearest(name, known)}")


def refuse_settings(
    given: Mapping[str, Any], known: Mapping[str, Any], *, alike: float = 0.92
) -> None:
    """Raise OptionError if one of our settings is not ``known``, if a name is ``alike`` one of
    Scrapy's (0..1, as in difflib), or if one of Scrapy's that is a number, a truth value, or of the
    log has another value."""
    from scrapy.settings import default_settings

    if told := unknown_setting(given, known):
        raise OptionError(told)
    every = [name for name in (*vars(default_settings), *known) if name.isupper()]
    for name, value in given.items():
        # a name that is like none may belong to a plug-in
        if name not in every and get_close_matches(name, every, 1, alike):
            raise OptionError(f"no setting {name}: {nearest(name, every)}")
        if value is not None:
            _refuse_value(name, value, usual=vars(default_settings).get(name))


def _refuse_value(name: str, value: Any, *, usual: Any) -> None:
    if isinstance(usual, bool):
        _refuse_truth_value(name, value)
    elif isinstance(usual, int | float):
        _refuse_number(name, value)
    elif name == "LOG_LEVEL":
        _refuse_level(value)
    elif name == "LOG_FILE" and value:
        _refuse_log(value)


def _refuse_truth_value(name: str, value: Any) -> None:
    from scrapy.settings import BaseSettings

    try:
        BaseSettings({name: value}).getbool(name)
    except (ValueError, TypeError):
        raise OptionError(f"{name} is True or False, not {value}") from None


def _refuse_number(name: str, value: Any) -> None:
    try:
        number = float(value)
    except (ValueError, TypeError):
        raise OptionError(f"{name} is a number, not {value}") from None
    if name in _POSITIVE and not number > 0:
        raise OptionError(f"{name}={value} is too small: no page would come")


def _refuse_level(value: Any) -> None:
    levels = logging.getLevelNamesMapping()
    if value not in levels and value not in levels.values():
        raise OptionError(f"LOG_LEVEL={value} is unknown: {nearest(str(value).upper(), levels)}")


def _refuse_log(path: str) -> None:
    try:
        open(path, "ab").close()
    except OSError as error:
        raise OptionError(
            f"LOG_FILE={path} cannot be written ({error.strerror}): name another file"
        ) from None


@contextmanager
def one_line_errors() -> Iterator[None]:
    """End the command with one line and an exit code for an error of ours, an interruption and a
    full disk; in silence when the reader of its pipe ends (``| head``), with a shell's exit code:
    128 plus SIGPIPE. Standard output is None where the user closed it."""
    try:
        try:
            yield
        finally:
            if sys.stdout:
                sys.stdout.flush()
    except SitecrawlError as error:
        complain(error)
        sys.exit(Exit.FAILED if isinstance(error, DatabaseError) else Exit.USAGE)
    except (
        KeyboardInterrupt
    ):  # before Scrapy's own handler, which lets a crawl end in order, or in another command
        complain("interrupted")
        sys.exit(Exit.INTERRUPTED)
    except OSError as error:
        is_left = isinstance(error, BrokenPipeError)
        if not is_left and error.errno not in NO_ROOM:
            raise
        if sys.stdout:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not is_left:
            complain(f"the output cannot be written: {error.strerror}")
        sys.exit(128 + 13 if is_left else Exit.FAILED)
