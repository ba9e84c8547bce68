"""What leaves a crawl: the article, its fields, its comments, its revisions."""
