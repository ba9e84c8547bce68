"""The feed formats of this folder; importing them imports no writer."""

from sitecrawl.feed_formats import FeedFormat

PARQUET = FeedFormat("sitecrawl.extras.sinks.parquet.ParquetExporter", ".parquet", package="pyarrow")
SECTION_FEEDS = FeedFormat("sitecrawl.extras.sinks.section_feeds.SectionFeedsExporter", "", is_folder=True)
