"""Many sites, visited again and again, by one machine or many: what is watched, who visits it now, and the feed of all."""
