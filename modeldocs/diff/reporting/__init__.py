"""The report of a diff: the title of each change, where it is, and what it means for a port."""
