"""Synthetic portals: made-up sites of many designs whose links are labelled by construction, to train the link model on."""
