"""Emitters of Keras' layers and operations by family; importing this package registers them."""

from modeldocs.loaders.keras.operators import (
    activation,
    arithmetic,
    arrangement,
    attention,
    convolution,
    functions,
    indexing,
    joining,
    linear,
    merging,
    normalization,
    pooling,
    preprocessing,
    products,
    recurrent,
    reduction,
    regularization,
    resampling,
    transposed_convolution,
)
