"""Templates and page families in the hands of a person: `sitecrawl templates` and `sitecrawl families`, and documents written by hand."""
