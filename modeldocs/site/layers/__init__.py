"""All layers of all ports of a catalog: their columns, the files that hold them, and their page."""
