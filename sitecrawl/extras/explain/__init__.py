"""The command `sitecrawl why`: why a link got its label, why a page gave its item, where a field
came from."""
