"""The report of a data directory: one HTML file that needs nothing else."""
