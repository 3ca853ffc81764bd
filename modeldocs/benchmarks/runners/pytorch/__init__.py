"""Measures ports of PyTorch."""
