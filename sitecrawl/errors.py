"""Errors that sitecrawl raises on purpose. Each carries its data; the message is built here."""

from __future__ import annotations


class SitecrawlError(Exception):
    """Parent of every error a caller may want to catch."""


class FileError(SitecrawlError):
    """A file is missing, damaged, or was not written by sitecrawl.

    Args: ``path`` of the file, ``reason`` in a few words, ``remedy`` is what the user can do.
    """

    kind = "file"

    def __init__(self, path: object, reason: str, remedy: str) -> None:
        super().__init__(f"{self.kind} {path}: {reason}; {remedy}")
        self.path = str(path)
        self.reason = reason
        self.remedy = remedy


class ModelError(FileError):
    """A link or block model file cannot be used."""

    kind = "model"


class StoreError(FileError):
    """A template cache or crawl state file cannot be used."""

    kind = "store"


class LabelError(FileError):
    """A labels or link-record file cannot be read."""

    kind = "labels"


class TemplateError(FileError):
    """A template document is damaged or of an unknown protocol."""

    kind = "template"
