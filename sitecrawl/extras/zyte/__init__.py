"""sitecrawl in Zyte's world: a provider for scrapy-poet, items of zyte-common-items, and arguments
of zyte-spider-templates."""
