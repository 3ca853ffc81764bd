"""Faults planted in generated programs, and whether the proof finds them."""
