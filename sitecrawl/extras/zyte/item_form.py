"""``SITECRAWL_ITEMS=zyte``: items are written as objects of zyte-common-items."""

from __future__ import annotations

from typing import Any

from itemadapter import ItemAdapter
from zyte_common_items import ZyteItemAdapter

from sitecrawl.extras.zyte.conversion import zyte_article


class ZyteItems:
    """Item pipeline of Scrapy. It changes items of sitecrawl only."""

    def __init__(self) -> None:
        if ZyteItemAdapter not in ItemAdapter.ADAPTER_CLASSES:
            ItemAdapter.ADAPTER_CLASSES = (ZyteItemAdapter, *ItemAdapter.ADAPTER_CLASSES)

    def process_item(self, item: Any) -> Any:
        return (
            zyte_article(item)
            if isinstance(item, dict) and {"articleBody", "provenance"} <= item.keys()
            else item
        )
