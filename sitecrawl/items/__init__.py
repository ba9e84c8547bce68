"""Records that a crawl writes: the article, its fields, comments and revisions."""
