"""Previews: what a change of the catalog's files does to models, as data, a comment and pages."""
