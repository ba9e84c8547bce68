"""Many sites, visited again and again, by one machine or many: what is watched, who visits it now, the feed of all, and archives."""
