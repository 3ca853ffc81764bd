"""The pages of a pair of ports, and comparisons as a file."""
