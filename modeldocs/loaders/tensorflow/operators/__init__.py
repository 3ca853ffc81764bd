"""Emitters of TensorFlow's operators by family; importing this package registers them."""

from modeldocs.loaders.tensorflow.operators import (
    activation,
    arithmetic,
    arrangement,
    bias,
    control,
    convolution,
    indexing,
    joining,
    linear,
    normalization,
    pooling,
    reduction,
    resampling,
)
