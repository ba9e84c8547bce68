"""Induction: from a few pages of one kind and what an extractor guessed of each to one template for all."""
