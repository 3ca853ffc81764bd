"""The site: pages as a pure function of catalog and results, then a folder or MkDocs."""
