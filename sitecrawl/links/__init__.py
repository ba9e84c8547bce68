"""Links of a page: article, section or other. Facts of links, features of targets, an SVM, and
evidence from the site's fetched pages."""
