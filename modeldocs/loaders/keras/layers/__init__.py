"""What turns each layer of Keras into ONNX: importing this package registers them all."""

from modeldocs.loaders.keras.layers import (
    activation,
    arrangement,
    convolution,
    linear,
    merging,
    normalization,
    pooling,
    preprocessing,
    recurrent,
    regularization,
    resampling,
    transposed,
)
