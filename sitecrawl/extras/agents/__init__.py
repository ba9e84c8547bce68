"""For programs and agents that want the new articles of a site: iteration in Python, and a server
of the Model Context Protocol."""
