"""Templates: what the pages of one kind share, learned from the pages themselves, applied at the price of a few addresses."""
