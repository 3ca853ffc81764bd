"""Rewrites of a layer graph before it is compared, with the way back to its layers."""
