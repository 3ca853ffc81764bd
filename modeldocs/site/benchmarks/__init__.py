"""Benchmark records on pages: of the whole catalog, of a model, of a port."""
