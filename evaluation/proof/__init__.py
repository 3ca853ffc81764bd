"""How many faults that are planted in what was loaded a proof catches: `make bench-proof`."""
