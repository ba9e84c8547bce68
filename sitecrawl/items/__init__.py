"""Records that leave a crawl: the article, its fields, comments and revisions."""
