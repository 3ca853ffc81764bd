"""Emitters of Chainer's functions by family; importing this registers all of them."""

from modeldocs.loaders.chainer.operators import (
    activation,
    arithmetic,
    arrangement,
    convolution,
    linear,
    normalization,
    pooling,
    recurrent,
    reduction,
    resampling,
)
