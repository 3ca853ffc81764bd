"""Regions: the smallest parts of two networks between values that correspond.

Structure proposes which layers correspond; running decides what lies between them. Each network is
cut at the outputs of matched layers, which are given A's values: what is left between the cuts is a
region, and shows by itself whether it computes the same.
"""
