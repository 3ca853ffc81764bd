"""Nodes that move data and compute nothing: Reshape, Transpose, Slice, Split, Concat."""
