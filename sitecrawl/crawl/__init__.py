"""What a crawl decides and remembers, apart from Scrapy's components: URLs, frontier, state, addresses."""
