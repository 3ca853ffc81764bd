"""How often the verdict on two recorded runs is right: `make bench-regression`."""
