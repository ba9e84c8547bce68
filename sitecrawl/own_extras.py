"""Our own extras: what each puts into the core, by group and name. Nothing is imported before it is
needed, and nothing has to be installed again after a change here."""

from __future__ import annotations

OWN = {
    "scrapy.commands": {
        "families": "sitecrawl.extras.overrides.families:FamiliesCommand",
        "extract": "sitecrawl.commands.extract:ExtractCommand",
        "links": "sitecrawl.commands.links:LinksCommand",
        "templates": "sitecrawl.extras.overrides.templates:TemplatesCommand",
        "why": "sitecrawl.extras.explain.why:WhyCommand",
        "batch": "sitecrawl.extras.archives.batch:BatchCommand",
        "label": "sitecrawl.extras.editor.label:LabelCommand",
        "feed": "sitecrawl.extras.fleet.feed:FeedCommand",
        "show": "sitecrawl.extras.sinks.show:ShowCommand",
        "sites": "sitecrawl.extras.fleet.sites:SitesCommand",
        "work": "sitecrawl.extras.fleet.work:WorkCommand",
        "report": "sitecrawl.extras.report.report:ReportCommand",
        "mcp": "sitecrawl.extras.agents.mcp:McpCommand",
        "train": "sitecrawl.extras.training.train:TrainCommand",
    },
    "sitecrawl.extractors": {
        "text_density": "sitecrawl.extras.papers.densities:extract_text_density",
        "composite_density": "sitecrawl.extras.papers.densities:extract_composite_density",
        "point_density": "sitecrawl.extras.papers.densities:extract_point_density",
        "block_density": "sitecrawl.extras.papers.densities:extract_block_density",
        "punctuation": "sitecrawl.extras.papers.punctuation:extract_punctuation",
        "justext": "sitecrawl.extras.papers.justext:extract_justext",
    },
    "sitecrawl.extensions": {
        "archive": "sitecrawl.extras.archives.recording:CrawlArchive",
        "facts": "sitecrawl.extras.sinks.feed_channel:ChannelFacts",
    },
    "sitecrawl.template_actions": {
        "edit": "sitecrawl.extras.editor.edit_template:edit_in_browser",
    },
    "sitecrawl.databases": {
        "postgresql": "sitecrawl.extras.fleet.postgresql:PostgreSQL",
        "postgres": "sitecrawl.extras.fleet.postgresql:PostgreSQL",
    },
    "sitecrawl.feed_formats": {
        "parquet": "sitecrawl.extras.sinks.formats:PARQUET",
        "jsonfeed": "sitecrawl.extras.sinks.formats:JSON_FEED",
        "csv": "sitecrawl.extras.sinks.formats:CSV",
        "rss": "sitecrawl.extras.sinks.formats:RSS",
        "atom": "sitecrawl.extras.sinks.formats:ATOM",
        "markdown": "sitecrawl.extras.sinks.formats:MARKDOWN",
        "sql": "sitecrawl.extras.sinks.formats:SQL",
        "webhook": "sitecrawl.extras.sinks.formats:WEBHOOK",
    },
    "sitecrawl.middlewares": {
        "access": "sitecrawl.extras.access.middleware:SiteAccess",
    },
    "sitecrawl.browser": {
        "path": "sitecrawl.extras.browser.browser:browser_path",
        "open": "sitecrawl.extras.browser.browser:Browser",
    },
    "sitecrawl.functions": {
        "articles": "sitecrawl.extras.agents.iteration:articles",
        "chunks": "sitecrawl.extras.agents.chunking:chunks",
    },
    "sitecrawl.arguments": {
        "zyte": "sitecrawl.extras.zyte.arguments:zyte_arguments",
    },
    "sitecrawl.item_forms": {
        "zyte": "sitecrawl.extras.zyte.item_form:ZyteItems",
    },
    "sitecrawl.poet_providers": {
        "zyte": "sitecrawl.extras.zyte.provider:SitecrawlProvider",
    },
    "sitecrawl.recorders": {
        "visits": "sitecrawl.extras.visits:VisitRecorder",
    },
    "sitecrawl.report": {
        "write": "sitecrawl.extras.report.report:write_report",
        "alerts": "sitecrawl.extras.report.alerts",
    },
    "sitecrawl.demo": {
        "serve": "sitecrawl.extras.demo:serve",
    },
}
