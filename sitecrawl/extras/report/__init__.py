"""The report: all sites of a data folder on one page, what is wrong with them and why."""
