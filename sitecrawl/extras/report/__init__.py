"""The report: all sites of a data folder on one page, their problems and causes."""
