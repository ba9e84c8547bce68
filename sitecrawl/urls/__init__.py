"""URLs: joining, one canonical form, one pattern function, scope, private addresses. No network."""
