"""Days in paths: some sites write one day both as 2009/9/1 and as 2009/09/01."""

from __future__ import annotations

import re

_DAY = re.compile(r"(?<=/)((?:19|20)\d\d)/(0?[1-9]|1[0-2])/(0?[1-9]|[12]\d|3[01])(?=/|$)")


def dated(path: str) -> str:
    """A path, or a key of former days, with two digits for the month and the day of a date.

    >>> dated("example.com/2009/9/1/story"), dated("/2009/09/01"), dated("/2009/9/story"), dated("/2009/13/1")
    ('example.com/2009/09/01/story', '/2009/09/01', '/2009/9/story', '/2009/13/1')
    """
    return _DAY.sub(lambda day: f"{day[1]}/{day[2]:0>2}/{day[3]:0>2}", path)
