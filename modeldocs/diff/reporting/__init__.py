"""The report of a diff: the title of each change, its place, and its meaning for a port."""
