"""Labels by hand in the browser: a section page drawn without anything of its own but text, its links to be labelled, a local server."""
