"""Pages as trees: parsing, flat views, and the primitives that links, extract and templates
share."""
