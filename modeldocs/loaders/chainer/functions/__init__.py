"""Emit functions of Chainer's functions, by what they are for."""

from modeldocs.loaders.chainer.functions import (
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
