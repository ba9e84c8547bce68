"""Pages drawn by JavaScript: a browser behind a filtering proxy, which also scrolls listing pages
(extra `js`)."""
