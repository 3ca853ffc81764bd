"""Operators of onnxruntime's own domain that are known: what they multiply, and their weights."""

from __future__ import annotations

from typing import Final

from modeldocs.ir.operators.operator import CONTRIBUTED, Family, OnnxOperator


def _op(name: str, family: Family) -> OnnxOperator:
    """An operator that computes element by element, normalises, pools, looks up or moves."""
    return OnnxOperator(CONTRIBUTED + name, family)


def _product(
    name: str, family: Family, weight: int | None = None, bias: int | None = None
) -> OnnxOperator:
    """An operator that adds up products, and the slots of its weight and bias."""
    return OnnxOperator(CONTRIBUTED + name, family, products=True, weight=weight, bias=bias)


TABLE: Final = (
    _product("FusedConv", "convolution", weight=1, bias=2),
    _product("NhwcFusedConv", "convolution", weight=1, bias=2),
    _product("NhwcConv", "convolution", weight=1, bias=2),
    _product("QLinearConv", "convolution", weight=3, bias=8),
    _product("FusedMatMul", "linear", weight=1),
    _product("FusedMatMulActivation", "linear", weight=1),
    _product("TransposeMatMul", "linear", weight=1),
    _product("FusedGemm", "linear", weight=1, bias=2),
    _product("QGemm", "linear", weight=3, bias=6),
    _product("MatMulInteger16", "linear", weight=1),
    _product("MatMulIntegerToFloat", "linear", weight=1, bias=6),
    _product("DynamicQuantizeMatMul", "linear", weight=1, bias=4),
    _product("MatMulNBits", "linear", weight=1, bias=5),
    _product("MatMulBnb4", "linear", weight=1),
    _product("Attention", "attention", weight=1, bias=2),
    _product("QAttention", "attention", weight=1, bias=2),
    _product("PackedAttention", "attention", weight=1, bias=2),
    _product("MultiHeadAttention", "attention"),
    _product("GroupQueryAttention", "attention"),
    OnnxOperator(CONTRIBUTED + "DynamicQuantizeLSTM", "recurrent", products=True, gates=4),
    OnnxOperator(CONTRIBUTED + "GatherBlockQuantized", "arrangement", weight=0),
    _op("BiasAdd", "elementwise"),
    _op("BiasDropout", "activation"),
    _op("BiasGelu", "activation"),
    _op("BiasSoftmax", "activation"),
    _op("BiasSplitGelu", "activation"),
    _op("FastGelu", "activation"),
    _op("Gelu", "activation"),
    _op("QuickGelu", "activation"),
    _op("ScaledSiLU", "activation"),
    _op("SwiGLU", "activation"),
    _op("QLinearLeakyRelu", "activation"),
    _op("QLinearSigmoid", "activation"),
    _op("QLinearSoftmax", "activation"),
    _op("GatedAdd", "elementwise"),
    _op("ComplexMul", "elementwise"),
    _op("ComplexMulConj", "elementwise"),
    _op("MulInteger", "elementwise"),
    _op("QLinearAdd", "elementwise"),
    _op("QLinearMul", "elementwise"),
    _op("QLinearWhere", "elementwise"),
    _op("GroupNorm", "normalization"),
    _op("SkipGroupNorm", "normalization"),
    _op("SkipLayerNormalization", "normalization"),
    _op("SkipSimplifiedLayerNormalization", "normalization"),
    _op("GatedRMSNorm", "normalization"),
    _op("RMSNormRotary", "normalization"),
    _op("EmbedLayerNormalization", "normalization"),
    _op("QEmbedLayerNormalization", "normalization"),
    _op("NhwcMaxPool", "pooling"),
    _op("MaxpoolWithMask", "pooling"),
    _op("QLinearAveragePool", "pooling"),
    _op("QLinearGlobalAveragePool", "pooling"),
    _op("QLinearReduceMean", "pooling"),
    _op("ReduceSumInteger", "pooling"),
    _op("RotaryEmbedding", "attention"),
    _op("GemmaRotaryEmbedding", "attention"),
    _op("MRotaryEmbedding", "attention"),
    _op("RelativePositionBias", "attention"),
    _op("QLinearConcat", "arrangement"),
    _op("GatherND", "arrangement"),
    _op("Trilu", "arrangement"),
    _op("TorchEmbedding", "arrangement"),
    _op("ExpandDims", "other"),
    _op("Pad", "arrangement"),
    _op("CropAndResize", "arrangement"),
    _op("GridSample", "arrangement"),
    _op("UnfoldTensor", "arrangement"),
    _op("RemovePadding", "arrangement"),
    _op("RestorePadding", "arrangement"),
    _op("QuantizeLinear", "other"),
    _op("DequantizeLinear", "other"),
    _op("Range", "other"),
    _op("Unique", "other"),
    _op("IsAllFinite", "other"),
    _op("NGramRepeatBlock", "other"),
    _op("MurmurHash3", "other"),
)
