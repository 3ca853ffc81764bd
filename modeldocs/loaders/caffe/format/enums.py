"""Caffe's public enums, and the layer types that the values of one of them mean."""

from __future__ import annotations

from typing import Final

_V1_LAYER_TYPES: Final = """
None=0 Accuracy=1 BNLL=2 Concat=3 Convolution=4 Data=5 Dropout=6 EuclideanLoss=7 Flatten=8
HDF5Data=9 HDF5Output=10 Im2col=11 ImageData=12 InfogainLoss=13 InnerProduct=14 LRN=15
MultinomialLogisticLoss=16 Pooling=17 ReLU=18 Sigmoid=19 Softmax=20 SoftmaxWithLoss=21 Split=22
TanH=23 WindowData=24 Eltwise=25 Power=26 SigmoidCrossEntropyLoss=27 HingeLoss=28 MemoryData=29
ArgMax=30 Threshold=31 DummyData=32 Slice=33 MVN=34 AbsVal=35 Silence=36 ContrastiveLoss=37 Exp=38
Deconvolution=39
"""

_V1_SPELLING: Final = {
    "DummyData": "DUMMY_DATA", "HDF5Data": "HDF5_DATA", "HDF5Output": "HDF5_OUTPUT",
    "ImageData": "IMAGE_DATA", "InnerProduct": "INNER_PRODUCT", "MemoryData": "MEMORY_DATA",
    "SoftmaxWithLoss": "SOFTMAX_LOSS", "WindowData": "WINDOW_DATA", "HingeLoss": "HINGE_LOSS",
    "EuclideanLoss": "EUCLIDEAN_LOSS", "InfogainLoss": "INFOGAIN_LOSS",
    "ContrastiveLoss": "CONTRASTIVE_LOSS", "MultinomialLogisticLoss": "MULTINOMIAL_LOGISTIC_LOSS",
    "SigmoidCrossEntropyLoss": "SIGMOID_CROSS_ENTROPY_LOSS",
}  # fmt: skip

_V1_PAIRS: Final = [entry.split("=") for entry in _V1_LAYER_TYPES.split()]

V1_TYPES: Final = {_V1_SPELLING.get(name, name.upper()): name for name, _ in _V1_PAIRS}
"""The layer type that each enum value of the old `layers` stands for."""

ENUMS: Final[dict[str, dict[int, str]]] = {
    "Phase": {0: "TRAIN", 1: "TEST"},
    "ShareMode": {0: "STRICT", 1: "PERMISSIVE"},
    "VarianceNorm": {0: "FAN_IN", 1: "FAN_OUT", 2: "AVERAGE"},
    "Engine": {0: "DEFAULT", 1: "CAFFE", 2: "CUDNN"},
    "Backend": {0: "LEVELDB", 1: "LMDB"},
    "Normalization": {0: "FULL", 1: "VALID", 2: "BATCH_SIZE", 3: "NONE"},
    "EltwiseOp": {0: "PROD", 1: "SUM", 2: "MAX"},
    "BNMode": {0: "LEARN", 1: "INFERENCE"},
    "NormRegion": {0: "ACROSS_CHANNELS", 1: "WITHIN_CHANNEL"},
    "PoolMethod": {0: "MAX", 1: "AVE", 2: "STOCHASTIC"},
    "RoundMode": {0: "CEIL", 1: "FLOOR"},
    "HingeNorm": {1: "L1", 2: "L2"},
    "LocalizationLoss": {0: "L2", 1: "SMOOTH_L1"},
    "ConfidenceLoss": {0: "SOFTMAX", 1: "LOGISTIC"},
    "MatchType": {0: "BIPARTITE", 1: "PER_PREDICTION"},
    "MiningType": {0: "NONE", 1: "MAX_NEGATIVE", 2: "HARD_EXAMPLE"},
    "CodeType": {1: "CORNER", 2: "CENTER_SIZE", 3: "CORNER_SIZE"},
    "ReductionOp": {1: "SUM", 2: "ASUM", 3: "SUMSQ", 4: "MEAN"},
    "V1LayerType": {int(n): _V1_SPELLING.get(name, name.upper()) for name, n in _V1_PAIRS},
}

OPEN_ENUMS: Final = frozenset({"V1LayerType", "Engine", "Backend"})
"""Enums that forks add values to: an unknown one is kept as it was written."""
