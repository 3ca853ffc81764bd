"""What turns each operation of `keras.ops` into ONNX: importing this package registers them all."""

from modeldocs.loaders.keras.operations import (
    arrangement,
    attention,
    elementwise,
    network,
    products,
    reduction,
)
