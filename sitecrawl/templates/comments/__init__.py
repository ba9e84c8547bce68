"""Comments of an article, posts of a thread: finding the repeated unit, its parts, and reading
them."""
