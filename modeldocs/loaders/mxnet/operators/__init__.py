"""What each operator of MXNet becomes; importing this registers all of them."""

from modeldocs.loaders.mxnet.operators import (
    activation,
    arithmetic,
    arrangement,
    arrays,
    convolution,
    creation,
    cutting,
    detection,
    indexing,
    linear,
    normalization,
    pooling,
    recurrent,
    reduction,
    resampling,
    training,
)
