"""Templates in the hands of a person: `sitecrawl templates`, its actions, and documents written by hand."""
