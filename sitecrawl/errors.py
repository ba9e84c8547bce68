"""Errors that sitecrawl raises on purpose. Each carries its data; the message is built here."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # what systems say of a full disk
_LONGEST = 300  # most characters of a reason in a message: it may quote a damaged file


class SitecrawlError(Exception):
    """Parent of every error a caller may want to catch."""


def error_line(error: BaseException) -> str:
    """An error that ended a crawl, in a line for users: ours by its message, any other with its
    class."""
    is_ours = isinstance(error, SitecrawlError)
    return (
        str(error)
        if is_ours
        else f"an error ended the crawl ({type(error).__name__}: {error}); the log has it"
    )


class FileError(SitecrawlError):
    """A file is missing, damaged or foreign. ``reason`` is a few words, ``remedy`` what the user
    can do."""

    kind = "file"

    def __init__(self, path: object, reason: str, remedy: str) -> None:
        reason = " ".join(reason.split())
        reason = reason if len(reason) <= _LONGEST else f"{reason[:_LONGEST]} ..."
        super().__init__(f"{self.kind} {path}: {reason}; {remedy}")
        self.path = str(path)
        self.reason = reason
        self.remedy = remedy

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors travel between worker processes."""
        return type(self), (self.path, self.reason, self.remedy)


class ModelError(FileError):
    """A link or block model file cannot be used."""

    kind = "model"


class StoreError(FileError):
    """A template cache or crawl state file cannot be used."""

    kind = "store"


class DatabaseError(StoreError):
    """The database of a store is damaged, or cannot be read or written."""

    @classmethod
    def of(cls, path: object, error: Exception) -> DatabaseError:
        """What went wrong while the store at ``path`` was used, with advice that loses nothing."""
        if "://" in str(path):
            return cls(
                path, f"cannot be used ({' '.join(str(error).split())[:200]})", _SEE_TO_SERVER
            )
        code = (getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF
        if isinstance(error, OSError):
            remedy = _FULL[1] if error.errno in NO_ROOM else _MAY_NOT
            return cls(path, f"cannot be used ({error.strerror})", remedy)
        reason, remedy = _TROUBLES.get(code, ("damaged", MOVE_AWAY))
        return cls(path, f"{reason} ({' '.join(str(error).split())[:120]})", remedy)


MOVE_AWAY = "move it away and run the command again (what a feed that is added to with -o holds is not written twice)"
NEWER = f"use the version of sitecrawl that wrote it, or {MOVE_AWAY}"
_MAY_NOT = "allow it to be written, or name another folder by SITECRAWL_DATA_DIR"
_AGAIN = "then run the command again: it goes on from there, and what was written stays"
_SEE_TO_SERVER = f"see that the server runs and lets you in, {_AGAIN}"
_FULL = ("cannot be written", f"make room on the disk, {_AGAIN}")
_TROUBLES = {
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_IOERR: (
        "cannot be read or written",
        f"see to the disk and the room on it, {_AGAIN}",
    ),
    sqlite3.SQLITE_READONLY: ("cannot be written", _MAY_NOT),
    sqlite3.SQLITE_PERM: ("cannot be written", _MAY_NOT),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", _MAY_NOT),
    sqlite3.SQLITE_BUSY: ("in use", f"wait for whoever uses it, {_AGAIN}"),
    sqlite3.SQLITE_LOCKED: ("in use", f"wait for whoever uses it, {_AGAIN}"),
}


OTHER_FOLDER = "-s SITECRAWL_DATA_DIR=DIR reads another folder"
OTHER_SITE = f"sitecrawl families names its sites, and {OTHER_FOLDER}"


class LabelError(FileError):
    """A labels or link-record file cannot be read."""

    kind = "labels"


class TemplateError(FileError):
    """A template document is damaged or of an unknown protocol."""

    kind = "template"


class UnknownSiteError(TemplateError):
    """The data folder holds nothing of a site."""

    kind = "site"


class SitesError(FileError):
    """A file of sites, or what was copied from it, cannot be used."""

    kind = "sites file"


def nearest(name: str, known: Iterable[str]) -> str:
    """What to write instead of an unknown name: the known one that is most like it, else all of
    them.

    >>> nearest("max_article", ["max_articles", "depth"]), nearest("colour", ["depth", "since"])
    ('did you mean max_articles?', 'choose from depth, since')
    """
    names = sorted(known)
    like = get_close_matches(name, names, 1)
    return f"did you mean {like[0]}?" if like else f"choose from {', '.join(names)}"


def unknown_setting(given: Iterable[str], known: Iterable[str]) -> str:
    """What to say of the first given setting with our prefix that is not known; empty if there is
    none.

    >>> unknown_setting(["LOG_LEVEL", "SITECRAWL_J"], ["SITECRAWL_JS"])
    'no setting SITECRAWL_J: did you mean SITECRAWL_JS?'
    """
    ours = [name for name in known if name.startswith("SITECRAWL_")]
    for name in given:
        if name.startswith("SITECRAWL_") and name not in ours:
            return f"no setting {name}: {nearest(name, ours)}"
    return ""
