"""The words of a diff: the line of a change, where it is, and what it means for a port."""
