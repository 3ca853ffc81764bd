"""Modules that cannot be traced whole: which of their parts can be, and how these run."""
