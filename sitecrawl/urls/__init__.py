"""URLs: joining, one canonical form, one pattern function, scope, private hosts. No network
access."""
