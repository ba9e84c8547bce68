"""Induction: one template from a few pages of one kind and the extractor's guess for each."""
