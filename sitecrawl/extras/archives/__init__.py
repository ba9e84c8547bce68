"""WARC archives: written by a crawl, extracted in shards on many cores."""
