"""Benchmark records: their format, measurement, derived metrics and charts."""
