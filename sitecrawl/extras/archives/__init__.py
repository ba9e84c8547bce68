"""WARC archives: recorded by a crawl, extracted in parallel."""
