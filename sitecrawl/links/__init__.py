"""Links of a page: article, section or other. Facts of links, features of targets, an SVM, and what a site taught."""
