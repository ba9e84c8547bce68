"""Editors in the browser for link labels and templates, each served by a local server."""
