"""Recorded benchmarks: the record, how it is measured, what is derived from it, how it is drawn."""
