"""How good and how fast the diff is, measured: `make bench-diff`."""
