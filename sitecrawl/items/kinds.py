"""The one vocabulary: what links promise, what pages are, which state a template is in. Members equal their strings."""

from __future__ import annotations

from enum import StrEnum


class LinkLabel(StrEnum):
    """What a link leads to."""

    ARTICLE = "article"
    """One article or thread."""
    SECTION = "section"
    """A listing: category, tag, archive, pagination."""
    OTHER = "other"


class PageKind(StrEnum):
    """What a fetched page is."""

    ARTICLE = "article"
    THREAD = "thread"
    LISTING = "listing"
    OTHER = "other"

    @property
    def is_article(self) -> bool:
        """Whether an item leaves for such a page."""
        return self in (PageKind.ARTICLE, PageKind.THREAD)


class TemplateState(StrEnum):
    """Where a template stands in its life."""

    CANDIDATE = "candidate"
    """Induced, not yet confirmed on pages that did not induce it."""
    TRUSTED = "trusted"
    DRIFTING = "drifting"
    """Out of use since the site changed."""
    REPLACED = "replaced"
    """A newer version answers."""
