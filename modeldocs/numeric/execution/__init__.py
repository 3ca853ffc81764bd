"""Numerics: graphs run in onnxruntime, and differences between arrays."""
