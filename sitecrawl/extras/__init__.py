"""Extras, each reached by an entry point: the core never imports one, and none needs another to be
imported."""
