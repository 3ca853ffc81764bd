"""What each Caffe layer type becomes; importing this registers all of them."""

from modeldocs.loaders.caffe.layers import (
    activation,
    arithmetic,
    arrangement,
    convolution,
    detection,
    flow,
    linear,
    normalization,
    pooling,
    recurrent,
    reduction,
    resampling,
    training,
)
