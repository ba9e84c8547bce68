"""Scrapy extensions: feeds that survive a kill, a progress line."""
