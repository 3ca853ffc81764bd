"""Emitters of Torch7's modules by family; importing this registers all of them."""

from modeldocs.loaders.torch7.operators import (
    activation,
    arithmetic,
    arrangement,
    convolution,
    linear,
    normalization,
    pooling,
    reduction,
    resampling,
    tables,
)
