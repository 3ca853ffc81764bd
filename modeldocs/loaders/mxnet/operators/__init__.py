"""Emitters of MXNet's operators by family; importing this registers all of them."""

from modeldocs.loaders.mxnet.operators import (
    activation,
    arithmetic,
    arrangement,
    convolution,
    creation,
    detection,
    indexing,
    linear,
    normalization,
    pooling,
    recurrent,
    reduction,
    resampling,
    reshape,
    slicing,
    training,
)
