"""What users plug into a crawl: page filters, link filters and item pipelines."""

from __future__ import annotations

import json
import logging
import re
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fnmatch import translate
from inspect import iscoroutinefunction, isgeneratorfunction, signature
from pkgutil import resolve_name
from typing import Any

from sitecrawl.crawl.records import RequestContext, Role
from sitecrawl.dom.page import Page
from sitecrawl.errors import SitecrawlError
from sitecrawl.limits import LIMITS
from sitecrawl.plugins import ITEM_PIPELINES, LINK_FILTERS, PAGE_FILTERS, plugged

PageFilter = Callable[[Page, RequestContext], bool]  # decides whether a fetched page is read
LinkFilter = Callable[[RequestContext], bool]
"""Decides whether a page is requested, by its URL, role, promise (0..1), anchor text, section and
depth."""
ItemPipeline = Callable[
    [dict[str, Any]], dict[str, Any] | None
]  # returns the item to save; None drops it
_NEEDED = {"url": str, "articleBody": str, "provenance": dict} | dict.fromkeys(
    "canonicalUrl headline datePublished dateModified sectionUrl".split(), str | None
)
"""Fields of an item that a crawl itself reads, also in later runs, and their types."""
_TAKES = {PAGE_FILTERS: ("page", "context"), LINK_FILTERS: ("context",), ITEM_PIPELINES: ("item",)}
_TRACED: set[str] = set()  # places in code whose traceback is in the log


class HookError(SitecrawlError):
    """A hook that cannot be loaded, or a URL pattern that cannot be read."""


class StepError(RuntimeError):
    """An error of any class in a user's own step. It names the class, and has the error as its
    cause."""


def log_failure(
    log: logging.Logger | logging.LoggerAdapter[Any], what: str, *, url: str, error: Exception
) -> None:
    """Log an error, with the traceback of the first one from its place in the code: a step may fail
    on each page."""
    cause = error.__cause__ if isinstance(error, StepError) and error.__cause__ else error
    place = f"{type(cause)}{traceback.format_tb(cause.__traceback__)[-1:]}"
    traced = None if place in _TRACED else cause
    log.error("%s %s (%s: %s)", what, url, type(cause).__name__, cause, exc_info=traced)
    _TRACED.add(place)


class _UsersCode:
    def __enter__(self) -> None: ...
    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception | SystemExit):
            raise StepError(type(error).__name__) from error


_USERS_CODE = (
    _UsersCode()
)  # around all calls of it: its errors must not pass for ours, nor for one that ends the crawl


@dataclass(frozen=True, slots=True)
class Hooks:
    """The user's own steps of a crawl, in order of execution."""

    page_filters: tuple[PageFilter, ...] = ()
    link_filters: tuple[LinkFilter, ...] = ()
    item_pipelines: tuple[ItemPipeline, ...] = ()

    @classmethod
    def load(
        cls, *, pages: Iterable[str] = (), links: Iterable[str] = (), items: Iterable[str] = ()
    ) -> Hooks:
        """The hooks of installed packages (entry points) and those named by dotted paths. Raises
        HookError if one cannot be loaded."""
        return cls(
            _loaded(PAGE_FILTERS, pages),
            _loaded(LINK_FILTERS, links),
            _loaded(ITEM_PIPELINES, items),
        )

    def with_patterns(self, include: Sequence[str], exclude: Sequence[str]) -> Hooks:
        """The same hooks and a link filter: a page that matches an excluded pattern is never
        requested, an article only where it matches an included one. Listing pages need no included
        pattern, since they lead to the articles. Raises HookError for an invalid pattern."""
        if not include and not exclude:
            return self
        wanted, unwanted = _compiled(include), _compiled(exclude)

        def accepts(context: RequestContext) -> bool:
            if any(pattern.search(context.url) for pattern in unwanted):
                return False
            is_free = context.role is not Role.ARTICLE or not wanted
            return is_free or any(pattern.search(context.url) for pattern in wanted)

        return replace(self, link_filters=(*self.link_filters, accepts))

    def reads(self, page: Page, context: RequestContext) -> bool:
        with _USERS_CODE:
            return all(accepts(page, context) for accepts in self.page_filters)

    def follows(self, context: RequestContext) -> bool:
        """Whether a page is requested. Start pages, and feeds and sitemaps, always are."""
        with _USERS_CODE:
            return context.role in (Role.START, Role.FILE) or all(
                accepts(context) for accepts in self.link_filters
            )

    def piped(self, item: dict[str, Any]) -> dict[str, Any] | None:
        """The item after all pipelines; None if one of them drops it."""
        piped: dict[str, Any] | None = item
        with _USERS_CODE:
            for pipeline in self.item_pipelines:
                piped = None if piped is None else pipeline(piped)
            is_item = isinstance(piped, dict) and all(
                isinstance(piped.get(name, 0), kind) for name, kind in _NEEDED.items()
            )
            if piped is not None and not is_item:
                raise TypeError(
                    f"an item pipeline returns None, or a dict with {', '.join(_NEEDED)} as they were"
                )
            if self.item_pipelines:
                json.dumps(piped, allow_nan=False)  # raises an error for what JSON cannot hold
        return piped


NO_HOOKS = Hooks()


def url_pattern_of(text: str) -> re.Pattern[str]:
    r"""A URL pattern: ``/regex/`` is searched for in the URL, anything else is a glob in which
    ``*`` stands for any characters; a glob without
    ``://`` is compared with path and query. Raises HookError for an invalid or too long one.

    >>> glob, regex = url_pattern_of("/news/*.html"), url_pattern_of(r"/\d{4}/")
    >>> [bool(one.search("http://a.org/news/2024/b.html")) for one in (glob, regex, url_pattern_of("/news/"))]
    [True, True, True]
    >>> bool(glob.search("http://a.org/old/news/b.html"))
    False
    """
    if len(text) > LIMITS.cached_chars:
        raise HookError(f"a URL pattern of {len(text)} characters is too long")
    if len(text) > 2 and text.startswith("/") and text.endswith("/"):
        try:
            return re.compile(text[1:-1])
        except re.error as error:
            raise HookError(f"the URL pattern {text} cannot be read: {error}") from None
    # of the signs of a glob only the star is one here: ? begins a query, and brackets stand in
    # hosts
    glob = translate(text.replace("[", "[[]").replace("?", "[?]"))
    return re.compile(glob if "://" in text else rf"^[a-z]+://[^/]*(?:{glob})")


def _compiled(patterns: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    if len(patterns) > LIMITS.url_filters:
        raise HookError(f"more than {LIMITS.url_filters} URL patterns")
    return tuple(map(url_pattern_of, patterns))


def _loaded(group: str, paths: Iterable[str]) -> tuple[Any, ...]:
    found, installed = [], [entry.value for _, entry in sorted(plugged(group).items())]
    for path in [*installed, *paths]:
        try:
            one = resolve_name(path)
        except (ImportError, AttributeError, ValueError) as error:
            raise HookError(
                f"{path} cannot be loaded ({error}): Python must find it, as with PYTHONPATH=."
            ) from None
        if (
            not callable(one) or iscoroutinefunction(one) or isgeneratorfunction(one)
        ):  # the last two count as true
            raise HookError(f"{path} cannot be called: make it a function without async and yield")
        with suppress(ValueError):  # of some functions in C the arguments are not known
            try:
                signature(one).bind(*_TAKES[group])
            except TypeError as error:
                takes = ", ".join(_TAKES[group])
                raise HookError(
                    f"{path} cannot be called with ({takes}) ({error}): it must take these"
                ) from None
        found.append(one)
    return tuple(found)
