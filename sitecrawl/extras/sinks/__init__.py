"""Feed formats that few crawls need, plugged in by entry points."""
