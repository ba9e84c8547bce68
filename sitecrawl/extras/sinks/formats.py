"""The feed formats of this folder; importing them imports no writer."""

from sitecrawl.feed_formats import FeedFormat

_HERE = "sitecrawl.extras.sinks"
PARQUET = FeedFormat(f"{_HERE}.tables.ParquetExporter", ".parquet", package="pyarrow")
RSS = FeedFormat(f"{_HERE}.xml_feeds.RssExporter", ".rss", is_newest=True)
JSON_FEED = FeedFormat(f"{_HERE}.json_feeds.JsonFeedExporter", ".jsonfeed", is_newest=True)
CSV = FeedFormat(f"{_HERE}.tables.CsvExporter", ".csv")
ATOM = FeedFormat(f"{_HERE}.xml_feeds.AtomExporter", ".atom", is_newest=True)
MARKDOWN = FeedFormat(f"{_HERE}.markdown_files.MarkdownExporter", ".md", is_folder=True)
SQL = FeedFormat(
    f"{_HERE}.sql.SqlExporter",
    "",
    storage=f"{_HERE}.sql.SqlStorage",
    schemes=("sqlite", "postgresql", "postgres"),
)
WEBHOOK = FeedFormat(
    f"{_HERE}.webhook.WebhookExporter",
    "",
    storage=f"{_HERE}.webhook.WebhookStorage",
    schemes=("https", "http"),
)
