"""Templates: what the pages of one kind share, learned from the pages themselves. Applying one
costs a few XPath lookups."""
