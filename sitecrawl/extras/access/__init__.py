"""What some sites ask of a crawl: cookies, headers, a proxy, a login."""
