"""The layer types that the values of an enum stood for, before types were texts."""

from __future__ import annotations

from typing import Final

V1_TYPES: Final = {
    "NONE": "None",
    "ACCURACY": "Accuracy",
    "BNLL": "BNLL",
    "CONCAT": "Concat",
    "CONVOLUTION": "Convolution",
    "DATA": "Data",
    "DROPOUT": "Dropout",
    "EUCLIDEAN_LOSS": "EuclideanLoss",
    "FLATTEN": "Flatten",
    "HDF5_DATA": "HDF5Data",
    "HDF5_OUTPUT": "HDF5Output",
    "IM2COL": "Im2col",
    "IMAGE_DATA": "ImageData",
    "INFOGAIN_LOSS": "InfogainLoss",
    "INNER_PRODUCT": "InnerProduct",
    "LRN": "LRN",
    "MULTINOMIAL_LOGISTIC_LOSS": "MultinomialLogisticLoss",
    "POOLING": "Pooling",
    "RELU": "ReLU",
    "SIGMOID": "Sigmoid",
    "SOFTMAX": "Softmax",
    "SOFTMAX_LOSS": "SoftmaxWithLoss",
    "SPLIT": "Split",
    "TANH": "TanH",
    "WINDOW_DATA": "WindowData",
    "ELTWISE": "Eltwise",
    "POWER": "Power",
    "SIGMOID_CROSS_ENTROPY_LOSS": "SigmoidCrossEntropyLoss",
    "HINGE_LOSS": "HingeLoss",
    "MEMORY_DATA": "MemoryData",
    "ARGMAX": "ArgMax",
    "THRESHOLD": "Threshold",
    "DUMMY_DATA": "DummyData",
    "SLICE": "Slice",
    "MVN": "MVN",
    "ABSVAL": "AbsVal",
    "SILENCE": "Silence",
    "CONTRASTIVE_LOSS": "ContrastiveLoss",
    "EXP": "Exp",
    "DECONVOLUTION": "Deconvolution",
}
"""By `V1LayerType`: the type of today."""
