"""Scrapy settings of the project: polite, safe with untrusted pages, readable output."""

from importlib.metadata import version

from sitecrawl.feed_formats import feed_formats
from sitecrawl.plugins import EXTENSIONS as EXTENSIONS_GROUP
from sitecrawl.plugins import MIDDLEWARES, path_of, plugged

BOT_NAME = "sitecrawl"
SPIDER_MODULES = ["sitecrawl.spiders"]
COMMANDS_MODULE = "sitecrawl.commands.crawl"
USER_AGENT = "sitecrawl/0.1 (site-adaptive article crawler)"

# polite
ROBOTSTXT_OBEY = True
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 0.5
AUTOTHROTTLE_TARGET_CONCURRENCY = 2.0  # requests to a host at a time, on average
DOWNLOAD_DELAY = 0.25  # seconds between requests to a host
CONCURRENT_REQUESTS_PER_DOMAIN = 8
RETRY_TIMES = 2
DOWNLOAD_TIMEOUT = 60
# Scrapy's own ask for English, which some sites then serve in place of their language
DEFAULT_REQUEST_HEADERS = {
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Language": "*",
}
# Scrapy would read the source of our callbacks for every page
WARN_ON_GENERATOR_RETURN_VALUE = False
CONCURRENT_ITEMS = 1  # Scrapy starts this many tasks for every page; ours wait for nothing

# safe with pages nobody has read before
DOWNLOAD_MAXSIZE = 16_000_000  # bytes
DOWNLOAD_WARNSIZE = 0  # no warning: the limit above drops large answers
REDIRECT_MAX_TIMES = 8
METAREFRESH_ENABLED = False  # the spider follows it where a page has no text of its own
TELNETCONSOLE_ENABLED = False
COOKIES_ENABLED = False  # cookies= and access files bring a middleware of their own
TWISTED_DNS_RESOLVER = "sitecrawl.middlewares.address_guard.GuardedResolver"
DOWNLOAD_HANDLERS: dict[str, str | None] = dict.fromkeys(("ftp", "file", "s3"))
DOWNLOAD_HANDLERS |= dict.fromkeys(
    ("http", "https"), "sitecrawl.middlewares.page_handler.PageHandler"
)

DOWNLOADER_MIDDLEWARES = {
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    **dict.fromkeys(
        ["sitecrawl.middlewares.robots.RobotsRules", *map(path_of, plugged(MIDDLEWARES).values())],
        100,
    ),
    "sitecrawl.middlewares.cookie_walls.CookieWalls": 710,
    "sitecrawl.middlewares.retry_after.RetryAfter": 720,
    "sitecrawl.middlewares.address_guard.AddressGuard": 760,
}
SPIDER_MIDDLEWARES = {"sitecrawl.middlewares.templates.TemplateMiddleware": 500}
EXTENSIONS: dict[str, int | None] = {
    "scrapy.extensions.feedexport.FeedExporter": None,
    "sitecrawl.extensions.Feeds": 0,
    "sitecrawl.middlewares.prompt_stop.PromptStop": 0,
    **dict.fromkeys(map(path_of, plugged(EXTENSIONS_GROUP).values()), 30),
}
if tuple(map(int, version("scrapy").split(".")[:2])) >= (2, 19):
    # It runs what it is sent, and brings a web server with it.
    EXTENSIONS["scrapy.extensions.remote_control.RemoteControl"] = None
FEED_EXPORTERS = {name: one.writer for name, one in feed_formats().items()}
FEED_STORAGES = dict.fromkeys(("", "file"), "sitecrawl.exporters.FeedPlace")
FEED_STORAGES |= {scheme: one.storage for one in feed_formats().values() for scheme in one.schemes}
FEED_EXPORT_ENCODING = "utf-8"
FEED_STORE_EMPTY = True  # a run without news still writes a valid file

LOG_LEVEL = "WARNING"
LOG_FORMAT = "%(levelname)s %(name)s: %(message)s"

# ours; each is described in docs/settings.md
SITECRAWL_DATA_DIR = ".sitecrawl"
SITECRAWL_DATABASE = ""
SITECRAWL_WARC = ""
SITECRAWL_WORKER_SITES = 20
SITECRAWL_LOST_AFTER = 60
SITECRAWL_EXTRACTOR = "ensemble"
SITECRAWL_LINK_MODEL = ""
SITECRAWL_MAX_WAIT = 120
SITECRAWL_REWRITE = False
SITECRAWL_FEED_URL = ""
SITECRAWL_FEED_ITEMS = 50
SITECRAWL_ACCESS = ""
SITECRAWL_JS = "auto"
SITECRAWL_CHROMIUM = ""
SITECRAWL_CONTACT = ""
SITECRAWL_PAGE_FILTERS = ""
SITECRAWL_LINK_FILTERS = ""
SITECRAWL_ITEM_PIPELINES = ""
SITECRAWL_ITEMS = ""
SITECRAWL_ALERT = ""
SITECRAWL_DIGEST = ""
SITECRAWL_REPORT = ""
