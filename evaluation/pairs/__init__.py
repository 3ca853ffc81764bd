"""How right the diff is on published networks of one kind from two packages: `make bench-pairs`."""
