"""The feed formats of this folder; importing them imports no writer."""

from sitecrawl.feed_formats import FeedFormat

_HERE = "sitecrawl.extras.sinks"
PARQUET = FeedFormat(f"{_HERE}.tables.ParquetExporter", ".parquet", package="pyarrow")
SECTION_FEEDS = FeedFormat(f"{_HERE}.json_feeds.SectionFeedsExporter", "", is_folder=True)
RSS = FeedFormat(f"{_HERE}.xml_feeds.RssExporter", ".rss")
JSON_FEED = FeedFormat(f"{_HERE}.json_feeds.JsonFeedExporter", ".json")
CSV = FeedFormat(f"{_HERE}.tables.CsvExporter", ".csv")
XML = FeedFormat(f"{_HERE}.xml_feeds.XmlExporter", ".xml")
ATOM = FeedFormat(f"{_HERE}.xml_feeds.AtomExporter", ".atom")
MARKDOWN_FILE = FeedFormat(f"{_HERE}.markdown_files.MarkdownExporter", ".md")
MARKDOWN_FOLDER = FeedFormat(f"{_HERE}.markdown_files.MarkdownExporter", "", is_folder=True)
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
