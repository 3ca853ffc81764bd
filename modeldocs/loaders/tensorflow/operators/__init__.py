"""Emitters of TensorFlow's operators, by what they do; importing this registers all of them."""

from modeldocs.loaders.tensorflow.operators import (
    activation,
    arithmetic,
    bias,
    control,
    convolution,
    indexing,
    joining,
    linear,
    normalization,
    pooling,
    reduction,
    shaping,
    spatial,
)
