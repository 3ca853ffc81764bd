"""A graph as the matching sees it: numbered nodes, their edges, labels of their surroundings."""
