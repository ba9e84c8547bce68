"""What is known about one site, and what it makes of a page."""
