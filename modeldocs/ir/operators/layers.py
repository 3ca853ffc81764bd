"""The operators of ONNX that networks have as layers: convolutions, products, norms, pools."""

from __future__ import annotations

from typing import Final

from modeldocs.ir.operators.operator import OnnxOperator as Op

_WEIGHTED: Final = ("X", "weight", "bias")
_SCALED: Final = ("X", "scale", "bias")
_NORMALISED: Final = ("X", "scale", "bias", "mean", "var")

_CONVOLUTIONS: Final = (
    Op("Conv", "convolution", window="fixed", channels_first=True, products=True, roles=_WEIGHTED,
       projects=(1, 0), features=1),
    Op("ConvTranspose", "convolution", window="transposed", channels_first=True, products=True,
       roles=_WEIGHTED, features=1),
    Op("ConvInteger", "convolution", window="fixed", channels_first=True, products=True, weight=1),
    Op("QLinearConv", "convolution", window="fixed", channels_first=True, products=True,
       weight=3, bias=8),
    Op("DeformConv", "convolution", window="deformed", channels_first=True, products=True,
       interpolates=True, weight=1, bias=3),
    Op("CausalConvWithState", "convolution", channels_first=True, products=True, weight=1, bias=2),
)  # fmt: skip

_PRODUCTS: Final = (
    Op("Gemm", "linear", products=True, everywhere=True, roles=("A", "weight", "bias"),
       projects=(-1, 0), features=-1),
    Op("MatMul", "linear", products=True, roles=("A", "weight"), projects=(-1, -1)),
    Op("Einsum", "linear", products=True),
    Op("MatMulInteger", "linear", products=True, weight=1),
    Op("QLinearMatMul", "linear", products=True, weight=3),
)  # fmt: skip

_NORMS: Final = (
    Op("BatchNormalization", "normalization", channels_first=True, roles=_NORMALISED, features=1),
    Op("LayerNormalization", "normalization", own_statistics=True, normalises="from axis", axis=-1,
       roles=_SCALED),
    Op("RMSNormalization", "normalization", own_statistics=True, normalises="from axis", axis=-1,
       roles=("X", "scale")),
    Op("GroupNormalization", "normalization", own_statistics=True, channels_first=True,
       everywhere=True, roles=_SCALED),
    Op("InstanceNormalization", "normalization", own_statistics=True, channels_first=True,
       everywhere=True, roles=_SCALED),
    Op("MeanVarianceNormalization", "normalization", own_statistics=True, everywhere=True),
    Op("LRN", "normalization", channels_first=True, keeps_sign=True),
    Op("LpNormalization", "normalization", normalises="axis", axis=-1, keeps_sign=True),
)  # fmt: skip

_ACTIVATIONS: Final = (
    Op("Relu", "activation", unary=True, monotone=True, non_negative=True, homogeneous=True),
    Op("LeakyRelu", "activation", unary=True, monotone=True, keeps_sign=True, homogeneous=True),
    Op("PRelu", "activation", broadcasting=True, keeps_sign=True, homogeneous=True,
       roles=("X", "slope")),
    Op("ThresholdedRelu", "activation", unary=True, monotone=True, keeps_sign=True),
    Op("Elu", "activation", unary=True, monotone=True, keeps_sign=True, smooth_rectifier=True),
    Op("Selu", "activation", unary=True, monotone=True, keeps_sign=True, smooth_rectifier=True),
    Op("Celu", "activation", unary=True, monotone=True, keeps_sign=True, smooth_rectifier=True),
    Op("Gelu", "activation", unary=True, keeps_sign=True, smooth_rectifier=True),
    Op("Swish", "activation", unary=True, keeps_sign=True, smooth_rectifier=True),
    Op("HardSwish", "activation", unary=True, keeps_sign=True, smooth_rectifier=True),
    Op("Mish", "activation", unary=True, keeps_sign=True, smooth_rectifier=True),
    Op("SwiGLU", "activation"),  # of two operands of one shape
    Op("Sigmoid", "activation", unary=True, monotone=True, non_negative=True, saturating=True),
    Op("HardSigmoid", "activation", unary=True, monotone=True, non_negative=True, saturating=True),
    Op("Tanh", "activation", unary=True, monotone=True, keeps_sign=True, saturating=True),
    Op("Softplus", "activation", unary=True, monotone=True, non_negative=True,
       smooth_rectifier=True),
    Op("Softsign", "activation", unary=True, monotone=True, keeps_sign=True, saturating=True),
    Op("Erf", "activation", unary=True, monotone=True, keeps_sign=True, saturating=True),
    Op("Clip", "activation", unary=True, monotone=True, settings=(1, 2)),
    Op("Shrink", "activation", unary=True, monotone=True, keeps_sign=True),
    Op("Softmax", "activation", non_negative=True, normalises="axis", axis=-1),
    Op("LogSoftmax", "activation", normalises="axis", axis=-1),
    Op("Hardmax", "activation", non_negative=True, normalises="axis", axis=-1),
    # A Dropout is no function of its operand in training mode.
    Op("Dropout", "activation", keeps_sign=True, homogeneous=True, settings=(1,)),
)  # fmt: skip

_POOLS: Final = (
    Op("MaxPool", "pooling", window="fixed", channels_first=True, keeps_sign=True,
       homogeneous=True, over_plane="GlobalMaxPool"),
    Op("AveragePool", "pooling", window="fixed", channels_first=True, keeps_sign=True,
       homogeneous=True, over_plane="GlobalAveragePool"),
    Op("LpPool", "pooling", window="fixed", channels_first=True, non_negative=True,
       homogeneous=True),
    Op("GlobalMaxPool", "pooling", channels_first=True, everywhere=True, keeps_sign=True,
       homogeneous=True, over_plane="GlobalMaxPool"),
    Op("GlobalAveragePool", "pooling", channels_first=True, everywhere=True, keeps_sign=True,
       homogeneous=True, over_plane="GlobalAveragePool"),
    Op("GlobalLpPool", "pooling", channels_first=True, everywhere=True, non_negative=True,
       homogeneous=True),
    Op("MaxRoiPool", "pooling", channels_first=True, homogeneous=True),
    Op("RoiAlign", "pooling", channels_first=True, interpolates=True, homogeneous=True),
    # A MaxUnpool has no dilations.
    Op("MaxUnpool", "pooling", channels_first=True, grows=True, keeps_sign=True, homogeneous=True),
    Op("ReduceMax", "pooling", reduces="axes", keeps_sign=True, homogeneous=True,
       over_plane="GlobalMaxPool"),
    Op("ReduceMean", "pooling", reduces="axes", keeps_sign=True, homogeneous=True,
       over_plane="GlobalAveragePool"),
    Op("ReduceMin", "pooling", reduces="axes", keeps_sign=True, homogeneous=True),
    Op("ReduceSum", "pooling", reduces="axes", keeps_sign=True, homogeneous=True),
    Op("ReduceProd", "pooling", reduces="axes", keeps_sign=True),
    Op("ReduceL1", "pooling", reduces="axes", non_negative=True, homogeneous=True),
    Op("ReduceL2", "pooling", reduces="axes", non_negative=True, homogeneous=True),
    Op("ReduceSumSquare", "pooling", reduces="axes", non_negative=True),
    Op("ReduceLogSum", "pooling", reduces="axes", positive=0),
    Op("ReduceLogSumExp", "pooling", reduces="axes"),
)  # fmt: skip

_ATTENTION: Final = (
    Op("Attention", "attention", products=True, everywhere=True),
    Op("LinearAttention", "attention", products=True, everywhere=True),
    Op("RotaryEmbedding", "attention"),
)

_RECURRENT: Final = (
    Op("LSTM", "recurrent", gates=4, activations=("Sigmoid", "Tanh", "Tanh"), products=True,
       everywhere=True),
    Op("GRU", "recurrent", gates=3, activations=("Sigmoid", "Tanh"), products=True,
       everywhere=True),
    Op("RNN", "recurrent", gates=1, activations=("Tanh",), products=True, everywhere=True),
    Op("Loop", "recurrent"),
    Op("Scan", "recurrent"),
    Op("If", "recurrent"),
)  # fmt: skip

TABLE: Final = (
    *_CONVOLUTIONS,
    *_PRODUCTS,
    *_NORMS,
    *_ACTIVATIONS,
    *_POOLS,
    *_ATTENTION,
    *_RECURRENT,
)
