"""A small site of our own, served on loopback: what `make crawl` crawls when no address is given."""
