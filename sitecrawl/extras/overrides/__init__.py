"""What a person decided in place of the program: templates edited or written by hand (`sitecrawl
templates`), page families kept or dropped (`sitecrawl families`)."""
