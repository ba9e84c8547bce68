"""What a crawl decides and remembers. Nothing here knows Scrapy."""
