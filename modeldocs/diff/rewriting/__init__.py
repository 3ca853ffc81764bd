"""Rewrites of a layer graph before it is compared, and what leads back from them."""
