"""Search: what pages are found by, and the files that it reads."""
