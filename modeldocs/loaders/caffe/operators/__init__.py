"""Emitters of Caffe's layers by family; importing this registers all of them."""

from modeldocs.loaders.caffe.operators import (
    activation,
    arithmetic,
    arrangement,
    convolution,
    detection,
    linear,
    normalization,
    pooling,
    recurrent,
    reduction,
    resampling,
    training,
)
