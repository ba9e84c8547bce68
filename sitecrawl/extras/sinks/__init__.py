"""Feed formats that few crawls need, and what shows feeds to a person."""
