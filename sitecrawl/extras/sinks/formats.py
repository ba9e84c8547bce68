"""The feed formats of this folder; importing them imports no writer."""

from sitecrawl.feed_formats import FeedFormat

PARQUET = FeedFormat("sitecrawl.extras.sinks.tables.ParquetExporter", ".parquet", package="pyarrow")
SECTION_FEEDS = FeedFormat("sitecrawl.extras.sinks.json_feeds.SectionFeedsExporter", "", is_folder=True)
RSS = FeedFormat("sitecrawl.extras.sinks.xml_feeds.RssExporter", ".rss")
JSON_FEED = FeedFormat("sitecrawl.extras.sinks.json_feeds.JsonFeedExporter", ".json")
CSV = FeedFormat("sitecrawl.extras.sinks.tables.CsvExporter", ".csv")
XML = FeedFormat("sitecrawl.extras.sinks.xml_feeds.XmlExporter", ".xml")
ATOM = FeedFormat("sitecrawl.extras.sinks.xml_feeds.AtomExporter", ".atom")
MARKDOWN_FILE = FeedFormat("sitecrawl.extras.sinks.markdown_files.MarkdownExporter", ".md")
MARKDOWN_FOLDER = FeedFormat("sitecrawl.extras.sinks.markdown_files.MarkdownExporter", "", is_folder=True)
SQL = FeedFormat(
    "sitecrawl.extras.sinks.sql.SqlExporter",
    "",
    storage="sitecrawl.extras.sinks.sql.SqlStorage",
    schemes=("sqlite", "postgresql", "postgres"),
)
WEBHOOK = FeedFormat(
    "sitecrawl.extras.sinks.webhook.WebhookExporter",
    "",
    storage="sitecrawl.extras.sinks.webhook.WebhookStorage",
    schemes=("https", "http"),
)
