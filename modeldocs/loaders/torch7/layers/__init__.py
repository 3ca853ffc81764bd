"""Emit functions of Torch7's modules, by what they are for."""

from modeldocs.loaders.torch7.layers import (
    activation,
    arithmetic,
    arrangement,
    convolution,
    linear,
    normalization,
    pooling,
    tables,
)
