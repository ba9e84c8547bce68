"""What our spider middlewares share: each entry of a callback's output is answered by any number of entries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

from scrapy.http import Response


class Answering(ABC):
    """A spider middleware for plain and asynchronous callbacks alike."""

    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterator[Any]:
        for entry in result:
            yield from self.answer(entry)

    async def process_spider_output_async(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for entry in result:
            for answer in self.answer(entry):
                yield answer

    @abstractmethod
    def answer(self, entry: Any) -> Iterator[Any]:
        """What takes the place of ``entry``; the entry itself where it is none of ours."""
