"""Time, memory and size of large catalogs: `make bench-scale`."""
