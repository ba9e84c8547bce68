"""Trees: parse once, walk once, and the primitives that links, extract and templates share."""
